"""The fields that name a model server: its model, and how it is spoken to."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from ankita.config import WireFormat
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.choice_group import ChoiceGroup
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.plain_label import visible_text

EXAMPLE_ADDRESS = "http://127.0.0.1:11434/v1"
WIRE_WORDS = {WireFormat.OPENAI: "OpenAI-compatible", WireFormat.ANTHROPIC: "Anthropic"}


class ModelChoice(QComboBox):
    """A list that can be typed into, with an arrow in the colours of the theme."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def list_models(self, names: tuple[str, ...]) -> None:
        """Offer these names; what was typed stays where it is one of them."""
        wanted = self.currentText()
        self.clear()
        self.addItems([visible_text(name) for name in names])
        if wanted in names or not names:
            self.setEditText(wanted)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        look = appearance_now()
        side = look.space(16)
        place = QRectF(self.width() - side - 8, (self.height() - side) / 2, side, side)
        draw_icon(QPainter(self), Icon.CHEVRON_DOWN, place, look.palette.muted)


class WireChoice(QWidget):
    """OpenAI-compatible, as nearly every server is, or Anthropic."""

    def __init__(self) -> None:
        super().__init__()
        flow = FlowLayout(self)
        group = ChoiceGroup(self)
        self.chips: dict[WireFormat, ChoiceChip] = {}
        for wire, words in WIRE_WORDS.items():
            chip = ChoiceChip(words)
            chip.setAccessibleName(f"Format: {words}")
            group.addButton(chip)
            flow.addWidget(chip)
            self.chips[wire] = chip
        self.choose(WireFormat.OPENAI)

    @property
    def wire(self) -> WireFormat:
        return next(wire for wire, chip in self.chips.items() if chip.isChecked())

    def choose(self, wire: WireFormat) -> None:
        self.chips[wire].setChecked(True)
