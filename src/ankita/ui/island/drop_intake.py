"""Files on their way from a drop into a teammate's thread, one after another."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ankita.engine import (
    AttachFile,
    AttachmentChanged,
    AttachmentRemoved,
    AttachmentState,
    AttachmentStatus,
    CreateThread,
    SendMessage,
)
from ankita.ids import AttachmentId, TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.replies import Replies
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.widgets.mascot_pose import MascotState

ASK_ONE, ASK_MANY = "What does it say?", "What do they say?"


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be taken, and why; `name` is empty when it was no file's fault."""

    name: str
    reason: str


class DropIntake(QObject):
    """Takes dropped files and remembers what came of the newest drop.

    The files of one drop go to one thread: the teammate's newest, or a new one.
    """

    changed = Signal()
    """What came of the drop is different now."""

    def __init__(
        self, bridge: EngineBridge, teammates: TeammatesModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.thread_id: ThreadId | None = None
        self.ready: tuple[AttachmentState, ...] = ()
        self.failed: tuple[FailedFile, ...] = ()
        self._bridge = bridge
        self._teammates = teammates
        self._replies = Replies(bridge, self)
        self._waiting: deque[tuple[TeammateId, str]] = deque()
        self._now: tuple[TeammateId, str] | None = None
        self._reading: AttachmentId | None = None
        bridge.listen(AttachmentChanged, lambda event: self._changed(event.attachment))
        bridge.listen(AttachmentRemoved, lambda event: self._removed(event.attachment_id))

    @property
    def is_busy(self) -> bool:
        return self._now is not None

    @property
    def question(self) -> str:
        """What can be asked about the files that were read."""
        return ASK_ONE if len(self.ready) == 1 else ASK_MANY

    def take(self, teammate_id: TeammateId, paths: list[str]) -> None:
        """Attach files to the teammate's thread; what is on show from before goes away."""
        if not self.is_busy:
            self.clear()
        self._waiting.extend((teammate_id, path) for path in paths)
        self._take_next()

    def ask(self) -> None:
        """Send the files with the question."""
        if self.thread_id is None:
            return
        command = SendMessage(self.thread_id, self.question)
        self._replies.ask(command, lambda _turn: self.clear(), self._not_sent)

    def clear(self) -> None:
        """Forget what came of the drop; the files stay in the thread's composer."""
        self.ready, self.failed = (), ()
        self.changed.emit()

    def _take_next(self) -> None:
        if self._now is not None or not self._waiting:
            return
        self._now = self._waiting.popleft()
        teammate_id, _ = self._now
        newest = self._teammates.newest_thread(teammate_id)
        if newest is None:
            self._replies.ask(CreateThread(teammate_id), self._attach, self._refused)
        else:
            self._attach(newest)

    def _attach(self, thread_id: ThreadId) -> None:
        if self._now is None:
            return
        if thread_id != self.thread_id:
            self.thread_id = thread_id
            self.ready = ()
        command = AttachFile(thread_id, self._now[1])
        self._replies.ask(command, self._accepted, self._refused)

    def _accepted(self, attachment_id: AttachmentId) -> None:
        self._reading = attachment_id
        held = self._bridge.state.attachments.get(self.thread_id or ThreadId(""), ())
        # A small file may have been read before its id came back.
        for attachment in held:
            self._changed(attachment)

    def _changed(self, attachment: AttachmentState) -> None:
        if attachment.id != self._reading or attachment.status is AttachmentStatus.READING:
            return
        if attachment.status is AttachmentStatus.READY:
            self.ready = (*self.ready, attachment)
        else:
            self._note_failure(attachment.name, attachment.reason)
        self._end_one()

    def _removed(self, attachment_id: AttachmentId) -> None:
        if attachment_id == self._reading:
            self._end_one()
            return
        left = tuple(each for each in self.ready if each.id != attachment_id)
        if left != self.ready:
            self.ready = left
            self.changed.emit()

    def _refused(self, reason: str) -> None:
        if self._now is None:
            return
        teammate_id, path = self._now
        self._note_failure(Path(path).name, reason)
        self._teammates.flash(teammate_id, MascotState.FAILED)
        self._end_one()

    def _not_sent(self, reason: str) -> None:
        self._note_failure("", reason)
        self.changed.emit()

    def _note_failure(self, name: str, reason: str) -> None:
        self.failed = (*self.failed, FailedFile(name, reason or "It could not be read."))

    def _end_one(self) -> None:
        self._now = None
        self._reading = None
        self.changed.emit()
        self._take_next()
