"""The record of decisions as a list: what, when, who, and by which rule."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ankita.engine import DecisionState, RiskTier
from ankita.ui.main_window.thread_words import time_of_day
from ankita.ui.theme import Palette, appearance_now
from ankita.ui.view_models.decisions import DecisionRole, DecisionsModel
from ankita.ui.widgets.plain_label import visible_text

Index = QModelIndex | QPersistentModelIndex
NameOf = Callable[[str], str]

_RULES = {
    "heuristic": "heuristic",
    "tool_rule": "tool rule",
    "app_rule": "app rule",
    "app_default": "app default",
    "blocklist": "blocklist",
    "gate_closed": "gate closed",
    "bad_arguments": "arguments",
    "text_changed": "tool changed",
}
_SURFACES = ("window", "island", "terminal")


def decision_tag(decision: DecisionState) -> str:
    """A word or two: auto, once, asked, put off or denied."""
    match decision.outcome:
        case "allowed":
            return "once" if decision.tier == RiskTier.ASK_ONCE else "auto"
        case "denied":
            return "denied"
        case "parked":
            return "put off"
        case _:
            return "asked"


def decision_words(decision: DecisionState) -> str:
    """Such as "allowed · heuristic: it only reads" or "you said no on the island · nothing ran"."""
    reason = decision.reason.removeprefix("allowed: ")
    rule = f"{_RULES.get(decision.rule, decision.rule)}: {reason}"
    match decision.outcome:
        case "allowed" if decision.tier == RiskTier.ASK_ONCE:
            return f"allowed until Ankita closes · {rule}"
        case "allowed":
            return f"allowed · {rule}"
        case "denied":
            return f"denied · {decision.reason}"
        case "asked":
            return f"you said yes on the {decision.answered_by} · {rule}"
        case "parked":
            return f"you put it off on the {decision.answered_by} · nothing ran"
        case _ if decision.answered_by in _SURFACES:
            return f"you said no on the {decision.answered_by} · nothing ran"
        case _:
            return f"not answered: {decision.answered_by} · nothing ran"


def _tag_colour(tag: str, palette: Palette) -> str:
    return {
        "auto": palette.accent_text,
        "once": palette.info_text,
        "asked": palette.ask_text,
        "put off": palette.muted,
        "denied": palette.danger_text,
    }[tag]


class DecisionDelegate(QStyledItemDelegate):
    """Draws one decision in two lines and its tag."""

    def __init__(self, name_of: NameOf, parent: QObject) -> None:
        super().__init__(parent)
        self._name_of = name_of

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        del option, index
        look = appearance_now()
        height = QFontMetrics(_font(10.5)).height() + QFontMetrics(_font(9.0)).height()
        return QSize(100, height + 2 * look.space(10) + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        decision: DecisionState = index.data(DecisionRole.DECISION)
        palette = appearance_now().palette
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(palette.card))
        if index.row() > 0:
            painter.setPen(QColor(palette.line))
            painter.drawLine(rect.topLeft(), rect.topRight())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 9, 9)
        inner = rect.adjusted(16, appearance_now().space(10), -16, -appearance_now().space(10))
        tag_width = self._paint_tag(painter, inner, decision_tag(decision))
        self._paint_words(painter, inner.adjusted(0, 0, -tag_width - 12, 0), decision)
        painter.restore()

    def _paint_tag(self, painter: QPainter, rect: QRect, tag: str) -> int:
        palette = appearance_now().palette
        font = _font(8.25)
        metrics = QFontMetrics(font)
        width = metrics.horizontalAdvance(tag) + 16
        box = QRect(0, 0, width, metrics.height() + 6)
        box.moveCenter(rect.center())
        box.moveRight(rect.right())
        painter.setFont(font)
        painter.setPen(QColor(palette.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(QColor(_tag_colour(tag, palette)))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), tag)
        return width

    def _paint_words(self, painter: QPainter, rect: QRect, decision: DecisionState) -> None:
        palette = appearance_now().palette
        big, small = _font(10.5), _font(9.0)
        when = f"{time_of_day(decision.at)} · {self._name_of(decision.teammate_id)}"
        when = _line(when)
        when_width = QFontMetrics(small).horizontalAdvance(when) + 2
        room = max(rect.width() - when_width - 8, rect.width() // 3)
        metrics = QFontMetrics(big)
        title = _line(f"{decision.title} {decision.target}")
        title = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
        top = QRect(rect.left(), rect.top(), rect.width(), metrics.height())
        painter.setFont(big)
        painter.setPen(QColor(palette.text))
        painter.drawText(top, int(Qt.AlignmentFlag.AlignVCenter), title)
        painter.setFont(small)
        painter.setPen(QColor(palette.muted))
        after = top.adjusted(metrics.horizontalAdvance(title) + 8, 0, 0, 0)
        left = QFontMetrics(small).elidedText(when, Qt.TextElideMode.ElideRight, after.width())
        painter.drawText(after, int(Qt.AlignmentFlag.AlignVCenter), left)
        below = QRect(rect.left(), top.bottom() + 3, rect.width(), QFontMetrics(small).height())
        words = QFontMetrics(small).elidedText(
            _line(decision_words(decision)), Qt.TextElideMode.ElideRight, below.width()
        )
        painter.drawText(below, 0, words)


class RecordList(QListView):
    """The newest decisions; Enter or a double click opens the thread they belong to."""

    thread_wanted = Signal(str)

    def __init__(
        self, model: DecisionsModel, name_of: NameOf, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Record of decisions")
        self.setModel(model)
        self.setItemDelegate(DecisionDelegate(name_of, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setStyleSheet("QListView:focus { border: 0; }")
        self.activated.connect(self._open)

    def _open(self, index: Index) -> None:
        decision: DecisionState | None = index.data(DecisionRole.DECISION)
        if decision is not None:
            self.thread_wanted.emit(decision.thread_id)


def _line(text: str) -> str:
    return " ".join(visible_text(text[:400]).split())


def _font(points: float) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(appearance_now().points(points))
    return font
