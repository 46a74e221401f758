"""Settings: what answers, and the form that adds a model server."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
)

from ankita.config import ServerSettings
from ankita.engine import (
    AnsweringChanged,
    CheckServer,
    ServerReport,
    SettingsChanged,
    UseBuiltInAssistant,
    UseServer,
)
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.replies import Replies
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

EXAMPLE_ADDRESS = "http://127.0.0.1:11434/v1"


class AnswersSection(Panel):
    """The present server, the built-in assistant, and "Add a model"."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("What answers")
        self._bridge = bridge
        self._replies = replies
        self._server_dot = StatusDot(Tone.GOOD)
        self.server_row = PanelRow("Model server", first=True, lead=self._server_dot)
        self.add(self.server_row)
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
        self.form = ServerForm(bridge, replies)
        self.add(self.form)
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        bridge.listen(AnsweringChanged, lambda _: self._refresh())
        self._refresh()

    def _refresh(self) -> None:
        server = self._bridge.state.settings.server
        self._built_in_dot.set_tone(Tone.GOOD if server is None else Tone.OFF)
        self.use_built_in.setVisible(server is not None)
        if server is None:
            self._server_dot.set_tone(Tone.OFF)
            self.server_row.title.setText("No model server")
            self.server_row.set_words("Add one below; it may run on this computer.")
            return
        info = self._bridge.state.answering
        place = (
            "" if info is None else "on this computer" if info.is_local else "not on this computer"
        )
        self._server_dot.set_tone(Tone.GOOD)
        self.server_row.title.setText(visible_text(server.model))
        self.server_row.set_words(" · ".join(p for p in (server.base_url, place) if p))
        self.form.offer(server)


class ModelChoice(QComboBox):
    """A list that can be typed into, with an arrow in the colours of the theme."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        look = appearance_now()
        side = look.space(16)
        place = QRectF(self.width() - side - 8, (self.height() - side) / 2, side, side)
        draw_icon(QPainter(self), Icon.CHEVRON_DOWN, place, look.palette.muted)


class ServerForm(Surface):
    """Address, model and key. The key is only ever written: it is never shown again."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__(SurfaceKind.DIVIDED)
        self._bridge = bridge
        self._replies = replies
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addWidget(PlainLabel("Add a model", role="strong"))
        column.addWidget(
            PlainLabel(
                "Any OpenAI-compatible server: Ollama, LM Studio, llama.cpp or one"
                " in the network. Test asks it for its models.",
                role="small",
            )
        )
        column.addLayout(self._fields())
        self.result = PlainLabel("", role="small")
        self.result.hide()
        column.addWidget(self.result)
        buttons = QHBoxLayout()
        self.test = ActButton("Test", small=True)
        self.use = ActButton("Use", Variant.PRIMARY, small=True)
        self.use.setAccessibleName("Use this model")
        self.test.clicked.connect(self._check)
        self.use.clicked.connect(self._take)
        buttons.addWidget(self.test)
        buttons.addWidget(self.use)
        buttons.addStretch(1)
        column.addLayout(buttons)
        self._refresh()

    def offer(self, server: ServerSettings) -> None:
        """Fill an empty form with the server in use."""
        if not self.address.text() and not self.model.currentText():
            self.address.setText(server.base_url)
            self.model.setEditText(server.model)

    def _fields(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setHorizontalSpacing(12)
        self.address = QLineEdit()
        self.address.setPlaceholderText(EXAMPLE_ADDRESS)
        self.model = ModelChoice()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText("only if the server wants one")
        for field, words in (
            (self.address, "Address"),
            (self.model, "Model"),
            (self.key, "Key"),
        ):
            field.setAccessibleName(words)
            label = PlainLabel(words, role="key", wraps=False)
            label.setBuddy(field)
            form.addRow(label, field)
        edit = self.model.lineEdit()
        if edit is not None:
            edit.setAccessibleName("Model")
            edit.setPlaceholderText("press Test to list them")
        self.address.textChanged.connect(self._refresh)
        self.model.editTextChanged.connect(self._refresh)
        self.address.returnPressed.connect(self._check)
        return form

    def _refresh(self) -> None:
        address = bool(self.address.text().strip())
        self.test.setEnabled(address)
        self.use.setEnabled(address and bool(self.model.currentText().strip()))

    def _key_or_none(self) -> str | None:
        """None keeps a key that is stored for this address."""
        return self.key.text() or None

    def _check(self) -> None:
        address = self.address.text().strip()
        if not address:
            return
        self.test.setEnabled(False)
        self._say("Asking the server…", "small")
        self._replies.ask(
            CheckServer(address, self._key_or_none()), self._checked, self._check_failed
        )

    def _checked(self, report: ServerReport) -> None:
        self._refresh()
        if report.problem:
            self._say(f"{report.problem} {report.advice}".strip(), "danger")
            return
        wanted = self.model.currentText()
        self.model.clear()
        self.model.addItems([visible_text(name) for name in report.models])
        if wanted in report.models or not report.models:
            self.model.setEditText(wanted)
        count = len(report.models)
        found = "1 model" if count == 1 else f"{count} models"
        self._say(f"It answers with {found}. Choose one and press Use.", "accent")

    def _check_failed(self, words: str) -> None:
        self._refresh()
        self._say(words, "danger")

    def _take(self) -> None:
        command = UseServer(
            self.address.text().strip(), self.model.currentText().strip(), self._key_or_none()
        )
        self.use.setEnabled(False)
        self._replies.ask(command, self._taken, self._take_failed)

    def _taken(self, _: object) -> None:
        self.key.clear()
        self._refresh()
        self._say(f"{self.model.currentText()} answers from now on.", "accent")

    def _take_failed(self, words: str) -> None:
        self._refresh()
        self._say(words, "danger")

    def _say(self, words: str, role: str) -> None:
        self.result.set_role(role)
        self.result.setText(visible_text(words))
        self.result.show()
        announce(self.result, visible_text(words))
