"""Draws one row of the thread list."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ankita.engine import ThreadStatus, ThreadSummary
from ankita.ui.main_window.grouped_threads import GroupedThreads, Index
from ankita.ui.main_window.thread_words import thread_line
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.widgets.chips import Tone, tone_colour
from ankita.ui.widgets.mascot_paint import paint_mascot
from ankita.ui.widgets.plain_label import visible_text


class ThreadDelegate(QStyledItemDelegate):
    """Draws a thread, under its teammate's name where a group starts."""

    def __init__(
        self, threads: GroupedThreads, parent: QObject, now: Callable[[], datetime]
    ) -> None:
        super().__init__(parent)
        self._threads = threads
        self._now = now

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        del option
        height = self._row_height()
        if self._threads.starts_group(index):
            height += self._head_height()
        return QSize(100, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = appearance_now()
        palette = look.palette
        thread = self._threads.summary(index)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._threads.starts_group(index):
            self._paint_head(painter, rect, thread)
            rect.setTop(rect.top() + self._head_height())
        rect.adjust(0, 1, 0, -1)
        state = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.raised if chosen else palette.card))
            painter.drawRoundedRect(rect, 9, 9)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 9, 9)
        self._paint_words(painter, rect.adjusted(10, look.space(7), -10, -look.space(7)), thread)
        painter.restore()

    def _paint_words(self, painter: QPainter, rect: QRect, thread: ThreadSummary) -> None:
        look = appearance_now()
        title = " ".join(visible_text(thread.title).split()) or "New thread"
        font = _font(10.5, QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(QColor(look.palette.text))
        elide = Qt.TextElideMode.ElideRight
        top = QRect(rect.left(), rect.top(), rect.width(), metrics.height())
        painter.drawText(top, 0, metrics.elidedText(title, elide, rect.width()))
        small = _font(9.0)
        metrics = QFontMetrics(small)
        painter.setFont(small)
        line = QRect(rect.left(), top.bottom() + 3, rect.width(), metrics.height())
        tone = _tone(thread.status)
        if tone is not None:
            side = round(7 * look.scale)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tone_colour(tone, look.palette))
            dot = QRect(line.left(), 0, side, side)
            dot.moveTop(line.center().y() - side // 2)
            painter.drawEllipse(dot)
            line.setLeft(line.left() + side + 5)
        painter.setPen(QColor(look.palette.muted))
        words = " ".join(visible_text(thread_line(thread, self._now())).split())
        painter.drawText(line, 0, metrics.elidedText(words, elide, line.width()))

    def _paint_head(self, painter: QPainter, rect: QRect, thread: ThreadSummary) -> None:
        font = _font(8.25, QFont.Weight.DemiBold)
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        head = QRect(rect.left() + 8, rect.top(), rect.width() - 16, self._head_height())
        face = self._threads.face(thread)
        if face is not None:
            side = _mascot_side()
            place = QRect(head.left(), 0, side, side)
            place.moveTop(head.center().y() - side // 2)
            paint_mascot(painter, QRectF(place), look_of(face.teammate), face.mood)
            head.setLeft(place.right() + 7)
        painter.setFont(font)
        painter.setPen(QColor(appearance_now().palette.faint_text))
        name = visible_text(self._threads.teammate_name(thread))
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, head.width())
        # On the left beside its mascot, whichever way the name itself is written.
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(head, int(Qt.AlignmentFlag.AlignVCenter | left), shown)

    def _row_height(self) -> int:
        look = appearance_now()
        title = QFontMetrics(_font(10.5)).height()
        return title + QFontMetrics(_font(9.0)).height() + 2 * look.space(7) + 5

    def _head_height(self) -> int:
        return max(QFontMetrics(_font(8.25)).height(), _mascot_side()) + appearance_now().space(14)


def _mascot_side() -> int:
    return appearance_now().space(20)


def _tone(status: ThreadStatus) -> Tone | None:
    return {
        ThreadStatus.WORKING: Tone.GOOD,
        ThreadStatus.ASKING: Tone.ASK,
        ThreadStatus.FAILED: Tone.BAD,
    }.get(status)


def _font(points: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(appearance_now().points(points))
    font.setWeight(weight)
    return font
