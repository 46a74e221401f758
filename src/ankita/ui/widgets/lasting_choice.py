"""The second step of "Always…": how long, what it covers, and the yes or back."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.ui.widgets.approval_words import LASTS, allow_words, lasting_words
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.choice_group import ChoiceGroup
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel


class LastingChoice(QWidget):
    """A lasting permission is never one click away. The shortest time is chosen at first."""

    allowed = Signal()
    back_wanted = Signal()

    def __init__(self, scope_always: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scope = scope_always
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(PlainLabel("Lowers protection", role="danger"))
        self._words = PlainLabel("", role="value")
        column.addWidget(self._words)
        self._chips = self._make_chips(column)
        self._allow = ActButton("")
        self._allow.clicked.connect(self.allowed)
        self.back = ActButton("Back")
        self.back.clicked.connect(self.back_wanted)
        row = FlowLayout()
        row.addWidget(self._allow)
        row.addWidget(self.back)
        column.addLayout(row)
        self._refresh()

    @property
    def days(self) -> int:
        """The days that are chosen; NO_END for a permission that lasts."""
        return next(days for days, chip in self._chips.items() if chip.isChecked())

    def _make_chips(self, column: QVBoxLayout) -> dict[int, ChoiceChip]:
        group = ChoiceGroup(self)
        chips: dict[int, ChoiceChip] = {}
        row = FlowLayout()
        for days, words in LASTS.items():
            chip = ChoiceChip(words)
            chip.setAccessibleName(f"How long: {words}")
            group.addButton(chip)
            row.addWidget(chip)
            chips[days] = chip
        next(iter(chips.values())).setChecked(True)
        for chip in chips.values():
            chip.toggled.connect(self._refresh)
        column.addLayout(row)
        return chips

    def _refresh(self) -> None:
        if not any(chip.isChecked() for chip in self._chips.values()):
            return  # between one chip and the next
        self._words.setText(lasting_words(self._scope, self.days, datetime.now().astimezone()))
        words = allow_words(self.days)
        self._allow.setText(words)
        self._allow.setAccessibleName(words)
        self._allow.updateGeometry()
