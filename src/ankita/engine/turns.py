"""The turns, at most one a thread, each with one owner from its first moment to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.event_bus import EventBus
from ankita.engine.fence import TurnFence, TurnStoppedError
from ankita.engine.gate import Caller, Gate
from ankita.engine.limits import MAX_TOOL_STEPS, SAME_RESULTS, STOP_SECONDS
from ankita.engine.message_queue import MessageQueue
from ankita.engine.receipts import Receipts, receipts_of, stopped_words
from ankita.engine.state import Activity, AttachmentState, AttachmentStatus, ThreadStatus
from ankita.engine.team import Team
from ankita.engine.tool_loop import LoopEnd, ToolLoop
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.errors import AnkitaError, CommandRefusedError, ModelError
from ankita.ids import CallId, TeammateId, ThreadId, TurnId, new_id
from ankita.memory.transcript import NoticeLevel, ReplyItem, ToolItem, TurnStatus
from ankita.messages import Effect
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)

ModelSource = Callable[[TeammateId], Awaitable[ModelProvider]]
"""Gives the model that answers for a teammate now."""

Work = Callable[[Caller], Awaitable[TurnStatus]]

_END_WORDS = {
    LoopEnd.STEP_LIMIT: f"Stopped after {MAX_TOOL_STEPS} steps. Send a message to go on.",
    LoopEnd.CIRCLING: (
        f"Stopped: the same call gave the same result {SAME_RESULTS} times. Say what it should"
        " do differently, or what it lacks."
    ),
}

_RETRYABLE = (ThreadStatus.FAILED, ThreadStatus.INTERRUPTED, ThreadStatus.STOPPED)


@dataclass(slots=True, eq=False)
class TurnSlot:
    """A thread that is taken: by a turn, or by a step that must not meet one.

    Stop closes the fence, whatever the slot is doing; the end is never cancelled.
    """

    fence: TurnFence = field(default_factory=TurnFence)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    work: asyncio.Task[TurnStatus] | None = None

    def stop(self, *, closing: bool = False) -> None:
        is_first = not self.fence.is_stopped
        self.fence.stop(closing=closing)
        if is_first and self.work is not None:
            self.work.cancel()


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
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._queue = queue
        self._team = team
        self._bus = bus
        self._model = model
        self._slots: dict[ThreadId, TurnSlot] = {}
        self._owners: set[asyncio.Task[None]] = set()
        self._is_closing = False

    async def send(self, thread_id: ThreadId, text: str) -> TurnId | None:
        """Start a turn with a user message, or queue it for the one that runs (None).

        Raises CommandRefusedError.
        """
        async with self._transcripts.moving:
            await self._transcripts.open(thread_id)
            ready = self._attachments_of(thread_id)
            if not text.strip() and not ready:
                raise CommandRefusedError("There is nothing to send.")
            if self._can_join(thread_id):
                await self._queue.add(thread_id, text, ready)
                return None
            async with self._claimed(thread_id) as slot:
                await self._withdraw_old(thread_id, "the conversation went on")
                left = self._queue.unsent(thread_id, text)
                turn = await self._transcripts.start_turn(thread_id, text, ready, draft=left)
                self._begin(slot, thread_id, turn.id, self._converse)
        return turn.id

    async def retry(self, thread_id: ThreadId) -> TurnId:
        """Ask the model again with what the thread holds; no call is run again."""
        await self._transcripts.open(thread_id)
        async with self._claimed(thread_id) as slot:
            if self._transcripts.summary(thread_id).status not in _RETRYABLE:
                raise CommandRefusedError("There is nothing to try again here.")
            await self._withdraw_old(thread_id, "the conversation went on")
            receipts = receipts_of(self._transcripts.items(thread_id))
            turn = await self._transcripts.continue_turn(thread_id)
            self._begin(slot, thread_id, turn.id, lambda c: self._converse(c, receipts=receipts))
        return turn.id

    async def run_parked(self, question: Question, settlement: Settlement) -> None:
        """Answer what the user had put off: a yes runs it in a turn of its own."""
        thread_id = question.approval.thread_id
        await self._transcripts.open(thread_id)
        async with self._claimed(thread_id) as slot:
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
                slot, thread_id, turn.id, lambda c: self._do_parked(c, question, settlement)
            )

    async def go_on(self, question: Question, settlement: Settlement) -> None:
        """Answer a question from before a restart: run its call, then finish its turn.

        Where the turn has more such questions, it goes on after the last one.
        """
        approval = question.approval
        thread_id, turn_id = approval.thread_id, approval.turn_id
        await self._transcripts.open(thread_id)
        async with self._claimed(thread_id) as slot:
            # Running first, answered second: a crash in between leaves a turn that recovery
            # looks at, never an answer whose call nobody settles.
            await self._transcripts.reopen_turn(thread_id, turn_id)
            try:
                await self._registry.settle(approval.id, settlement)
            except AnkitaError:
                await self._transcripts.end_turn(thread_id, turn_id, TurnStatus.INTERRUPTED)
                raise
            self._begin(slot, thread_id, turn_id, lambda c: self._go_on(c, question, settlement))

    async def stop(self, thread_id: ThreadId) -> None:
        """Returns once nothing of the thread's turn runs any more."""
        slot = self._slots.get(thread_id)
        if slot is not None:
            slot.stop()
            await slot.gone.wait()
        if thread_id in self._bus.state.threads and self._old_questions(thread_id):
            await self._transcripts.open(thread_id)
            async with self._claimed(thread_id):
                await self._withdraw_old(thread_id, "the turn was stopped")

    @asynccontextmanager
    async def kept_free(self, thread_id: ThreadId) -> AsyncIterator[None]:
        """Stop the thread's turn and let none start while something is done to the thread."""
        await self.stop(thread_id)
        async with self._claimed(thread_id):
            yield

    def forget(self, thread_id: ThreadId) -> None:
        """The thread was deleted."""
        self._loop.forget(thread_id)
        self._queue.forget(thread_id)

    def check_answerable(self, thread_id: ThreadId) -> None:
        """Raises CommandRefusedError while the thread's turn is being stopped."""
        slot = self._slots.get(thread_id)
        if slot is not None and slot.fence.is_stopped:
            raise CommandRefusedError("The turn was stopped; this is not asked any more.")

    async def aclose(self) -> None:
        """Stop every turn; what was waiting for a person stays pending for the next start."""
        self._is_closing = True
        slots = list(self._slots.values())
        for slot in slots:
            slot.stop(closing=True)
        if self._owners:
            await asyncio.wait(tuple(self._owners), timeout=STOP_SECONDS)

    def _can_join(self, thread_id: ThreadId) -> bool:
        """Whether a turn runs in the thread that a message may still go into."""
        slot = self._slots.get(thread_id)
        return slot is not None and slot.work is not None and not slot.fence.is_stopped

    @asynccontextmanager
    async def _claimed(self, thread_id: ThreadId) -> AsyncIterator[TurnSlot]:
        """The thread's slot; given back at the end unless a turn has begun in it."""
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
                self._release(thread_id, slot)

    def _release(self, thread_id: ThreadId, slot: TurnSlot) -> None:
        self._slots.pop(thread_id, None)
        slot.gone.set()

    def _begin(self, slot: TurnSlot, thread_id: ThreadId, turn_id: TurnId, work: Work) -> None:
        teammate_id = self._transcripts.summary(thread_id).teammate_id
        caller = Caller(thread_id, turn_id, teammate_id, slot.fence)
        slot.work = asyncio.create_task(self._guarded(caller, work))
        # The owner is not the work: Stop cancels the work, and the owner ends the turn.
        owner = asyncio.create_task(self._own(slot, slot.work, caller))
        self._owners.add(owner)
        owner.add_done_callback(self._owners.discard)

    async def _own(self, slot: TurnSlot, work: asyncio.Task[TurnStatus], caller: Caller) -> None:
        status, is_closing = TurnStatus.FAILED, False
        try:
            await asyncio.wait([work])
            status = TurnStatus.STOPPED if work.cancelled() else work.result()
            is_closing = caller.fence.is_closing
            if not is_closing:
                await self._end(caller, status)
        finally:
            if is_closing:
                self._release(caller.thread_id, slot)
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
                await _tried(self._transcripts.end_turn(thread_id, caller.turn_id, status))
                # Stop may have come while a good end was on its way.
                goes_on = status is TurnStatus.DONE and not caller.fence.is_stopped
                if not goes_on:
                    await _tried(self._queue.give_back(thread_id))
                self._show_end(caller, status)
            finally:
                self._release(thread_id, slot)
            if goes_on and self._queue.waits(thread_id):
                await _tried(self._next_turn(thread_id))

    async def _next_turn(self, thread_id: ThreadId) -> None:
        try:
            async with self._claimed(thread_id) as slot:
                turn = await self._transcripts.continue_turn(thread_id)
                self._begin(slot, thread_id, turn.id, self._converse_with_queue)
        except AnkitaError:
            await self._queue.give_back(thread_id)
            raise

    async def _converse_with_queue(self, caller: Caller) -> TurnStatus:
        if not await self._queue.put_into(caller.thread_id, caller.turn_id):
            return TurnStatus.DONE  # The user took it back; nothing is left to answer.
        return await self._converse(caller)

    async def _guarded(self, caller: Caller, work: Work) -> TurnStatus:
        """Do the work; whatever happens in it becomes the turn's status and a sentence."""
        try:
            return await work(caller)
        except TurnStoppedError:
            return TurnStatus.STOPPED
        except ModelError as error:
            await self._say(caller, error.sentence(), NoticeLevel.ERROR, can_retry=True)
        except AnkitaError as error:
            await self._say(caller, error.sentence(), NoticeLevel.ERROR)
        except Exception:
            log.exception("a turn failed")
            words = "Something in Ankita broke; the log has the details."
            await self._say(caller, words, NoticeLevel.ERROR)
        return TurnStatus.FAILED

    async def _converse(
        self, caller: Caller, first_step: int = 1, receipts: Receipts = MappingProxyType({})
    ) -> TurnStatus:
        provider = await self._model(caller.teammate_id)
        end = await self._loop.run(caller, provider, first_step, receipts)
        if end in _END_WORDS:
            await self._say(caller, _END_WORDS[end], NoticeLevel.WARNING)
        return TurnStatus.DONE

    async def _do_parked(
        self, caller: Caller, question: Question, settlement: Settlement
    ) -> TurnStatus:
        call = replace(question.call, id=CallId(new_id()))
        run = self._loop.new_run(caller, 1, call)
        await run.store()
        tool = self._toolbox.find(call.name)
        if tool is None:
            await run.go(None)
        else:
            await run.go_on(tool, replace(question, call=call), settlement)
        return await self._converse(caller, 2)

    async def _go_on(
        self, caller: Caller, question: Question, settlement: Settlement
    ) -> TurnStatus:
        items = self._transcripts.items(caller.thread_id)
        mine = [i for i in items if i.turn_id == caller.turn_id]
        calls = [i for i in mine if isinstance(i, ToolItem)]
        item = next(i for i in calls if i.call_id == question.call.id)
        run = self._loop.tool_run(caller, item)
        tool = self._toolbox.find(item.name)
        if tool is None:
            await run.go(None)
        else:
            await run.go_on(tool, question, settlement)
        if self._old_questions(caller.thread_id):
            return TurnStatus.INTERRUPTED
        last = max(i.step for i in mine if isinstance(i, ReplyItem | ToolItem))
        return await self._converse(caller, last + 1)

    async def _end(self, caller: Caller, status: TurnStatus) -> None:
        """Every step is tried, whatever became of the one before: a turn always ends."""
        if status is TurnStatus.STOPPED:
            await _tried(self._toolbox.end_turn(caller.turn_id))
        if status is not TurnStatus.INTERRUPTED:
            why = "stopped" if status is TurnStatus.STOPPED else "ended"
            await _tried(self._gate.withdraw(caller, f"the turn was {why}"))
            await _tried(self._settle_open_calls(caller))
        if status is TurnStatus.STOPPED:
            await self._say(caller, self._stopped_words(caller), NoticeLevel.INFO)

    def _stopped_words(self, caller: Caller) -> str:
        """What had happened already when the user pressed Stop (R-7)."""
        mine = [
            item
            for item in self._transcripts.items(caller.thread_id)
            if isinstance(item, ToolItem) and item.turn_id == caller.turn_id
        ]
        return stopped_words([item for item in mine if item.effect is Effect.CHANGES])

    async def _settle_open_calls(self, caller: Caller) -> None:
        for item in self._transcripts.items(caller.thread_id):
            if (
                isinstance(item, ToolItem)
                and item.turn_id == caller.turn_id
                and not item.status.is_settled
            ):
                await self._loop.tool_run(caller, item).settle_if_open()

    def _show_end(self, caller: Caller, status: TurnStatus) -> None:
        summary = self._bus.state.threads.get(caller.thread_id)
        name = summary.title if summary else "a deleted thread"
        activity, words = {
            TurnStatus.DONE: (Activity.DONE, f"finished {name}"),
            TurnStatus.STOPPED: (Activity.IDLE, f"stopped {name}"),
            TurnStatus.INTERRUPTED: (Activity.IDLE, ""),
        }.get(status, (Activity.FAILED, f"could not finish {name}"))
        self._team.show(caller.teammate_id, activity, words, thread_id=caller.thread_id, log=True)

    async def _say(
        self, caller: Caller, text: str, level: NoticeLevel, *, can_retry: bool = False
    ) -> None:
        await _tried(
            self._transcripts.say(
                caller.thread_id, caller.turn_id, text, level, can_retry=can_retry
            )
        )

    def _attachments_of(self, thread_id: ThreadId) -> Sequence[AttachmentState]:
        attachments = self._bus.state.attachments.get(thread_id, ())
        if any(a.status is AttachmentStatus.READING for a in attachments):
            raise CommandRefusedError("A file is still being read.", advice="Wait a moment.")
        return [a for a in attachments if a.status is AttachmentStatus.READY]

    def _old_questions(self, thread_id: ThreadId) -> list[tuple[TurnId, str]]:
        """The turns and calls of questions from before a restart, which no turn awaits."""
        return [
            (approval.turn_id, approval.call_id)
            for approval in self._bus.state.approvals
            if approval.thread_id == thread_id
            and not approval.parked_at
            and not self._registry.is_awaited(approval.id)
        ]

    async def _withdraw_old(self, thread_id: ThreadId, why: str) -> None:
        """Old questions die when the user goes on without answering. The thread is claimed."""
        old = self._old_questions(thread_id)
        for item in self._transcripts.items(thread_id):
            if (
                isinstance(item, ToolItem)
                and (item.turn_id, item.call_id) in old
                and not item.status.is_settled
            ):
                await self._transcripts.save(thread_id, item.not_run("you went on without it"))
        teammate_id = self._transcripts.summary(thread_id).teammate_id
        for turn_id in {turn_id for turn_id, _ in old}:
            await self._gate.withdraw(Caller(thread_id, turn_id, teammate_id, TurnFence()), why)


async def _tried(step: Awaitable[object]) -> None:
    try:
        await step
    except Exception:
        # The turn ends all the same; what could not be stored, recovery makes true later.
        log.exception("a step of a turn's end failed")
