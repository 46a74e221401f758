"""The files on their way into one teammate's threads, one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ankita.engine import (
    AttachFile,
    AttachmentState,
    AttachmentStatus,
    CreateThread,
)
from ankita.ids import AttachmentId, TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.replies import Replies
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.widgets.mascot_pose import MascotState


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be taken, and why; `name` is empty when it was no file's fault."""

    name: str
    reason: str


@dataclass(slots=True)
class _Drop:
    """What was let go of at once. All of it goes to the same thread."""

    paths: deque[str]
    thread_id: ThreadId | None = field(default=None)


class DropLane:
    """Takes files for one teammate and remembers what came of the newest drop.

    Its thread is settled when a drop's first file is read; a thread that becomes newer
    meanwhile gets none of them.
    """

    def __init__(
        self,
        teammate_id: TeammateId,
        bridge: EngineBridge,
        teammates: TeammatesModel,
        replies: Replies,
        changed: Callable[[], None],
    ) -> None:
        self.teammate_id = teammate_id
        self.thread_id: ThreadId | None = None
        self.ready: tuple[AttachmentState, ...] = ()
        self.failed: tuple[FailedFile, ...] = ()
        self.is_asking = False
        """The question about the files is on its way."""
        self._bridge = bridge
        self._teammates = teammates
        self._replies = replies
        self._tell = changed
        self._waiting: deque[_Drop] = deque()
        self._path: str | None = None
        self._reading: AttachmentId | None = None

    @property
    def is_busy(self) -> bool:
        return self._path is not None

    @property
    def has_result(self) -> bool:
        return bool(self.ready or self.failed)

    def take(self, paths: Sequence[str]) -> None:
        """Attach files; what is on show from before goes away."""
        if not self.is_busy:
            self.forget()
        if paths:
            self._waiting.append(_Drop(deque(paths)))
        self._take_next()

    def forget(self) -> None:
        """Forget what came of it; the files stay in the thread's composer."""
        self.ready, self.failed = (), ()

    def note_failure(self, name: str, reason: str) -> None:
        self.failed = (*self.failed, FailedFile(name, reason or "It could not be read."))

    def attachment_changed(self, attachment: AttachmentState) -> None:
        if attachment.id != self._reading or attachment.status is AttachmentStatus.READING:
            return
        if attachment.status is AttachmentStatus.READY:
            self.ready = (*self.ready, attachment)
        else:
            self.note_failure(attachment.name, attachment.reason)
        self._end_one()

    def attachment_removed(self, attachment_id: AttachmentId) -> None:
        if attachment_id == self._reading:
            self._end_one()
            return
        left = tuple(each for each in self.ready if each.id != attachment_id)
        if left != self.ready:
            self.ready = left
            self._tell()

    def thread_deleted(self, thread_id: ThreadId) -> None:
        """What it held is gone; a later file of the same drop starts a thread again."""
        for drop in self._waiting:
            if drop.thread_id == thread_id:
                drop.thread_id = None
        if thread_id == self.thread_id:
            self.thread_id = None
            self.ready = ()
            if self._reading is not None:
                self._end_one()
            else:
                self._tell()

    def _take_next(self) -> None:
        if self.is_busy or not self._waiting:
            return
        drop = self._waiting[0]
        self._path = drop.paths.popleft()
        drop.thread_id = drop.thread_id or self._teammates.newest_thread(self.teammate_id)
        if drop.thread_id is None:
            self._replies.ask(CreateThread(self.teammate_id), self._created, self._refused)
        else:
            self._attach(drop.thread_id)

    def _created(self, thread_id: ThreadId) -> None:
        if self.is_busy:
            self._waiting[0].thread_id = thread_id
            self._attach(thread_id)

    def _attach(self, thread_id: ThreadId) -> None:
        if thread_id != self.thread_id:
            self.thread_id = thread_id
            self.ready = ()
        self._replies.ask(AttachFile(thread_id, self._path or ""), self._accepted, self._refused)

    def _accepted(self, attachment_id: AttachmentId) -> None:
        if not self.is_busy:
            return
        self._reading = attachment_id
        held = self._bridge.state.attachments.get(self.thread_id or ThreadId(""), ())
        # A small file may have been read before its id came back.
        for attachment in held:
            self.attachment_changed(attachment)

    def _refused(self, reason: str) -> None:
        if self._path is None:
            return
        self.note_failure(Path(self._path).name, reason)
        self._teammates.flash(self.teammate_id, MascotState.FAILED)
        self._end_one()

    def _end_one(self) -> None:
        self._path = None
        self._reading = None
        if self._waiting and not self._waiting[0].paths:
            self._waiting.popleft()
        self._tell()
        self._take_next()
