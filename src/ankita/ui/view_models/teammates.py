"""The teammates as a model: who there is, which face each shows now, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)

from ankita.engine import (
    Activity,
    ApprovalParked,
    ApprovalRequested,
    ApprovalSettled,
    PlanChanged,
    QueueChanged,
    TeammateChanged,
    TeammateRemoved,
    TeammateState,
    ThreadDeleted,
)
from ankita.ids import TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.view_models.mascot_mood import activity_words, flash_of, mood_now
from ankita.ui.view_models.plan_progress import PlanProgress, progress_of
from ankita.ui.widgets.mascot_pose import MascotState

Index = QModelIndex | QPersistentModelIndex

FLASH_MILLISECONDS = 4000
"""How long a face shows that something was done or failed."""


WORKING = (Activity.THINKING, Activity.READING, Activity.ACTING, Activity.ASKING)


class TeammateRole(IntEnum):
    FACE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class TeammateFace:
    """A teammate and what its face shows now. `words` say what it does.

    `plan` is that of the thread it works in now. `queued` messages wait in its threads.
    """

    teammate: TeammateState
    mood: MascotState
    words: str
    plan: PlanProgress | None = None
    queued: int = 0

    @property
    def is_busy(self) -> bool:
        return self.mood is not MascotState.IDLE

    @property
    def is_working(self) -> bool:
        """Busy, and not only showing for a moment how something ended."""
        return self.teammate.activity in WORKING or self.mood is MascotState.ASKING


class TeammatesModel(QAbstractListModel):
    """Rows are TeammateFace values under TeammateRole.FACE, in the engine's order."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._flashes: dict[TeammateId, MascotState] = {}
        self._timers: dict[TeammateId, QTimer] = {}
        self._rows: list[TeammateFace] = [self._face(t) for t in bridge.state.teammates]
        bridge.listen(TeammateChanged, self._changed)
        bridge.listen(TeammateRemoved, self._removed)
        bridge.listen(ApprovalRequested, self._refresh_all)
        bridge.listen(ApprovalSettled, self._refresh_all)
        bridge.listen(ApprovalParked, self._refresh_all)
        bridge.listen(PlanChanged, self._refresh_all)
        bridge.listen(QueueChanged, self._refresh_all)
        bridge.listen(ThreadDeleted, self._refresh_all)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        face = self._rows[index.row()]
        if role == TeammateRole.FACE:
            return face
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{face.teammate.name}, {face.words}"
        return None

    def faces(self) -> tuple[TeammateFace, ...]:
        return tuple(self._rows)

    def face_of(self, teammate_id: TeammateId) -> TeammateFace | None:
        return next((face for face in self._rows if face.teammate.id == teammate_id), None)

    def foremost(self) -> TeammateFace | None:
        """The one to show where there is room for one: who asks, else who works, else the first."""
        asking = (face for face in self._rows if face.mood is MascotState.ASKING)
        working = (face for face in self._rows if face.is_working)
        busy = (face for face in self._rows if face.is_busy)
        ranks = (asking, working, busy, iter(self._rows))
        return next((face for rank in ranks for face in rank), None)

    def thread_to_open(self, teammate_id: TeammateId) -> ThreadId | None:
        """The thread it works in, else its newest; None when it has none."""
        face = self.face_of(teammate_id)
        working = face.teammate.thread_id if face is not None and face.is_busy else None
        if working in self._bridge.state.threads:
            return working
        return self.newest_thread(teammate_id)

    def newest_thread(self, teammate_id: TeammateId) -> ThreadId | None:
        own = [t for t in self._bridge.state.threads.values() if t.teammate_id == teammate_id]
        return max(own, key=lambda thread: thread.updated_at).id if own else None

    def flash(self, teammate_id: TeammateId, mood: MascotState) -> None:
        """Show how something ended, for a moment."""
        if self.face_of(teammate_id) is None:
            return
        self._flashes[teammate_id] = mood
        timer = self._timers.get(teammate_id)
        if timer is None:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.setInterval(FLASH_MILLISECONDS)
            timer.timeout.connect(lambda: self._end_flash(teammate_id))
            self._timers[teammate_id] = timer
        timer.start()
        self._refresh_all()

    def _end_flash(self, teammate_id: TeammateId) -> None:
        self._flashes.pop(teammate_id, None)
        timer = self._timers.get(teammate_id)
        if timer is not None:
            timer.stop()
        self._refresh_all()

    def _changed(self, event: TeammateChanged) -> None:
        teammate = event.teammate
        before = self.face_of(teammate.id)
        if before is None:
            place = len(self._rows)
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.append(self._face(teammate))
            self.endInsertRows()
        mood = flash_of(teammate)
        if before is not None and not event.log_line and _does_the_same(before.teammate, teammate):
            self._refresh_all()
        elif mood is None:
            self._end_flash(teammate.id)
        else:
            self.flash(teammate.id, mood)

    def _removed(self, event: TeammateRemoved) -> None:
        self._flashes.pop(event.teammate_id, None)
        timer = self._timers.pop(event.teammate_id, None)
        if timer is not None:
            timer.stop()
            timer.deleteLater()
        for row, face in enumerate(self._rows):
            if face.teammate.id == event.teammate_id:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()
                return

    def _refresh_all(self, _event: object = None) -> None:
        known = {teammate.id: teammate for teammate in self._bridge.state.teammates}
        for row, face in enumerate(self._rows):
            changed = self._face(known.get(face.teammate.id, face.teammate))
            if changed != face:
                self._rows[row] = changed
                index = self.index(row)
                self.dataChanged.emit(index, index)

    def _face(self, teammate: TeammateState) -> TeammateFace:
        state = self._bridge.state
        asked = any(a.teammate_id == teammate.id and not a.parked_at for a in state.approvals)
        mood = mood_now(teammate, is_asked=asked, flash=self._flashes.get(teammate.id))
        words = activity_words(teammate, mood)
        return TeammateFace(teammate, mood, words, self._plan(teammate), self._queued(teammate.id))

    def _plan(self, teammate: TeammateState) -> PlanProgress | None:
        if teammate.thread_id is None or teammate.activity not in WORKING:
            return None
        return progress_of(self._bridge.state.plans.get(teammate.thread_id, ()))

    def _queued(self, teammate_id: TeammateId) -> int:
        state = self._bridge.state
        own = (thread for thread in state.threads.values() if thread.teammate_id == teammate_id)
        return sum(len(state.queued.get(thread.id, ())) for thread in own)


def _does_the_same(before: TeammateState, now: TeammateState) -> bool:
    """Only its name, look or model changed: how its work ended is no news."""
    return (before.activity, before.detail, before.thread_id) == (
        now.activity,
        now.detail,
        now.thread_id,
    )
