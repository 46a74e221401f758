"""The thread list as a model: one row a thread, the newest first."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ankita.engine import ThreadDeleted, ThreadSaved, ThreadSummary
from ankita.ids import ThreadId
from ankita.ui.bridge import EngineBridge

Index = QModelIndex | QPersistentModelIndex


class ThreadRole(IntEnum):
    SUMMARY = Qt.ItemDataRole.UserRole + 1


class ThreadsModel(QAbstractListModel):
    """Rows are ThreadSummary values under ThreadRole.SUMMARY; the display role is the title."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ThreadSummary] = sorted(
            bridge.state.threads.values(), key=_age, reverse=True
        )
        bridge.listen(ThreadSaved, self._saved)
        bridge.listen(ThreadDeleted, self._deleted)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        thread = self._rows[index.row()]
        if role == ThreadRole.SUMMARY:
            return thread
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return thread.title
        return None

    def row_of(self, thread_id: ThreadId) -> int:
        """The row of a thread, -1 when it has none."""
        return next((n for n, t in enumerate(self._rows) if t.id == thread_id), -1)

    def at(self, row: int) -> ThreadSummary:
        return self._rows[row]

    def _saved(self, event: ThreadSaved) -> None:
        thread = event.thread
        row = self.row_of(thread.id)
        if row >= 0 and self._rows[row].updated_at == thread.updated_at:
            self._rows[row] = thread
            index = self.index(row)
            self.dataChanged.emit(index, index)
            return
        if row >= 0:
            self._remove(row)
        place = next(
            (n for n, t in enumerate(self._rows) if _age(t) <= _age(thread)), len(self._rows)
        )
        self.beginInsertRows(QModelIndex(), place, place)
        self._rows.insert(place, thread)
        self.endInsertRows()

    def _deleted(self, event: ThreadDeleted) -> None:
        row = self.row_of(event.thread_id)
        if row >= 0:
            self._remove(row)

    def _remove(self, row: int) -> None:
        self.beginRemoveRows(QModelIndex(), row, row)
        del self._rows[row]
        self.endRemoveRows()


def _age(thread: ThreadSummary) -> str:
    return thread.updated_at
