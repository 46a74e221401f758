"""The record of decisions as a model, the newest first."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ankita.engine import DecisionRecorded, DecisionState, GateLoaded
from ankita.ui.bridge import EngineBridge

Index = QModelIndex | QPersistentModelIndex


class DecisionRole(IntEnum):
    DECISION = Qt.ItemDataRole.UserRole + 1


class DecisionsModel(QAbstractListModel):
    """Rows are DecisionState values under DecisionRole.DECISION."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._rows: list[DecisionState] = list(reversed(bridge.state.gate.record))
        bridge.listen(GateLoaded, self._loaded)
        bridge.listen(DecisionRecorded, self._recorded)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        decision = self._rows[index.row()]
        if role == DecisionRole.DECISION:
            return decision
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{decision.title} {decision.target}, {decision.outcome}, {decision.reason}"
        return None

    def _loaded(self, event: GateLoaded) -> None:
        self.beginResetModel()
        self._rows = list(reversed(event.gate.record))
        self.endResetModel()

    def _recorded(self, event: DecisionRecorded) -> None:
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._rows.insert(0, event.decision)
        self.endInsertRows()
        kept = len(self._bridge.state.gate.record)
        if len(self._rows) > kept:
            self.beginRemoveRows(QModelIndex(), kept, len(self._rows) - 1)
            del self._rows[kept:]
            self.endRemoveRows()
