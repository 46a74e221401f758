"""The threads in the order of the list: by teammate, each group the newest first."""

from __future__ import annotations

from collections.abc import Sequence
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
from ankita.ids import TeammateId, ThreadId
from ankita.ui.main_window.thread_words import thread_line
from ankita.ui.view_models.teammates import TeammateFace, TeammatesModel
from ankita.ui.view_models.threads import ThreadRole, ThreadsModel
from ankita.ui.widgets.plain_label import visible_text

Index = QModelIndex | QPersistentModelIndex


class GroupedThreads(QSortFilterProxyModel):
    """Groups begin with their teammate's name where there is more than one teammate."""

    def __init__(
        self,
        threads: ThreadsModel,
        teammates: TeammatesModel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._teammates = teammates
        self.setSourceModel(threads)
        self.sort(0)
        for signal in (teammates.rowsInserted, teammates.rowsRemoved):
            signal.connect(self.invalidate)

    def summary(self, index: Index) -> ThreadSummary:
        thread: ThreadSummary = index.data(ThreadRole.SUMMARY)
        return thread

    def teammate_name(self, thread: ThreadSummary) -> str:
        face = self.face(thread)
        return "A former teammate" if face is None else face.teammate.name

    def face(self, thread: ThreadSummary) -> TeammateFace | None:
        """Its teammate, as it looks now."""
        return self._teammates.face_of(thread.teammate_id)

    @property
    def has_groups(self) -> bool:
        return self._teammates.rowCount() > 1

    def starts_group(self, index: Index) -> bool:
        if not self.has_groups:
            return False
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
        order = [face.teammate.id for face in self._teammates.faces()]
        return _place(order, one) < _place(order, other)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            thread = super().data(index, ThreadRole.SUMMARY)
            line = thread_line(thread, datetime.now().astimezone())
            title = visible_text(thread.title) or "New thread"
            who = visible_text(self.teammate_name(thread)) if self.has_groups else ""
            return ", ".join(part for part in (title, line, who) if part)
        return super().data(index, role)


def _place(order: Sequence[TeammateId], thread: ThreadSummary) -> tuple[int, str]:
    known = order.index(thread.teammate_id) if thread.teammate_id in order else len(order)
    return known, thread.teammate_id
