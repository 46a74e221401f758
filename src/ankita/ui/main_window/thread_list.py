"""The list of threads beside the chat: grouped by teammate, with one button for a new one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QMenu, QVBoxLayout, QWidget

from ankita.engine import ThreadSummary
from ankita.ids import ThreadId
from ankita.ui.main_window.grouped_threads import GroupedThreads, Index
from ankita.ui.main_window.measures import list_width
from ankita.ui.main_window.teammate_menu import TeammateMenu
from ankita.ui.main_window.thread_delegate import ThreadDelegate
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.view_models.threads import ThreadsModel
from ankita.ui.widgets.buttons import ActButton, IconButton, Variant
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant, Surface, SurfaceKind

REFRESH_MILLISECONDS = 60_000
"""How often "now" becomes a time of day."""


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
    new_wanted = Signal(str)
    """Carries the id of the teammate it shall be with; empty for whom the chat is with now."""
    delete_confirmed = Signal(str)

    def __init__(
        self,
        threads: ThreadsModel,
        teammates: TeammatesModel,
        *,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(SurfaceKind.PANE, parent)
        self._model = GroupedThreads(threads, teammates, self)
        self._teammates = teammates
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
        teammates.dataChanged.connect(self.view.viewport().update)
        for signal in (teammates.rowsInserted, teammates.rowsRemoved):
            signal.connect(self._team_changed)
        self._team_changed()
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
        self.new_button.clicked.connect(self.ask_with_whom)
        row.addWidget(self.new_button)
        return head

    def ask_with_whom(self) -> None:
        """Begin a new thread; with several teammates a menu asks with which."""
        if not self._model.has_groups:
            self.new_wanted.emit("")
            return
        menu = TeammateMenu(self._teammates.faces(), self)
        menu.chosen.connect(self.new_wanted)
        menu.popup(self.new_button.mapToGlobal(self.new_button.rect().bottomLeft()))

    def _team_changed(self) -> None:
        several = self._model.has_groups
        self.new_button.setToolTip(
            "New thread with… (Ctrl+Shift+N)" if several else "New thread (Ctrl+N)"
        )
        self.view.scheduleDelayedItemsLayout()
        self._keep_shown()

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
        if self._model.has_groups:
            who = visible_text(self._model.teammate_name(thread)).replace("&", "&&")
            menu.addAction(f"New thread with {who}").triggered.connect(
                lambda: self.new_wanted.emit(thread.teammate_id)
            )
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
        self.setFixedWidth(list_width(appearance_now(), self._room))

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
