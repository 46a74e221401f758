"""Settings: how the present model can act, as its self-test found, and "Try again"."""

from __future__ import annotations

from ankita.config import ServerSettings, ToolMode
from ankita.engine import AnsweringChanged, SettingsChanged, TryModel
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import PanelRow
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.plain_label import visible_text

TRYING = ("Trying its tools…", "Ankita asks it to call a tool that does nothing.")

_FOUND = {
    ToolMode.UNKNOWN: (
        "Not known yet whether it can use tools",
        "It is treated as if it could, until it was tried.",
    ),
    ToolMode.NATIVE: ("Tools work", "It calls tools by itself."),
    ToolMode.JSON_ACTION: (
        "Tools work through JSON",
        "It can't call tools by itself. It writes each act as JSON, which Ankita reads and runs.",
    ),
    ToolMode.CHAT_ONLY: (
        "Chat only",
        "It can talk, but it can't use tools: it reads no files and runs nothing.",
    ),
}
_TONES = {
    ToolMode.UNKNOWN: Tone.OFF,
    ToolMode.NATIVE: Tone.GOOD,
    ToolMode.JSON_ACTION: Tone.GOOD,
    ToolMode.CHAT_ONLY: Tone.ASK,
}


def found_words(server: ServerSettings) -> tuple[str, str]:
    """What the self-test found, and what that means, with the size of the model's window."""
    title, words = _FOUND[server.tool_mode]
    if server.context_tokens is not None:
        words = f"{words} It holds {server.context_tokens:,} tokens."
    return title, words


class SelfTestRow(PanelRow):
    """For whoever holds it to hide while the built-in assistant answers."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        self.again = ActButton("Try again", small=True)
        self._dot = StatusDot(Tone.OFF)
        super().__init__(" ", " ", [self.again], lead=self._dot, role="body")
        self._bridge = bridge
        self._replies = replies
        self._tried: tuple[str, ...] | None = None
        self._problem = ""
        self._shown = _identity(bridge.state.settings.server)
        self.again.clicked.connect(self._try)
        bridge.listen(SettingsChanged, lambda _: self._changed())
        bridge.listen(AnsweringChanged, lambda _: self._changed())
        self._refresh()

    def _changed(self) -> None:
        server = self._bridge.state.settings.server
        if _identity(server) != self._shown:
            self._shown = _identity(server)
            self._problem = ""
            if server is not None and server.tool_mode is ToolMode.UNKNOWN:
                # The engine tries a new model by itself: asking joins that, to know its end.
                self._try()
        self._refresh()

    def _try(self) -> None:
        asked = self._shown
        self._tried, self._problem = asked, ""
        self._replies.ask(
            TryModel(), lambda _: self._ended(asked, ""), lambda words: self._ended(asked, words)
        )
        self._refresh()

    def _ended(self, asked: tuple[str, ...], problem: str) -> None:
        if self._tried != asked:
            return  # another model answers by now
        self._tried = None
        self._problem = problem if asked == self._shown else ""
        self._refresh()
        announce(self, f"{self.title.text()}. {self.words.text()}")

    def _refresh(self) -> None:
        server = self._bridge.state.settings.server
        if server is None:
            return
        is_trying = self._tried is not None and self._tried == self._shown
        title, words = TRYING if is_trying else found_words(server)
        self.title.setText(title)
        self._dot.set_tone(Tone.OFF if is_trying else self._tone(server))
        self.words.set_role("danger" if self._problem else "small")
        self.set_words(self._problem or words)
        self.again.setEnabled(not is_trying)
        is_untried = server.tool_mode is ToolMode.UNKNOWN and not self._problem
        self.again.setText("Try it" if is_untried else "Try again")
        self.again.setAccessibleName(f"Try again how {visible_text(server.model)} can act")

    def _tone(self, server: ServerSettings) -> Tone:
        return Tone.BAD if self._problem else _TONES[server.tool_mode]


def _identity(server: ServerSettings | None) -> tuple[str, ...]:
    return () if server is None else (server.base_url, server.model, server.wire, server.file)
