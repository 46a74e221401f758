"""The threads as they are shown: every change is stored first and then told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ankita.clock import Clock
from ankita.engine.event_bus import EventBus
from ankita.engine.events import (
    AttachmentRemoved,
    ItemAdded,
    ItemChanged,
    TextAdded,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
)
from ankita.engine.limits import MAX_PINNED_CHARACTERS, MAX_PINS, TITLE_CHARACTERS
from ankita.engine.state import (
    AttachmentState,
    AttachmentStatus,
    ThreadStatus,
    ThreadSummary,
)
from ankita.errors import CommandRefusedError
from ankita.ids import AttachmentId, ItemId, TeammateId, ThreadId, TurnId, new_id
from ankita.memory.threads import AttachmentRow, ThreadRow, ThreadStore
from ankita.memory.transcript import (
    AttachmentRef,
    Item,
    NoticeItem,
    NoticeLevel,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    Turn,
    TurnStatus,
    UserItem,
)
from ankita.storage import Work

NEW_THREAD_TITLE = "New thread"

_STATUS_AFTER = {
    TurnStatus.STOPPED: ThreadStatus.STOPPED,
    TurnStatus.FAILED: ThreadStatus.FAILED,
    TurnStatus.INTERRUPTED: ThreadStatus.INTERRUPTED,
}


class Transcripts:
    """Keeps the store and the state in step. Only threads that were opened change."""

    def __init__(self, store: ThreadStore, bus: EventBus, clock: Clock) -> None:
        self._store = store
        self._bus = bus
        self._clock = clock
        self._opening = asyncio.Lock()
        self.moving = asyncio.Lock()
        """Held by whoever moves the user's words between composer, queue and thread: a draft,
        a message and a turn's end never meet half-way."""

    @property
    def store(self) -> ThreadStore:
        return self._store

    def now(self) -> str:
        return self._clock.now().isoformat()

    def summary(self, thread_id: ThreadId) -> ThreadSummary:
        """Raises CommandRefusedError for an unknown thread."""
        try:
            return self._bus.state.threads[thread_id]
        except KeyError:
            raise CommandRefusedError("There is no such thread.") from None

    def items(self, thread_id: ThreadId) -> tuple[Item, ...]:
        return self._bus.state.items.get(thread_id, ())

    def find(self, thread_id: ThreadId, item: ToolItem) -> ToolItem:
        """The item as it stands now; the given one where its thread is gone."""
        found = (i for i in reversed(self.items(thread_id)) if i.id == item.id)
        now = next(found, item)
        return now if isinstance(now, ToolItem) else item

    async def load_summaries(self) -> None:
        """Tell the state which threads are stored."""
        for row in await self._store.threads():
            status = _STATUS_AFTER.get(row.last_turn, ThreadStatus.IDLE) if row.last_turn else None
            self._bus.emit(
                ThreadSaved(
                    ThreadSummary(
                        id=row.id,
                        teammate_id=row.teammate_id,
                        title=row.title,
                        updated_at=row.updated_at,
                        status=status or ThreadStatus.IDLE,
                        draft=row.draft,
                    )
                )
            )

    async def create(self, teammate_id: TeammateId) -> ThreadId:
        thread_id = ThreadId(new_id())
        now = self.now()
        await self._store.create(ThreadRow(thread_id, teammate_id, NEW_THREAD_TITLE, "", now, None))
        self._bus.emit(ThreadSaved(ThreadSummary(thread_id, teammate_id, NEW_THREAD_TITLE, now)))
        self._bus.emit(ThreadOpened(thread_id, ()))
        return thread_id

    async def open(self, thread_id: ThreadId) -> None:
        """Load a thread's items into the state, once."""
        self.summary(thread_id)
        async with self._opening:
            if thread_id in self._bus.state.items:
                return
            items = await self._store.items(thread_id)
            staged = await self._store.attachments(thread_id, sent=False)
            self._bus.emit(ThreadOpened(thread_id, items, tuple(_staged(row) for row in staged)))

    async def delete(self, thread_id: ThreadId) -> None:
        self.summary(thread_id)
        await self._store.delete(thread_id)
        self._bus.emit(ThreadDeleted(thread_id))

    async def save_draft(self, thread_id: ThreadId, text: str) -> None:
        async with self.moving:
            summary = self.summary(thread_id)
            if summary.draft != text:
                await self._store.save_draft(thread_id, text)
                self.show(thread_id, draft=text)

    def show(self, thread_id: ThreadId, **changes: Any) -> None:
        """Change what the thread list shows of a thread, if it still exists.

        While one of its questions waits, a thread that works shows as asking.
        """
        summary = self._bus.state.threads.get(thread_id)
        asks = any(a.thread_id == thread_id for a in self._bus.state.approvals)
        if asks and changes.get("status") is ThreadStatus.WORKING:
            changes = {**changes, "status": ThreadStatus.ASKING, "detail": "asking you"}
        if summary is not None and (changed := replace(summary, **changes)) != summary:
            self._bus.emit(ThreadSaved(changed))

    async def start_turn(
        self,
        thread_id: ThreadId,
        text: str,
        attachments: Sequence[AttachmentState],
        *,
        draft: str | None = None,
    ) -> Turn:
        """Store a running turn with its user message.

        These attachments leave the composer with it. `draft` is what is left there (hold
        `moving` then); None leaves it alone, for a message that did not come from there.
        """
        now = self.now()
        turn = Turn(TurnId(new_id()), TurnStatus.RUNNING, now)
        refs = tuple(AttachmentRef(a.id, a.name, a.kind, a.pages, a.notes) for a in attachments)
        item = UserItem(ItemId(new_id()), turn.id, text, now, refs)
        sent = [a.id for a in attachments]
        await self._store.start_turn(thread_id, turn, [item], sent, draft=draft)
        title = self.summary(thread_id).title
        if title == NEW_THREAD_TITLE:
            # Scrubbed before it is cut: half a key would not be known as one.
            title = _title(self._store.scrubbed(text), refs)
            await self._store.rename(thread_id, title, now)
        self.show(
            thread_id,
            title=title,
            status=ThreadStatus.WORKING,
            updated_at=now,
            detail="",
            **({} if draft is None else {"draft": draft}),
        )
        self._bus.emit(ItemAdded(thread_id, item))
        if draft is not None:
            self._empty_composer(thread_id, sent)
        return turn

    def _empty_composer(self, thread_id: ThreadId, sent: Collection[AttachmentId]) -> None:
        """Take away what was sent and what failed; a file that came meanwhile stays."""
        for attachment in self._bus.state.attachments.get(thread_id, ()):
            if attachment.id in sent or attachment.status is AttachmentStatus.FAILED:
                self._bus.emit(AttachmentRemoved(thread_id, attachment.id))

    async def add_queued(
        self, thread_id: ThreadId, items: Sequence[UserItem], queued_ids: Sequence[str]
    ) -> None:
        """Messages that waited become part of the thread."""
        await self._store.add_queued(thread_id, items, queued_ids)
        self.show(thread_id, updated_at=self.now())
        for item in items:
            self._bus.emit(ItemAdded(thread_id, item))

    async def pin(self, thread_id: ThreadId, item_id: ItemId, *, is_pinned: bool) -> None:
        """Keep a message in every request, or no longer. Raises CommandRefusedError."""
        item = next((i for i in self.items(thread_id) if i.id == item_id), None)
        if not isinstance(item, UserItem | ReplyItem):
            raise CommandRefusedError("Only messages can be pinned.")
        if isinstance(item, ReplyItem) and item.status is ReplyStatus.STREAMING:
            raise CommandRefusedError("This is still being written.", advice="Wait for its end.")
        if is_pinned and not item.is_pinned:
            _check_pin(self.items(thread_id), item)
        await self.save(thread_id, replace(item, is_pinned=is_pinned))

    async def continue_turn(self, thread_id: ThreadId) -> Turn:
        """Store a running turn that goes on from what the thread holds."""
        turn = Turn(TurnId(new_id()), TurnStatus.RUNNING, self.now())
        await self._store.start_turn(thread_id, turn, [], [])
        self.show(thread_id, status=ThreadStatus.WORKING, detail="")
        return turn

    async def reopen_turn(self, thread_id: ThreadId, turn_id: TurnId) -> None:
        """An interrupted turn runs again because its question was answered with yes."""
        await self._store.set_turn_status(turn_id, TurnStatus.RUNNING, "")
        self.show(thread_id, status=ThreadStatus.WORKING, detail="")

    async def end_turn(self, thread_id: ThreadId, turn_id: TurnId, status: TurnStatus) -> None:
        try:
            await self._store.set_turn_status(turn_id, status, self.now())
        finally:
            # Also on a full disk: the turn is over, and nobody may wait for it for ever.
            after = _STATUS_AFTER.get(status, ThreadStatus.IDLE)
            self.show(thread_id, status=after, detail="", step=0)

    async def add(self, thread_id: ThreadId, item: Item, *, durable: bool = True) -> None:
        await self._store.add_item(thread_id, item, durable=durable)
        self._bus.emit(ItemAdded(thread_id, item))

    async def save(
        self,
        thread_id: ThreadId,
        item: Item,
        *,
        durable: bool = True,
        also: Work | None = None,
    ) -> None:
        """Replace an item; `also` is done in the same transaction."""
        await self._store.save_item(item, durable=durable, also=also)
        if thread_id in self._bus.state.threads:
            # Else it was deleted while this was stored.
            self._bus.emit(ItemChanged(thread_id, item))

    async def grow(self, thread_id: ThreadId, item_id: ItemId, text: str) -> None:
        await self._store.grow_item(item_id, text)
        self._bus.emit(TextAdded(thread_id, item_id, text))

    async def say(
        self,
        thread_id: ThreadId,
        turn_id: TurnId,
        text: str,
        level: NoticeLevel,
        *,
        can_retry: bool = False,
    ) -> None:
        """Add a notice of the product's own to the thread."""
        notice = NoticeItem(ItemId(new_id()), turn_id, text, level, self.now(), can_retry)
        await self.add(thread_id, notice)


def _check_pin(items: Sequence[Item], wanted: UserItem | ReplyItem) -> None:
    pinned = [i for i in items if isinstance(i, UserItem | ReplyItem) and i.is_pinned]
    if len(pinned) >= MAX_PINS:
        raise CommandRefusedError(
            f"{MAX_PINS} messages are pinned here already.", advice="Take one away first."
        )
    if sum(len(item.text) for item in (*pinned, wanted)) > MAX_PINNED_CHARACTERS:
        raise CommandRefusedError(
            f"Pinned messages may have {MAX_PINNED_CHARACTERS:,} characters in all.",
            advice="Write what matters in a short message and pin that.",
        )


def _title(text: str, refs: Sequence[AttachmentRef]) -> str:
    words = " ".join(text.split()) or (refs[0].name if refs else NEW_THREAD_TITLE)
    return words if len(words) <= TITLE_CHARACTERS else words[: TITLE_CHARACTERS - 1] + "…"


def _staged(row: AttachmentRow) -> AttachmentState:
    return AttachmentState(
        id=row.id,
        thread_id=row.thread_id,
        name=row.name,
        status=AttachmentStatus.READY,
        kind=row.kind,
        pages=row.pages,
        notes=row.notes,
    )
