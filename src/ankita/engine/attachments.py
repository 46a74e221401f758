"""Files on their way into a thread's composer: checked, read in the background, kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ankita.engine.event_bus import EventBus
from ankita.engine.events import AttachmentChanged, AttachmentRemoved
from ankita.engine.limits import MAX_ATTACHMENTS
from ankita.engine.state import Activity, AttachmentState, AttachmentStatus
from ankita.engine.team import Team
from ankita.engine.transcripts import Transcripts
from ankita.errors import AnkitaError, CommandRefusedError
from ankita.ids import AttachmentId, ThreadId, new_id
from ankita.memory.threads import AttachmentRow
from ankita.messages import DocumentText
from ankita.protocols import DocumentReader

log = logging.getLogger(__name__)


class Attachments:
    """`quick_check(path)` gives a reason to refuse a file at once, or None."""

    def __init__(
        self,
        reader: DocumentReader,
        quick_check: Callable[[Path], str | None],
        transcripts: Transcripts,
        team: Team,
        bus: EventBus,
    ) -> None:
        self._reader = reader
        self._quick_check = quick_check
        self._transcripts = transcripts
        self._team = team
        self._bus = bus
        self._reading: dict[AttachmentId, asyncio.Task[None]] = {}

    async def attach(self, thread_id: ThreadId, path: Path) -> AttachmentId:
        """Start reading. Raises CommandRefusedError with the reason when it cannot be read."""
        await self._transcripts.open(thread_id)
        path = await asyncio.to_thread(_at_home, path)
        reason = await asyncio.to_thread(self._quick_check, path)
        # It may have been deleted while the file was looked at.
        self._transcripts.summary(thread_id)
        if reason is None and len(self._held(thread_id)) >= MAX_ATTACHMENTS:
            reason = f"A message takes at most {MAX_ATTACHMENTS} files."
        name = path.name.encode("utf-8", "replace").decode("utf-8")
        attachment = AttachmentState(
            AttachmentId(new_id()), thread_id, name, AttachmentStatus.READING
        )
        if reason is not None:
            self._show_failure(replace(attachment, status=AttachmentStatus.FAILED, reason=reason))
            raise CommandRefusedError(reason)
        self._tell(attachment)
        task = asyncio.create_task(self._read(attachment, path))
        self._reading[attachment.id] = task
        return attachment.id

    async def remove(self, thread_id: ThreadId, attachment_id: AttachmentId) -> None:
        """Cancel the reading, if it still goes on, and forget the file."""
        task = self._reading.pop(attachment_id, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        await self._transcripts.store.remove_attachment(attachment_id)
        self._bus.emit(AttachmentRemoved(thread_id, attachment_id))

    async def cancel(self, thread_id: ThreadId) -> None:
        """Cancel all readings of a thread that is about to go."""
        held = self._bus.state.attachments.get(thread_id, ())
        for attachment in held:
            await self.remove(thread_id, attachment.id)

    async def aclose(self) -> None:
        tasks = list(self._reading.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _held(self, thread_id: ThreadId) -> list[AttachmentState]:
        held = self._bus.state.attachments.get(thread_id, ())
        return [a for a in held if a.status is not AttachmentStatus.FAILED]

    async def _read(self, attachment: AttachmentState, path: Path) -> None:
        loop = asyncio.get_running_loop()

        def progress(done: int, total: int) -> None:
            loop.call_soon_threadsafe(self._show_progress, attachment, done, total)

        self._show_progress(attachment, 0, 0)
        try:
            document = await self._reader.read(path, progress)
            await self._keep(attachment, document)
        except asyncio.CancelledError:
            self._idle(attachment)
            raise
        except AnkitaError as error:
            self._fail(attachment, error.sentence())
        except Exception:
            log.exception("reading an attachment failed")
            self._fail(attachment, "This file could not be read; the log has the details.")
        finally:
            self._reading.pop(attachment.id, None)

    async def _keep(self, attachment: AttachmentState, document: DocumentText) -> None:
        row = AttachmentRow(
            attachment.id,
            attachment.thread_id,
            attachment.name,
            document.kind,
            document.text,
            document.pages,
            document.notes,
        )
        await self._transcripts.store.add_attachment(row, self._transcripts.now())
        ready = replace(
            attachment,
            status=AttachmentStatus.READY,
            kind=document.kind,
            pages=document.pages,
            notes=document.notes,
        )
        self._reading.pop(attachment.id, None)
        self._tell(ready)
        self._show(attachment, Activity.DONE, f"read {attachment.name}", log=True)

    def _show_progress(self, attachment: AttachmentState, done: int, total: int) -> None:
        if attachment.id not in self._reading:
            return
        self._tell(replace(attachment, done=done, total=total))
        self._show(
            attachment,
            Activity.READING,
            f"reading {attachment.name}",
            progress=(done, total),
        )

    def _fail(self, attachment: AttachmentState, reason: str) -> None:
        failed = replace(attachment, status=AttachmentStatus.FAILED, reason=reason)
        self._reading.pop(attachment.id, None)
        self._tell(failed)
        self._show_failure(failed)

    def _show_failure(self, failed: AttachmentState) -> None:
        words = f"could not read {failed.name}: {failed.reason}"
        self._show(failed, Activity.FAILED, words, log=True)

    def _idle(self, attachment: AttachmentState) -> None:
        self._show(attachment, Activity.IDLE)

    def _tell(self, attachment: AttachmentState) -> None:
        """Show it, unless its thread has been deleted."""
        if attachment.thread_id in self._bus.state.threads:
            self._bus.emit(AttachmentChanged(attachment))

    def _show(
        self,
        attachment: AttachmentState,
        activity: Activity,
        detail: str = "",
        *,
        progress: tuple[int, int] | None = None,
        log: bool = False,
    ) -> None:
        summary = self._bus.state.threads.get(attachment.thread_id)
        if summary is not None:
            self._team.show(
                summary.teammate_id,
                activity,
                detail,
                progress=progress,
                thread_id=attachment.thread_id,
                matter=attachment.id,
                log=log,
            )


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        raise CommandRefusedError(f"{path} names a user that is not known here.") from None
