"""What the user sends while a turn runs: kept, shown, and put into the turn (ENG-12).

A message goes in at the turn's next step, at the latest after its reply. When the turn
ends in another way, the message returns to the composer: nothing is sent by surprise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ankita.engine.event_bus import EventBus
from ankita.engine.events import AttachmentChanged, AttachmentRemoved, QueueChanged
from ankita.engine.limits import MAX_QUEUED
from ankita.engine.state import AttachmentState, AttachmentStatus, QueuedMessage
from ankita.engine.transcripts import Transcripts
from ankita.errors import CommandRefusedError
from ankita.ids import ItemId, ThreadId, TurnId, new_id
from ankita.memory.transcript import AttachmentRef, UserItem
from ankita.memory.work import QueuedRow, WorkStore


class MessageQueue:
    """The one writer of queues."""

    def __init__(self, store: WorkStore, transcripts: Transcripts, bus: EventBus) -> None:
        self._store = store
        self._transcripts = transcripts
        self._bus = bus
        self._rows: dict[ThreadId, tuple[QueuedRow, ...]] = {}
        self._returned: dict[ThreadId, tuple[str, ...]] = {}

    def waits(self, thread_id: ThreadId) -> bool:
        return bool(self._rows.get(thread_id))

    async def add(
        self, thread_id: ThreadId, text: str, attachments: Sequence[AttachmentState]
    ) -> None:
        """Queue a message; hold `transcripts.moving`. CommandRefusedError when too many wait."""
        waiting = self._rows.get(thread_id, ())
        if len(waiting) >= MAX_QUEUED:
            raise CommandRefusedError(
                f"{MAX_QUEUED} messages wait here already.", advice="Wait for the reply."
            )
        refs = tuple(AttachmentRef(a.id, a.name, a.kind, a.pages, a.notes) for a in attachments)
        row = QueuedRow(new_id(), thread_id, text, self._transcripts.now(), refs)
        left = self.unsent(thread_id, text)
        await self._store.add_queued(row, left)
        for ref in refs:
            self._bus.emit(AttachmentRemoved(thread_id, ref.id))
        self._transcripts.show(thread_id, draft=left)
        self._keep(thread_id, (*waiting, row))

    def forget(self, thread_id: ThreadId) -> None:
        """The thread was deleted, and its queue with it."""
        self._rows.pop(thread_id, None)
        self._returned.pop(thread_id, None)

    def unsent(self, thread_id: ThreadId, text: str) -> str:
        """What stays of the draft when `text` is sent: returned messages that it lacks.

        Who sends at once after a Stop, or from a terminal, never saw them come back.
        """
        summary = self._transcripts.summary(thread_id)
        back = self._returned.get(thread_id, ())
        left = tuple(each for each in back if each in summary.draft and each not in text)
        self._returned[thread_id] = left
        return "\n\n".join(left)

    async def put_into(self, thread_id: ThreadId, turn_id: TurnId) -> bool:
        """Make what waits messages of the turn; False when nothing waited.

        A Stop in the middle counts after it: what is in the thread must not wait as well.
        """
        if not self.waits(thread_id) and not self._transcripts.moving.locked():
            return False  # Every step asks; nothing waits, and nothing is on its way.
        return await asyncio.shield(asyncio.ensure_future(self._put_into(thread_id, turn_id)))

    async def _put_into(self, thread_id: ThreadId, turn_id: TurnId) -> bool:
        async with self._transcripts.moving:
            # Asked only now: a message may have been on its way into the queue.
            if not self.waits(thread_id):
                return False
            rows = self._rows[thread_id]
            now = self._transcripts.now()
            items = [UserItem(ItemId(new_id()), turn_id, r.text, now, r.attachments) for r in rows]
            await self._transcripts.add_queued(thread_id, items, [row.id for row in rows])
            self._drop(thread_id, rows)
        return True

    async def take_back(self, thread_id: ThreadId, queued_id: str) -> None:
        """Return one message to the composer. Raises CommandRefusedError when it went in."""
        async with self._transcripts.moving:
            row = next((r for r in self._rows.get(thread_id, ()) if r.id == queued_id), None)
            if row is None:
                raise CommandRefusedError("That message has gone into the conversation already.")
            await self._return(row)

    async def give_back(self, thread_id: ThreadId) -> None:
        """Return all that waits to the composer; hold `transcripts.moving`."""
        for row in self._rows.get(thread_id, ()):
            await self._return(row)

    async def recover(self) -> None:
        """What waited when the process ended returns to the composers."""
        for row in await self._store.queued():
            await self._return(row)

    async def _return(self, row: QueuedRow) -> None:
        thread_id = row.thread_id
        summary = self._bus.state.threads.get(thread_id)
        if summary is None:
            # Deleted meanwhile, and its queue with it.
            self._drop(thread_id, (row,))
            return
        draft = summary.draft
        joined = "\n\n".join(text for text in (draft, row.text) if text.strip())
        await self._store.take_back(row, joined)
        self._transcripts.show(thread_id, draft=joined)
        if row.text.strip():
            self._returned[thread_id] = (*self._returned.get(thread_id, ()), row.text)
        if thread_id in self._bus.state.items:
            for ref in row.attachments:
                self._bus.emit(AttachmentChanged(_staged(thread_id, ref)))
        self._drop(thread_id, (row,))

    def _drop(self, thread_id: ThreadId, rows: Sequence[QueuedRow]) -> None:
        gone = {row.id for row in rows}
        left = tuple(r for r in self._rows.get(thread_id, ()) if r.id not in gone)
        self._keep(thread_id, left)

    def _keep(self, thread_id: ThreadId, rows: tuple[QueuedRow, ...]) -> None:
        self._rows[thread_id] = rows
        shown = tuple(
            QueuedMessage(r.id, r.text, r.created_at, tuple(ref.name for ref in r.attachments))
            for r in rows
        )
        if self._bus.state.queued.get(thread_id, ()) != shown:
            self._bus.emit(QueueChanged(thread_id, shown))


def _staged(thread_id: ThreadId, ref: AttachmentRef) -> AttachmentState:
    return AttachmentState(
        id=ref.id,
        thread_id=thread_id,
        name=ref.name,
        status=AttachmentStatus.READY,
        kind=ref.kind,
        pages=ref.pages,
        notes=ref.notes,
    )
