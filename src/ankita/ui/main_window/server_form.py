"""Settings: the form that lets a model server answer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout

from ankita.config import ServerSettings
from ankita.engine import CheckServer, ServerReport, UseServer
from ankita.ui.main_window.server_fields import EXAMPLE_ADDRESS, ModelChoice, WireChoice
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class ServerForm(Surface):
    """Address, format, model and key. The key is only ever written: it is never shown again."""

    used = Signal()
    """The engine took the server."""

    def __init__(self, replies: Replies) -> None:
        super().__init__(SurfaceKind.DIVIDED)
        self._replies = replies
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addWidget(PlainLabel("A server by its address", role="strong"))
        column.addWidget(
            PlainLabel(
                "On this computer, in the network or on the internet. Test asks it for its models.",
                role="small",
            )
        )
        column.addLayout(self._fields())
        self.result = PlainLabel("", role="small")
        self.result.hide()
        column.addWidget(self.result)
        column.addLayout(self._buttons())
        self._refresh()

    def offer(self, server: ServerSettings) -> None:
        """Fill an empty form with the server in use."""
        if not self.address.text() and not self.model.currentText():
            self.address.setText(server.base_url)
            self.model.setEditText(server.model)
            self.wires.choose(server.wire)

    # --- building ---------------------------------------------------------------------

    def _fields(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setHorizontalSpacing(12)
        self._make_fields()
        for field, words in (
            (self.address, "Address"),
            (self.wires, "Format"),
            (self.model, "Model"),
            (self.key, "Key"),
        ):
            field.setAccessibleName(words)
            label = PlainLabel(words, role="key", wraps=False)
            label.setBuddy(field)
            form.addRow(label, field)
        return form

    def _make_fields(self) -> None:
        self.address = QLineEdit()
        self.address.setPlaceholderText(EXAMPLE_ADDRESS)
        self.wires = WireChoice()
        self.model = ModelChoice()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        edit = self.model.lineEdit()
        if edit is not None:
            edit.setAccessibleName("Model")
            edit.setPlaceholderText("press Test to list them")
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText("only if the server wants one")
        self.address.textChanged.connect(self._refresh)
        self.model.editTextChanged.connect(self._refresh)
        self.address.returnPressed.connect(self._check)

    def _buttons(self) -> QHBoxLayout:
        buttons = QHBoxLayout()
        self.test = ActButton("Test", small=True)
        self.test.setAccessibleName("Test this server")
        self.use = ActButton("Use", Variant.PRIMARY, small=True)
        self.use.setAccessibleName("Use this model")
        self.test.clicked.connect(self._check)
        self.use.clicked.connect(self._take)
        buttons.addWidget(self.test)
        buttons.addWidget(self.use)
        buttons.addStretch(1)
        return buttons

    # --- asking -----------------------------------------------------------------------

    def _refresh(self) -> None:
        address = bool(self.address.text().strip())
        self.test.setEnabled(address)
        self.use.setEnabled(address and bool(self.model.currentText().strip()))

    def _key_or_none(self) -> str | None:
        """None keeps a key that is stored for this address."""
        return self.key.text() or None

    def _check(self) -> None:
        address = self.address.text().strip()
        if not address or not self.test.isEnabled():
            return
        self.test.setEnabled(False)
        self._say("Asking the server…", "small")
        command = CheckServer(address, self._key_or_none(), self.wires.wire)
        self._replies.ask(command, self._checked, self._failed)

    def _checked(self, report: ServerReport) -> None:
        self._refresh()
        if report.problem:
            self._say(f"{report.problem} {report.advice}".strip(), "danger")
            return
        self.model.list_models(report.models)
        count = len(report.models)
        found = "1 model" if count == 1 else f"{count} models"
        self._say(f"It answers with {found}. Choose one and press Use.", "accent")

    def _take(self) -> None:
        command = UseServer(
            self.address.text().strip(),
            self.model.currentText().strip(),
            self._key_or_none(),
            self.wires.wire,
        )
        self.use.setEnabled(False)
        self._replies.ask(command, self._taken, self._failed)

    def _taken(self, _: object) -> None:
        self.key.clear()
        self._refresh()
        self._say(f"{self.model.currentText()} answers from now on.", "accent")
        self.used.emit()

    def _failed(self, words: str) -> None:
        self._refresh()
        self._say(words, "danger")

    def _say(self, words: str, role: str) -> None:
        shown = visible_text(words)
        self.result.set_role(role)
        self.result.setText(shown)
        self.result.show()
        announce(self.result, shown)
