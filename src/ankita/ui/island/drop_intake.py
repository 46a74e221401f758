"""Files dropped on teammates: each one's stay apart, and one result is shown at a time."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ankita.engine import (
    AttachmentChanged,
    AttachmentRemoved,
    AttachmentState,
    SendMessage,
    TeammateRemoved,
    ThreadDeleted,
)
from ankita.ids import TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.island.drop_lane import DropLane, FailedFile
from ankita.ui.replies import Replies
from ankita.ui.view_models.teammates import TeammatesModel

__all__ = ["DropIntake", "FailedFile"]

ASK_ONE, ASK_MANY = "What does it say?", "What do they say?"


class DropIntake(QObject):
    """Takes dropped files; a teammate's files wait for nobody else's.

    What came of a drop is shown for the teammate that was given files last; putting
    that away shows what there is for another.
    """

    changed = Signal()
    """What came of the drops is different now."""

    def __init__(
        self, bridge: EngineBridge, teammates: TeammatesModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._teammates = teammates
        self._replies = Replies(bridge, self)
        # The lane that was given files last stands last.
        self._lanes: dict[TeammateId, DropLane] = {}
        bridge.listen(AttachmentChanged, self._attachment_changed)
        bridge.listen(AttachmentRemoved, self._attachment_removed)
        bridge.listen(ThreadDeleted, self._thread_deleted)
        bridge.listen(TeammateRemoved, self._teammate_removed)

    @property
    def is_busy(self) -> bool:
        return any(lane.is_busy for lane in self._lanes.values())

    @property
    def teammate_id(self) -> TeammateId | None:
        """Whose files the result is about."""
        lane = self._front()
        return None if lane is None else lane.teammate_id

    @property
    def thread_id(self) -> ThreadId | None:
        lane = self._front()
        return None if lane is None else lane.thread_id

    @property
    def ready(self) -> tuple[AttachmentState, ...]:
        lane = self._front()
        return () if lane is None else lane.ready

    @property
    def failed(self) -> tuple[FailedFile, ...]:
        lane = self._front()
        return () if lane is None else lane.failed

    @property
    def question(self) -> str:
        """What can be asked about the files that were read."""
        return ASK_ONE if len(self.ready) == 1 else ASK_MANY

    def take(self, teammate_id: TeammateId, paths: list[str]) -> None:
        """Attach files to the teammate's newest thread, or to a new one."""
        lane = self._lanes.pop(teammate_id, None) or DropLane(
            teammate_id, self._bridge, self._teammates, self._replies, self.changed.emit
        )
        self._lanes[teammate_id] = lane
        lane.take(paths)
        self.changed.emit()

    def ask(self) -> None:
        """Send the files on show with the question."""
        lane = self._front()
        if lane is None or lane.thread_id is None or lane.is_asking:
            return
        lane.is_asking = True
        self._replies.ask(
            SendMessage(lane.thread_id, self.question),
            lambda _turn: self._asked(lane),
            lambda reason: self._not_sent(lane, reason),
        )

    def clear(self) -> None:
        """Put away the result on show; the files stay in the thread's composer."""
        lane = self._front()
        if lane is not None:
            self._forget(lane)

    def _front(self) -> DropLane | None:
        lanes = reversed(self._lanes.values())
        return next((lane for lane in lanes if lane.has_result), None)

    def _forget(self, lane: DropLane) -> None:
        lane.forget()
        self.changed.emit()

    def _asked(self, lane: DropLane) -> None:
        lane.is_asking = False
        self._forget(lane)

    def _not_sent(self, lane: DropLane, reason: str) -> None:
        lane.is_asking = False
        lane.note_failure("", reason)
        self.changed.emit()

    def _attachment_changed(self, event: AttachmentChanged) -> None:
        for lane in tuple(self._lanes.values()):
            lane.attachment_changed(event.attachment)

    def _attachment_removed(self, event: AttachmentRemoved) -> None:
        for lane in tuple(self._lanes.values()):
            lane.attachment_removed(event.attachment_id)

    def _thread_deleted(self, event: ThreadDeleted) -> None:
        for lane in tuple(self._lanes.values()):
            lane.thread_deleted(event.thread_id)

    def _teammate_removed(self, event: TeammateRemoved) -> None:
        if self._lanes.pop(event.teammate_id, None) is not None:
            self.changed.emit()
