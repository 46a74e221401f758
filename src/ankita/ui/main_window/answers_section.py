"""Settings: what answers, and how its model can act."""

from __future__ import annotations

from ankita.config import ServerSettings
from ankita.engine import AnsweringChanged, SettingsChanged, UseBuiltInAssistant
from ankita.messages import ModelInfo
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.main_window.self_test_row import SelfTestRow
from ankita.ui.main_window.server_fields import WIRE_WORDS
from ankita.ui.replies import Replies
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.plain_label import visible_text


def place_words(server: ServerSettings, info: ModelInfo | None) -> str:
    """Where the model is: "http://… · on this computer", or the file that Ankita runs."""
    if server.file:
        return f"a file that Ankita runs · {server.file}"
    is_known = info is not None and not info.is_built_in
    place = ""
    if info is not None and is_known:
        place = "on this computer" if info.is_local else "not on this computer"
    return " · ".join(part for part in (server.base_url, WIRE_WORDS[server.wire], place) if part)


class AnswersSection(Panel):
    """The present model with its self-test, and the built-in assistant."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("What answers")
        self._bridge = bridge
        self._server_dot = StatusDot(Tone.GOOD)
        self.server_row = PanelRow("Model", first=True, lead=self._server_dot)
        self.add(self.server_row)
        self.self_test = SelfTestRow(bridge, replies)
        self.add(self.self_test)
        self._built_in_dot = StatusDot(Tone.OFF)
        self.use_built_in = ActButton("Use", small=True)
        self.use_built_in.setAccessibleName("Use the built-in assistant")
        self.use_built_in.clicked.connect(lambda: bridge.do(UseBuiltInAssistant()))
        self.add(
            PanelRow(
                "Built-in assistant",
                "always there · no model · does what it is told, never invents",
                [self.use_built_in],
                lead=self._built_in_dot,
            )
        )
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        bridge.listen(AnsweringChanged, lambda _: self._refresh())
        self._refresh()

    def _refresh(self) -> None:
        server = self._bridge.state.settings.server
        self._built_in_dot.set_tone(Tone.GOOD if server is None else Tone.OFF)
        self.use_built_in.setVisible(server is not None)
        self.self_test.setVisible(server is not None)
        self._server_dot.set_tone(Tone.OFF if server is None else Tone.GOOD)
        if server is None:
            self.server_row.title.setText("No model")
            self.server_row.set_words("Add one below; it may run on this computer.")
        else:
            self.server_row.title.setText(visible_text(server.model))
            self.server_row.set_words(place_words(server, self._bridge.state.answering))
