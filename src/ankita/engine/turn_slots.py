"""Which threads are taken, and by what: at most one owner a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ankita.engine import limits
from ankita.engine.fence import TurnFence
from ankita.errors import CommandRefusedError
from ankita.ids import ThreadId
from ankita.memory.transcript import TurnStatus

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class TurnSlot:
    """A thread that is taken: by a turn, or by a step that must not meet one.

    Stop closes the fence, whatever the slot is doing; the end is never cancelled.
    """

    fence: TurnFence = field(default_factory=TurnFence)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    work: asyncio.Task[TurnStatus] | None = None
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def outcome(self, work: asyncio.Task[TurnStatus]) -> TurnStatus:
        """How the work ended. What does not end after Stop is left behind."""
        stop = asyncio.ensure_future(self.stopped.wait())
        await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not work.done():
            await asyncio.wait([work], timeout=limits.STOP_SECONDS)
        if not work.done():
            log.error("the work of a stopped turn does not end; its results are discarded")
        return TurnStatus.STOPPED if not work.done() or work.cancelled() else work.result()

    def stop(self, *, closing: bool = False) -> None:
        is_first = not self.fence.is_stopped
        self.fence.stop(closing=closing)
        self.stopped.set()
        if is_first and self.work is not None:
            self.work.cancel()


class TurnSlots:
    """Gives out slots and takes them back."""

    def __init__(self) -> None:
        self._slots: dict[ThreadId, TurnSlot] = {}
        self._is_closing = False

    def of(self, thread_id: ThreadId) -> TurnSlot | None:
        return self._slots.get(thread_id)

    def can_join(self, thread_id: ThreadId) -> bool:
        """Whether a turn runs in the thread that a message may still go into."""
        slot = self.of(thread_id)
        return slot is not None and slot.work is not None and not slot.fence.is_stopped

    @asynccontextmanager
    async def claimed(self, thread_id: ThreadId) -> AsyncIterator[TurnSlot]:
        """The thread's slot; given back at the end unless a turn has begun in it.

        Raises CommandRefusedError when the thread is taken.
        """
        if self._is_closing:
            raise CommandRefusedError("Ankita is closing.")
        if thread_id in self._slots:
            raise CommandRefusedError(
                "A reply is still being worked on here.", advice="Wait for it or press Stop."
            )
        slot = self._slots[thread_id] = TurnSlot()
        try:
            yield slot
        finally:
            if slot.work is None:
                self.release(thread_id, slot)

    def release(self, thread_id: ThreadId, slot: TurnSlot) -> None:
        self._slots.pop(thread_id, None)
        slot.gone.set()

    def close(self) -> Sequence[TurnSlot]:
        """Give out no more; the slots that are taken."""
        self._is_closing = True
        return list(self._slots.values())
