"""What stands behind and beside the words of a reply: code panels, quote bars, list marks."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextDocument

from ankita.ui.theme import Palette
from ankita.ui.widgets.markdown_formats import (
    CODE_PADDING,
    CODE_PADDING_Y,
    CODE_PROPERTY,
    ITEM_PROPERTY,
    MARK_GAP,
    QUOTE_PROPERTY,
    QUOTE_STEP,
    RULE_PROPERTY,
)

PANEL_RADIUS = 10


class Backdrop:
    """Paints for one document. Only text blocks in view are looked at."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document

    def paint(self, painter: QPainter, first: QTextBlock, seen: QRectF, palette: Palette) -> None:
        """Paint from `first`, a text block at or above the top of `seen`, to its bottom."""
        # The padding of a panel whose last line is out of view may reach into it.
        block = first.previous() if first.previous().isValid() else first
        panel: QRectF | None = None
        panel_number = 0
        while block.isValid():
            rect = self.block_rect(block)
            if rect.top() - CODE_PADDING_Y > seen.bottom():
                break
            number = block_number(block, CODE_PROPERTY)
            if panel is not None and number != panel_number:
                _paint_panel(painter, panel, palette)
                panel = None
            if number:
                panel_number = number
                part = self._panel_part(block, rect)
                panel = part if panel is None else panel.united(part)
            self._paint_quote_or_rule(painter, block, rect, palette)
            self._paint_mark(painter, block, rect, palette)
            block = block.next()
        if panel is not None:
            _paint_panel(painter, panel, palette)

    def block_rect(self, block: QTextBlock) -> QRectF:
        return self._document.documentLayout().blockBoundingRect(block)

    def _indent(self, block: QTextBlock) -> float:
        return block.blockFormat().indent() * self._document.indentWidth()

    def _panel_part(self, block: QTextBlock, rect: QRectF) -> QRectF:
        """This line's part of its panel. It reaches into its neighbours, so that the panel's
        corners stay out of view where only its middle is painted."""
        layout = block.blockFormat()
        left = self._indent(block) + layout.leftMargin() - CODE_PADDING
        right = self._document.textWidth()
        number = block_number(block, CODE_PROPERTY)
        starts = block_number(block.previous(), CODE_PROPERTY) != number
        ends = block_number(block.next(), CODE_PROPERTY) != number
        top = rect.top() - (CODE_PADDING_Y if starts else PANEL_RADIUS)
        bottom = rect.bottom() + (CODE_PADDING_Y if ends else PANEL_RADIUS)
        return QRectF(left, top, right - left, bottom - top)

    def _paint_quote_or_rule(
        self, painter: QPainter, block: QTextBlock, rect: QRectF, palette: Palette
    ) -> None:
        line = QColor(palette.line)
        layout = block.blockFormat()
        padding = CODE_PADDING if block_number(block, CODE_PROPERTY) else 0
        quotes = block_number(block, QUOTE_PROPERTY)
        indent = self._indent(block) + layout.leftMargin() - padding - quotes * QUOTE_STEP
        if block_number(block, RULE_PROPERTY):
            width = self._document.textWidth() - indent
            painter.fillRect(QRectF(indent, rect.center().y(), width, 1), line)
        following = block_number(block.next(), QUOTE_PROPERTY)
        for depth in range(quotes):
            height = rect.height() + 2
            if following > depth:
                height = self.block_rect(block.next()).top() - rect.top()
            painter.fillRect(QRectF(indent + depth * QUOTE_STEP, rect.top(), 2, height), line)

    def _paint_mark(
        self, painter: QPainter, block: QTextBlock, rect: QRectF, palette: Palette
    ) -> None:
        mark = block.blockFormat().stringProperty(ITEM_PROPERTY)
        if not mark or not block.layout().lineCount():
            return
        line = block.layout().lineAt(0)
        painter.setFont(self._document.defaultFont())
        painter.setPen(QColor(palette.muted))
        width = painter.fontMetrics().horizontalAdvance(mark)
        left = rect.left() + line.x() - MARK_GAP - width
        painter.drawText(QPointF(left, rect.top() + line.y() + line.ascent()), mark)


def block_number(block: QTextBlock, key: int) -> int:
    """An integer property of a text block, 0 where there is none."""
    return block.blockFormat().intProperty(key) if block.isValid() else 0


def first_of_panel(block: QTextBlock) -> QTextBlock:
    """The first line of the code panel that `block` is a line of."""
    number = block_number(block, CODE_PROPERTY)
    while block_number(block.previous(), CODE_PROPERTY) == number:
        block = block.previous()
    return block


def code_of_panel(first: QTextBlock) -> str:
    """All lines of the panel that starts at `first`."""
    number = block_number(first, CODE_PROPERTY)
    lines: list[str] = []
    block = first
    while number and block.isValid() and block_number(block, CODE_PROPERTY) == number:
        lines.append(block.text())
        block = block.next()
    return "\n".join(lines)


def _paint_panel(painter: QPainter, rect: QRectF, palette: Palette) -> None:
    painter.setPen(QPen(QColor(palette.line), 1))
    painter.setBrush(QColor(palette.pane))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), PANEL_RADIUS, PANEL_RADIUS)
    painter.setBrush(Qt.BrushStyle.NoBrush)
