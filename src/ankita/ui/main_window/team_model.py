"""What answers for a teammate: the model of the settings, or one of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ankita.config import ServerSettings, WireFormat
from ankita.engine import CheckServer, ServerReport
from ankita.ui.main_window.server_fields import EXAMPLE_ADDRESS, WIRE_WORDS, ModelChoice
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.choice_group import ChoiceGroup
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel, visible_text


class Source(StrEnum):
    SETTINGS = "Same as Settings"
    OWN = "Its own model"
    FILE = "Its own model file"


@dataclass(frozen=True, slots=True)
class ModelWish:
    """What the form says. `key` None keeps what is stored for the address."""

    source: Source
    base_url: str = ""
    model: str = ""
    wire: WireFormat = WireFormat.OPENAI
    key: str | None = None

    def server(self, before: ServerSettings | None) -> ServerSettings | None:
        """The server to store; a known one keeps what is known of it."""
        if self.source is Source.SETTINGS:
            return None
        if self.source is Source.FILE:
            return before
        if before is not None and before.base_url == self.base_url:
            return replace(before, model=self.model, wire=self.wire)
        return ServerSettings(self.base_url, self.model, wire=self.wire)

    def needs_key(self, before: ServerSettings | None) -> bool:
        """Whether a key has to be stored or looked for, beside the server itself."""
        if self.source is not Source.OWN:
            return False
        return bool(self.key) or before is None or before.base_url != self.base_url


class ModelFields(QWidget):
    """The key is only ever written: it is never shown again."""

    def __init__(self, replies: Replies, server: ServerSettings | None = None) -> None:
        super().__init__()
        self._replies = replies
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._sources = ChoiceGroup(self)
        self.sources = self._source_chips(has_file=server is not None and bool(server.file))
        chips = QWidget()
        flow = FlowLayout(chips)
        for chip in self.sources.values():
            flow.addWidget(chip)
        column.addWidget(chips)
        self.own = QWidget()
        column.addWidget(self.own)
        self._build_own()
        self._show_server(server)

    def wish(self) -> ModelWish:
        """What the fields say now."""
        source = next(s for s, chip in self.sources.items() if chip.isChecked())
        wire = next(w for w, chip in self.wires.items() if chip.isChecked())
        if source is not Source.OWN:
            return ModelWish(source)
        address, model = self.address.text().strip(), self.model.currentText().strip()
        return ModelWish(source, address, model, wire, self.key.text() or None)

    def _source_chips(self, *, has_file: bool) -> dict[Source, ChoiceChip]:
        chips: dict[Source, ChoiceChip] = {}
        for source in Source:
            if source is Source.FILE and not has_file:
                continue
            chip = ChoiceChip(source.value)
            chip.setAccessibleName(f"Model: {source.value}")
            chip.toggled.connect(self._source_changed)
            self._sources.addButton(chip)
            chips[source] = chip
        return chips

    def _build_own(self) -> None:
        column = QVBoxLayout(self.own)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
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
        self._add_rows(form)
        column.addLayout(form)
        self.test = ActButton("Test", small=True)
        self.test.setAccessibleName("Test this model server")
        self.test.clicked.connect(self._check)
        self.address.textChanged.connect(self._refresh_test)
        column.addWidget(self.test)
        self.result = PlainLabel("", role="small")
        self.result.hide()
        column.addWidget(self.result)

    def _add_rows(self, form: QFormLayout) -> None:
        wires = QWidget()
        self.wires = self._wire_chips(wires)
        for field, words in (
            (self.address, "Address"),
            (wires, "Format"),
            (self.model, "Model"),
            (self.key, "Key"),
        ):
            field.setAccessibleName(f"{words} of its own model")
            label = PlainLabel(words, role="key", wraps=False)
            label.setBuddy(field)
            form.addRow(label, field)
        edit = self.model.lineEdit()
        if edit is not None:
            edit.setAccessibleName("Model of its own")
            edit.setPlaceholderText("press Test to list them")

    def _wire_chips(self, holder: QWidget) -> dict[WireFormat, ChoiceChip]:
        flow = FlowLayout(holder)
        group = ChoiceGroup(self)
        chips: dict[WireFormat, ChoiceChip] = {}
        for wire, words in WIRE_WORDS.items():
            chip = ChoiceChip(words)
            chip.setAccessibleName(f"Format: {words}")
            group.addButton(chip)
            flow.addWidget(chip)
            chips[wire] = chip
        chips[WireFormat.OPENAI].setChecked(True)
        return chips

    def _show_server(self, server: ServerSettings | None) -> None:
        source = Source.SETTINGS
        if server is not None and server.file:
            source = Source.FILE
        elif server is not None:
            source = Source.OWN
            self.address.setText(server.base_url)
            self.model.setEditText(server.model)
            self.wires[server.wire].setChecked(True)
        has_key = server is not None and bool(server.key_name)
        self.key.setPlaceholderText(
            "stored; type to replace it" if has_key else "only if the server wants one"
        )
        self.sources[source].setChecked(True)
        self._source_changed()
        self._refresh_test()

    def _source_changed(self) -> None:
        if hasattr(self, "own"):
            self.own.setVisible(self.sources[Source.OWN].isChecked())

    def _refresh_test(self) -> None:
        self.test.setEnabled(bool(self.address.text().strip()))

    def _check(self) -> None:
        wish = self.wish()
        self.test.setEnabled(False)
        self._say("Asking the server…", "small")
        command = CheckServer(wish.base_url, wish.key, wish.wire)
        self._replies.ask(command, self._checked, self._check_failed)

    def _checked(self, report: ServerReport) -> None:
        self._refresh_test()
        if report.problem:
            self._say(f"{report.problem} {report.advice}".strip(), "danger")
            return
        wanted = self.model.currentText()
        self.model.clear()
        for name in report.models:
            self.model.addItem(visible_text(name), name)
        if wanted in report.models or not report.models:
            self.model.setEditText(wanted)
        count = len(report.models)
        found = "1 model" if count == 1 else f"{count} models"
        self._say(f"It answers with {found}. Choose one and press Save.", "accent")

    def _check_failed(self, words: str) -> None:
        self._refresh_test()
        self._say(words, "danger")

    def _say(self, words: str, role: str) -> None:
        self.result.set_role(role)
        self.result.setText(visible_text(words))
        self.result.show()
        announce(self.result, visible_text(words))
