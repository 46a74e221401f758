"""The threads in the order of the list: by teammate, each group the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from ankita.engine import ThreadSummary
from ankita.ids import ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.thread_words import thread_line
from ankita.ui.view_models.threads import ThreadRole, ThreadsModel
from ankita.ui.widgets.plain_label import visible_text

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
