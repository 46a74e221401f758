"""The questions that wait, as one model over the registry; any number of views share it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from ankita.engine import (
    Answer,
    ApprovalParked,
    ApprovalRequested,
    ApprovalSettled,
    DecideApproval,
    PendingApproval,
)
from ankita.ids import RequestId
from ankita.ui.bridge import EngineBridge

Index = QModelIndex | QPersistentModelIndex


class ApprovalRole(IntEnum):
    APPROVAL = Qt.ItemDataRole.UserRole + 1


class ApprovalsModel(QAbstractListModel):
    """Rows are PendingApproval values under ApprovalRole.APPROVAL, the oldest first.

    What was put off stays a row; its value changes.
    """

    settled = Signal(str, str, str)
    """A request was answered: its id, "yes", "no" or "withdrawn", and where or why."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._rows: list[PendingApproval] = list(bridge.state.approvals)
        bridge.listen(ApprovalRequested, self._requested)
        bridge.listen(ApprovalParked, self._parked)
        bridge.listen(ApprovalSettled, self._settled)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        approval = self._rows[index.row()]
        if role == ApprovalRole.APPROVAL:
            return approval
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return approval.act.title()
        return None

    def all(self) -> tuple[PendingApproval, ...]:
        return tuple(self._rows)

    def waiting(self) -> tuple[PendingApproval, ...]:
        """What a turn waits for; the rest was put off and waits for nobody."""
        return tuple(row for row in self._rows if not row.parked_at)

    def put_off(self) -> tuple[PendingApproval, ...]:
        """What the user said "not now" to, the oldest request first."""
        return tuple(row for row in self._rows if row.parked_at)

    def answer(
        self, request_id: RequestId, answer: Answer, surface: str, days: int | None = None
    ) -> None:
        """Answer a request; `surface` is "window" or "island". A refusal is told by the bridge.

        `days` ends a lasting yes; None lets it last.
        """
        self._bridge.do(DecideApproval(request_id, answer, surface, days))

    def _requested(self, event: ApprovalRequested) -> None:
        place = len(self._rows)
        self.beginInsertRows(QModelIndex(), place, place)
        self._rows.append(event.approval)
        self.endInsertRows()

    def _parked(self, event: ApprovalParked) -> None:
        for row, approval in enumerate(self._rows):
            if approval.id == event.approval.id:
                self._rows[row] = event.approval
                self.dataChanged.emit(self.index(row), self.index(row))
                return

    def _settled(self, event: ApprovalSettled) -> None:
        for row, approval in enumerate(self._rows):
            if approval.id == event.request_id:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()
                self.settled.emit(event.request_id, event.answer, event.answered_by)
                return
