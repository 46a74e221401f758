"""The list of threads beside the chat: grouped by teammate, with one button for a new one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from ankita.engine import ThreadStatus, ThreadSummary
from ankita.ids import ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.thread_words import thread_line
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.threads import ThreadRole, ThreadsModel
from ankita.ui.widgets.buttons import ActButton, IconButton, Variant
from ankita.ui.widgets.chips import Tone, tone_colour
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant, Surface, SurfaceKind

LIST_WIDTH = 248
MOST_SHARE = 0.3
REFRESH_MILLISECONDS = 60_000
"""How often "now" becomes a time of day."""

Index = QModelIndex | QPersistentModelIndex


class GroupedThreads(QSortFilterProxyModel):
    """The threads in the order of the list: by teammate, each group the newest first."""

    def __init__(self, bridge: EngineBridge, threads: ThreadsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setSourceModel(threads)
        self.sort(0)

    def summary(self, index: Index) -> ThreadSummary:
        thread: ThreadSummary = index.data(ThreadRole.SUMMARY)
        return thread

    def teammate_name(self, thread: ThreadSummary) -> str:
        team = self._bridge.state.teammates
        return next((t.name for t in team if t.id == thread.teammate_id), thread.teammate_id)

    def starts_group(self, index: Index) -> bool:
        if index.row() == 0:
            return True
        before = self.summary(self.index(index.row() - 1, 0))
        return before.teammate_id != self.summary(index).teammate_id

    def index_of(self, thread_id: ThreadId | None) -> QModelIndex:
        for row in range(self.rowCount()):
            index = self.index(row, 0)
            if self.summary(index).id == thread_id:
                return index
        return QModelIndex()

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802
        one, other = self.summary(left), self.summary(right)
        if one.teammate_id == other.teammate_id:
            return left.row() < right.row()
        order = [t.id for t in self._bridge.state.teammates]
        return _place(order, one) < _place(order, other)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            thread = super().data(index, ThreadRole.SUMMARY)
            line = thread_line(thread, datetime.now().astimezone())
            return f"{visible_text(thread.title)}, {line}, {self.teammate_name(thread)}"
        return super().data(index, role)


def _place(order: list[Any], thread: ThreadSummary) -> tuple[int, str]:
    known = order.index(thread.teammate_id) if thread.teammate_id in order else len(order)
    return known, thread.teammate_id


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
            self._paint_head(painter, rect, self._threads.teammate_name(thread))
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

    def _paint_head(self, painter: QPainter, rect: QRect, name: str) -> None:
        font = _font(8.25, QFont.Weight.DemiBold)
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        painter.setFont(font)
        painter.setPen(QColor(appearance_now().palette.faint_text))
        head = QRect(rect.left() + 8, rect.top(), rect.width() - 16, self._head_height())
        shown = QFontMetrics(font).elidedText(
            visible_text(name), Qt.TextElideMode.ElideRight, head.width()
        )
        painter.drawText(head, int(Qt.AlignmentFlag.AlignVCenter), shown)

    def _row_height(self) -> int:
        look = appearance_now()
        title = QFontMetrics(_font(10.5)).height()
        return title + QFontMetrics(_font(9.0)).height() + 2 * look.space(7) + 5

    def _head_height(self) -> int:
        return QFontMetrics(_font(8.25)).height() + appearance_now().space(14)


class ThreadView(QListView):
    """A list that says when a thread should be deleted, and opens it by Enter or a click."""

    delete_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Threads")
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # The row in focus is drawn by the delegate; a frame around all would repeat it.
        self.setStyleSheet("QListView:focus { border: 0; }")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


class ThreadList(Surface):
    """Emits what the user wants; the window decides what to show."""

    opened = Signal(str)
    new_wanted = Signal()
    delete_confirmed = Signal(str)

    def __init__(
        self,
        bridge: EngineBridge,
        threads: ThreadsModel,
        *,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(SurfaceKind.PANE, parent)
        self._model = GroupedThreads(bridge, threads, self)
        self._shown: ThreadId | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(4)
        column.addWidget(self._head())
        self.view = ThreadView()
        self.view.setModel(self._model)
        self.view.setItemDelegate(ThreadDelegate(self._model, self.view, now))
        self.view.clicked.connect(self._open)
        self.view.activated.connect(self._open)
        self.view.delete_wanted.connect(self._ask_about_current)
        self.view.customContextMenuRequested.connect(self._show_menu)
        column.addWidget(self.view, 1)
        self._confirm: DeleteConfirm | None = None
        self._column = column
        self._model.rowsInserted.connect(self._keep_shown)
        self._model.rowsRemoved.connect(self._keep_shown)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.view.viewport().update)
        self._room = 0
        self._set_width()

    def show_thread(self, thread_id: ThreadId | None) -> None:
        """Mark the thread that the chat shows."""
        self._shown = thread_id
        self._keep_shown()

    def _head(self) -> QWidget:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(SectionHead("Threads"))
        row.addStretch(1)
        self.new_button = IconButton(Icon.PLUS, "New thread", size=28, icon_size=18)
        self.new_button.setToolTip("New thread (Ctrl+N)")
        self.new_button.clicked.connect(self.new_wanted)
        row.addWidget(self.new_button)
        return head

    def _open(self, index: Index) -> None:
        if index.isValid():
            self.opened.emit(self._model.summary(index).id)

    def _keep_shown(self) -> None:
        index = self._model.index_of(self._shown)
        if index.isValid():
            self.view.setCurrentIndex(index)
        else:
            self.view.clearSelection()

    def _show_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        if not index.isValid():
            return
        thread = self._model.summary(index)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open").triggered.connect(lambda: self.opened.emit(thread.id))
        menu.addAction("Delete…").triggered.connect(lambda: self._ask_about(thread))
        menu.popup(self.view.viewport().mapToGlobal(at))

    def _ask_about_current(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self._ask_about(self._model.summary(index))

    def _ask_about(self, thread: ThreadSummary) -> None:
        self.close_confirm()
        confirm = DeleteConfirm(thread)
        confirm.answered.connect(self._confirmed)
        self._confirm = confirm
        self._column.addWidget(confirm)
        confirm.keep.setFocus()

    def close_confirm(self) -> bool:
        """Take the question away; True when there was one."""
        confirm, self._confirm = self._confirm, None
        if confirm is None:
            return False
        confirm.hide()
        confirm.deleteLater()
        self.view.setFocus()
        return True

    def _confirmed(self, thread_id: str) -> None:
        self.close_confirm()
        if thread_id:
            self.delete_confirmed.emit(thread_id)

    def set_room(self, width: int) -> None:
        """The width of all that it shares with the chat; with large text it takes its share."""
        self._room = width
        self._set_width()

    def _set_width(self) -> None:
        most = round(self._room * MOST_SHARE)
        self.setFixedWidth(min(appearance_now().space(LIST_WIDTH), max(most, LIST_WIDTH)))

    def showEvent(self, event: Any) -> None:  # noqa: N802
        super().showEvent(event)
        self._timer.start(REFRESH_MILLISECONDS)

    def hideEvent(self, event: Any) -> None:  # noqa: N802
        super().hideEvent(event)
        self._timer.stop()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_room"):
            self._set_width()
            self.view.scheduleDelayedItemsLayout()


class DeleteConfirm(Card):
    """The question before a thread is deleted, in the window and not over it."""

    answered = Signal(str)
    """The thread's id for yes, empty for no."""

    def __init__(self, thread: ThreadSummary) -> None:
        title = " ".join(visible_text(thread.title).split()) or "New thread"
        super().__init__(f"Delete {title}?", CardVariant.LOWERS, padding=12)
        shown = title if len(title) <= 60 else f"{title[:59]}…"
        self.column.addWidget(PlainLabel(f"Delete “{shown}” with all its messages?"))
        self.delete = ActButton("Delete", Variant.DANGER, small=True)
        self.keep = ActButton("Keep", small=True)
        self.delete.clicked.connect(lambda: self.answered.emit(thread.id))
        self.keep.clicked.connect(lambda: self.answered.emit(""))
        row = QHBoxLayout()
        row.addWidget(self.keep)
        row.addWidget(self.delete)
        row.addStretch(1)
        self.column.addLayout(row)


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
