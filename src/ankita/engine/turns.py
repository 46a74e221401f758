"""The turns, at most one a thread, each with one owner from its first moment to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.event_bus import EventBus
from ankita.engine.gate import Caller, Gate
from ankita.engine.limits import STOP_SECONDS
from ankita.engine.message_queue import MessageQueue
from ankita.engine.receipts import receipts_of
from ankita.engine.state import AttachmentState, AttachmentStatus, ThreadStatus
from ankita.engine.team import Team
from ankita.engine.tool_loop import ToolLoop
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.engine.turn_end import TurnEnd, tried
from ankita.engine.turn_slots import TurnSlot, TurnSlots
from ankita.engine.turn_work import ModelSource, TurnWork, Work
from ankita.errors import AnkitaError, CommandRefusedError
from ankita.ids import ThreadId, TurnId
from ankita.memory.transcript import TurnStatus

_RETRYABLE = (ThreadStatus.FAILED, ThreadStatus.INTERRUPTED, ThreadStatus.STOPPED)


class Turns:
    """The only starter of turns. `model` gives the provider that answers now."""

    def __init__(
        self,
        loop: ToolLoop,
        gate: Gate,
        registry: ApprovalRegistry,
        toolbox: Toolbox,
        transcripts: Transcripts,
        queue: MessageQueue,
        team: Team,
        bus: EventBus,
        model: ModelSource,
    ) -> None:
        self._loop = loop
        self._gate = gate
        self._registry = registry
        self._transcripts = transcripts
        self._queue = queue
        self._bus = bus
        self._slots = TurnSlots()
        self._end = TurnEnd(loop, gate, registry, toolbox, transcripts, team, bus)
        self._work = TurnWork(loop, toolbox, transcripts, queue, self._end, model)
        self._owners: set[asyncio.Task[None]] = set()

    async def send(self, thread_id: ThreadId, text: str) -> TurnId | None:
        """Start a turn with a user message, or queue it for the one that runs (None).

        Raises CommandRefusedError.
        """
        async with self._transcripts.moving:
            await self._transcripts.open(thread_id)
            ready = self._attachments_of(thread_id)
            if not text.strip() and not ready:
                raise CommandRefusedError("There is nothing to send.")
            if self._slots.can_join(thread_id):
                await self._queue.add(thread_id, text, ready)
                return None
            async with self._slots.claimed(thread_id) as slot:
                await self._end.withdraw_old(thread_id, "the conversation went on")
                left = self._queue.unsent(thread_id, text)
                turn = await self._transcripts.start_turn(thread_id, text, ready, draft=left)
                self._begin(slot, thread_id, turn.id, self._work.converse)
        return turn.id

    async def retry(self, thread_id: ThreadId) -> TurnId:
        """Ask the model again with what the thread holds; no call is run again."""
        await self._transcripts.open(thread_id)
        async with self._slots.claimed(thread_id) as slot:
            if self._transcripts.summary(thread_id).status not in _RETRYABLE:
                raise CommandRefusedError("There is nothing to try again here.")
            await self._end.withdraw_old(thread_id, "the conversation went on")
            receipts = receipts_of(self._transcripts.items(thread_id))
            turn = await self._transcripts.continue_turn(thread_id)
            self._begin(
                slot, thread_id, turn.id, lambda c: self._work.converse(c, receipts=receipts)
            )
        return turn.id

    async def run_parked(self, question: Question, settlement: Settlement) -> None:
        """Answer what the user had put off: a yes runs it in a turn of its own."""
        thread_id = question.approval.thread_id
        await self._transcripts.open(thread_id)
        async with self._slots.claimed(thread_id) as slot:
            if not settlement.is_yes:
                await self._gate.refuse_parked(question, settlement)
                return
            # The message first, the yes second: a crash in between leaves the question open.
            words = f"Now do what you asked for before: {question.approval.act.title()}."
            turn = await self._transcripts.start_turn(thread_id, words, ())
            try:
                await self._registry.settle(question.approval.id, settlement)
            except AnkitaError:
                await self._transcripts.end_turn(thread_id, turn.id, TurnStatus.STOPPED)
                raise
            self._begin(
                slot, thread_id, turn.id, lambda c: self._work.do_parked(c, question, settlement)
            )

    async def go_on(self, question: Question, settlement: Settlement) -> None:
        """Answer a question from before a restart: run its call, then finish its turn.

        Where the turn has more such questions, it goes on after the last one.
        """
        approval = question.approval
        thread_id, turn_id = approval.thread_id, approval.turn_id
        await self._transcripts.open(thread_id)
        async with self._slots.claimed(thread_id) as slot:
            # Running first, answered second: a crash in between leaves a turn that recovery
            # looks at, never an answer whose call nobody settles.
            await self._transcripts.reopen_turn(thread_id, turn_id)
            try:
                await self._registry.settle(approval.id, settlement)
            except AnkitaError:
                await self._transcripts.end_turn(thread_id, turn_id, TurnStatus.INTERRUPTED)
                raise
            self._begin(
                slot, thread_id, turn_id, lambda c: self._work.go_on(c, question, settlement)
            )

    async def stop(self, thread_id: ThreadId) -> None:
        """Returns once nothing of the thread's turn runs any more."""
        slot = self._slots.of(thread_id)
        if slot is not None:
            slot.stop()
            await slot.gone.wait()
        if thread_id in self._bus.state.threads and self._end.old_questions(thread_id):
            await self._transcripts.open(thread_id)
            async with self._slots.claimed(thread_id):
                await self._end.withdraw_old(thread_id, "the turn was stopped")

    @asynccontextmanager
    async def kept_free(self, thread_id: ThreadId) -> AsyncIterator[None]:
        """Stop the thread's turn and let none start while something is done to the thread."""
        await self.stop(thread_id)
        async with self._slots.claimed(thread_id):
            yield

    async def warm(self, thread_id: ThreadId) -> None:
        """The thread was opened, and its next message is likely to come."""
        await self._loop.warm(thread_id)

    def forget(self, thread_id: ThreadId) -> None:
        """The thread was deleted."""
        self._loop.forget(thread_id)
        self._queue.forget(thread_id)

    def check_answerable(self, thread_id: ThreadId) -> None:
        """Raises CommandRefusedError while the thread's turn is being stopped."""
        slot = self._slots.of(thread_id)
        if slot is not None and slot.fence.is_stopped:
            raise CommandRefusedError("The turn was stopped; this is not asked any more.")

    async def aclose(self) -> None:
        """Stop every turn; what was waiting for a person stays pending for the next start."""
        for slot in self._slots.close():
            slot.stop(closing=True)
        if self._owners:
            await asyncio.wait(tuple(self._owners), timeout=STOP_SECONDS)

    def _begin(self, slot: TurnSlot, thread_id: ThreadId, turn_id: TurnId, work: Work) -> None:
        teammate_id = self._transcripts.summary(thread_id).teammate_id
        caller = Caller(thread_id, turn_id, teammate_id, slot.fence)
        slot.work = asyncio.create_task(self._work.guarded(caller, work))
        # The owner is not the work: Stop cancels the work, and the owner ends the turn.
        owner = asyncio.create_task(self._own(slot, slot.work, caller))
        self._owners.add(owner)
        owner.add_done_callback(self._owners.discard)

    async def _own(self, slot: TurnSlot, work: asyncio.Task[TurnStatus], caller: Caller) -> None:
        status, is_closing = TurnStatus.FAILED, False
        try:
            status = await slot.outcome(work)
            is_closing = caller.fence.is_closing
            if not is_closing:
                await self._end.settle(caller, status)
        finally:
            if is_closing:
                self._slots.release(caller.thread_id, slot)
            else:
                await self._leave(slot, caller, status)

    async def _leave(self, slot: TurnSlot, caller: Caller, status: TurnStatus) -> None:
        """The turn's very end, which no message on its way meets half-way.

        What came too late for it starts the next turn after a good end, and returns to the
        composer after any other.
        """
        thread_id = caller.thread_id
        async with self._transcripts.moving:
            try:
                await self._end.store(caller, status)
                # Stop may have come while a good end was on its way.
                goes_on = status is TurnStatus.DONE and not caller.fence.is_stopped
                if not goes_on:
                    await tried(self._queue.give_back(thread_id))
                self._end.show(caller, status)
            finally:
                self._slots.release(thread_id, slot)
            if goes_on and self._queue.waits(thread_id):
                await tried(self._next_turn(thread_id))

    async def _next_turn(self, thread_id: ThreadId) -> None:
        try:
            async with self._slots.claimed(thread_id) as slot:
                turn = await self._transcripts.continue_turn(thread_id)
                self._begin(slot, thread_id, turn.id, self._work.take_queue)
        except AnkitaError:
            await self._queue.give_back(thread_id)
            raise

    def _attachments_of(self, thread_id: ThreadId) -> Sequence[AttachmentState]:
        attachments = self._bus.state.attachments.get(thread_id, ())
        if any(a.status is AttachmentStatus.READING for a in attachments):
            raise CommandRefusedError("A file is still being read.", advice="Wait a moment.")
        return [a for a in attachments if a.status is AttachmentStatus.READY]
