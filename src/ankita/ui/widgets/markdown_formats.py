"""How the parts of a reply look: the text, block and table formats of its document."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTableFormat,
)

from ankita.ui.theme import BODY_POINTS, Appearance, body_font, mono_font

CODE_PROPERTY = int(QTextFormat.Property.UserProperty) + 1
"""Number of the code panel that a text block belongs to, from 1."""
QUOTE_PROPERTY = CODE_PROPERTY + 1
"""Depth of quotation, from 1."""
RULE_PROPERTY = CODE_PROPERTY + 2
"""1 on a block that stands for a horizontal rule."""
ITEM_PROPERTY = CODE_PROPERTY + 3
"""The mark of a list item ("•", "12."). Drawn by the view, so that its place is ours to choose."""

CODE_PADDING = 12
CODE_PADDING_Y = 9
QUOTE_STEP = 14
INDENT = 22
MARK_GAP = 8
"""Between the mark of a list item and its words."""


_CODE_POINTS = 9.4
_LINE_HEIGHT = 126
_CODE_LINE_HEIGHT = 122
PARAGRAPH_GAP = 9
_ITEM_GAP = 3
_HEADING_POINTS = {1: 14.5, 2: 12.75, 3: 11.5, 4: 10.75, 5: 10.5, 6: 10.5}
CELL_PADDING = 6
TABLE_GAP = 12


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: inside how many lists and quotes.

    `extra` is room on the left, in pixels, that wide list numbers need beside the indent.
    """

    lists: int = 0
    quotes: int = 0
    extra: float = 0.0


class Formats:
    """The formats for one appearance."""

    def __init__(self, appearance: Appearance) -> None:
        self._look = appearance

    @property
    def indent(self) -> int:
        """The width of one level of a list."""
        return self._look.space(INDENT)

    def room_for_numbers(self, last: int) -> float:
        """What numbers up to `last` need beyond the indent; the same for all below 100."""
        widest = f"{'8' * max(len(str(last)), 2)}."
        width = QFontMetricsF(body_font(self._look.scale)).horizontalAdvance(widest)
        return max(0.0, width + MARK_GAP - self.indent)

    def body(self, *, muted: bool = False) -> QTextCharFormat:
        palette = self._look.palette
        look = QTextCharFormat()
        look.setForeground(QColor(palette.muted if muted else palette.text))
        look.setFontPointSize(self._look.points(BODY_POINTS))
        return look

    def strong(self) -> QTextCharFormat:
        look = self.body()
        look.setFontWeight(QFont.Weight.DemiBold)
        return look

    def heading(self, level: int) -> QTextCharFormat:
        look = self.strong()
        look.setFontPointSize(self._look.points(_HEADING_POINTS[level]))
        return look

    def tiny(self) -> QTextCharFormat:
        look = self.body()
        look.setFontPointSize(1)
        return look

    def code(self) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setFont(mono_font(self._look.points(_CODE_POINTS)))
        look.setForeground(QColor(self._look.palette.text))
        return look

    def inline_code(self, outer: QTextCharFormat) -> QTextCharFormat:
        look = QTextCharFormat(outer)
        font = mono_font(self._look.points(_CODE_POINTS))
        look.setFontFamilies(font.families())
        look.setFontFixedPitch(True)
        look.setFontPointSize(font.pointSizeF())
        look.setBackground(QBrush(QColor(self._look.palette.raised)))
        return look

    def spaced(self, place: Place, bottom: float, height: int = _LINE_HEIGHT) -> QTextBlockFormat:
        block = QTextBlockFormat()
        block.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        block.setBottomMargin(bottom)
        block.setIndent(place.lists)
        block.setLeftMargin(QUOTE_STEP * place.quotes + place.extra)
        if place.quotes:
            block.setProperty(QUOTE_PROPERTY, place.quotes)
        return block

    def paragraph_block(self, place: Place) -> QTextBlockFormat:
        return self.spaced(place, _ITEM_GAP if place.lists else PARAGRAPH_GAP)

    def heading_block(self, level: int, place: Place, *, at_start: bool) -> QTextBlockFormat:
        block = self.spaced(place, 6)
        block.setTopMargin(0 if at_start else (14 if level < 3 else 10))
        block.setHeadingLevel(level)
        return block

    def code_block(self, place: Place, number: int) -> QTextBlockFormat:
        block = self.spaced(place, 0, _CODE_LINE_HEIGHT)
        block.setProperty(CODE_PROPERTY, number)
        block.setLeftMargin(block.leftMargin() + CODE_PADDING)
        block.setRightMargin(CODE_PADDING)
        return block

    def thin_block(self) -> QTextBlockFormat:
        block = QTextBlockFormat()
        block.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return block

    def table(self) -> QTextTableFormat:
        table = QTextTableFormat()
        table.setBorderCollapse(True)
        table.setBorder(1)
        table.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        table.setBorderBrush(QColor(self._look.palette.line))
        table.setCellPadding(CELL_PADDING)
        table.setCellSpacing(0)
        table.setHeaderRowCount(1)
        # What follows a table keeps no margin of its own above it.
        table.setBottomMargin(TABLE_GAP)
        table.setWidth(QTextLength())
        return table

    def link(self, target: str, outer: QTextCharFormat) -> QTextCharFormat:
        look = QTextCharFormat(outer)
        look.setAnchor(True)
        look.setAnchorHref(target)
        look.setForeground(QColor(self._look.palette.accent_text))
        look.setFontUnderline(True)
        return look


def aligned(style: str) -> QTextBlockFormat:
    """The format of a table cell, from the style that the parser gives it."""
    block = QTextBlockFormat()
    if "right" in style:
        block.setAlignment(Qt.AlignmentFlag.AlignRight)
    elif "center" in style:
        block.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    return block
