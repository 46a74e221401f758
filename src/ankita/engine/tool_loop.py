"""The loop of one turn: a reply, its calls, their results, and again (ENG-1, ENG-2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from itertools import groupby
from types import MappingProxyType

from ankita.clock import Clock
from ankita.engine.gate import Caller, Gate
from ankita.engine.limits import (
    MAX_ARGUMENT_DEPTH,
    MAX_CALLS_A_STEP,
    MAX_CALLS_KEPT,
    MAX_CONTEXT_TRIES,
    MAX_TOOL_STEPS,
)
from ankita.engine.loop_watch import LoopWatch
from ankita.engine.message_queue import MessageQueue
from ankita.engine.receipts import Receipts, call_key
from ankita.engine.requests import Prepared, Requests
from ankita.engine.state import Activity, ThreadStatus
from ankita.engine.team import Team
from ankita.engine.text_pump import TextPump
from ankita.engine.tool_run import ToolRun
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.errors import ModelContextError, ModelInterruptedError
from ankita.ids import CallId, ItemId, ThreadId, new_id
from ankita.memory.transcript import CallStatus, NoticeLevel, ReplyItem, ReplyStatus, ToolItem
from ankita.messages import (
    AskingAgain,
    Effect,
    Finished,
    FinishReason,
    Json,
    Phase,
    TextDelta,
    ToolCall,
    ToolCallReady,
    Usage,
)
from ankita.protocols import ModelProvider
from ankita.security.acts import describe


class LoopEnd(Enum):
    DONE = auto()
    STEP_LIMIT = auto()
    CIRCLING = auto()


class ToolLoop:
    """Keeps nothing of its own between turns; everything it does is in the transcript."""

    def __init__(
        self,
        gate: Gate,
        toolbox: Toolbox,
        transcripts: Transcripts,
        requests: Requests,
        queue: MessageQueue,
        team: Team,
        clock: Clock,
    ) -> None:
        self._gate = gate
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._requests = requests
        self._queue = queue
        self._team = team
        self._clock = clock

    async def run(
        self,
        caller: Caller,
        provider: ModelProvider,
        first_step: int = 1,
        receipts: Receipts = MappingProxyType({}),
    ) -> LoopEnd:
        """Until the model stops, MAX_TOOL_STEPS is reached or it goes in circles.

        What the user sends meanwhile goes in between two steps. Calls that have one of
        `receipts` are not run again. Raises ModelError, WriteError. Cancelling it keeps
        partial text and gives every call its one result.
        """
        watch = LoopWatch()
        step, last = first_step, MAX_TOOL_STEPS
        while step <= last:
            self._think(caller, step)
            calls = await self._reply(caller, provider, step)
            runs = await self._run_calls(caller, step, calls, receipts)
            if await self._queue.put_into(caller.thread_id, caller.turn_id):
                watch.forget()
                last = step + MAX_TOOL_STEPS
            elif not runs:
                return LoopEnd.DONE
            elif _is_circling(watch, runs):
                return LoopEnd.CIRCLING
            step += 1
        return LoopEnd.STEP_LIMIT

    async def warm(self, thread_id: ThreadId) -> None:
        """The thread was opened: read it now, so that a message need not wait for that."""
        await self._requests.warm(thread_id)

    def forget(self, thread_id: ThreadId) -> None:
        """The thread was deleted."""
        self._requests.forget(thread_id)

    def tool_run(self, caller: Caller, item: ToolItem, problem: str = "") -> ToolRun:
        """The run of one stored call, new or from before a restart."""
        call = ToolCall(item.call_id, item.name, item.arguments, problem)
        return ToolRun(caller, item, call, self._gate, self._transcripts, self._team, self._clock)

    def _think(self, caller: Caller, step: int) -> None:
        self._transcripts.show(caller.thread_id, status=ThreadStatus.WORKING, step=step, detail="")
        self._team.show(
            caller.teammate_id, Activity.THINKING, "thinking", thread_id=caller.thread_id
        )

    async def _reply(
        self, caller: Caller, provider: ModelProvider, step: int
    ) -> tuple[ToolCall, ...]:
        """The calls of one reply to what the thread holds.

        A model that finds it too long gets less.
        """
        for _ in range(MAX_CONTEXT_TRIES - 1):
            prepared = await self._requests.prepare(caller, provider.info())
            try:
                return await self._stream(caller, provider, prepared, step)
            except ModelContextError as error:
                if not self._requests.refused(provider.info(), prepared, error):
                    raise
        prepared = await self._requests.prepare(caller, provider.info())
        return await self._stream(caller, provider, prepared, step)

    async def _stream(
        self, caller: Caller, provider: ModelProvider, prepared: Prepared, step: int
    ) -> tuple[ToolCall, ...]:
        writer = _ReplyWriter(self._transcripts, caller, step)
        calls: list[ToolCall] = []
        finish: FinishReason | None = None
        usage: Usage | None = None
        status = ReplyStatus.INTERRUPTED
        try:
            async with writer.pump:
                async for event in self._gate.stream(provider, prepared.request, caller.fence):
                    if isinstance(event, TextDelta):
                        writer.pump.put(event.text)
                    elif isinstance(event, ToolCallReady):
                        calls.append(event.call)
                    elif isinstance(event, AskingAgain):
                        self._show_wait(caller, event)
                    elif isinstance(event, Usage):
                        usage = event
                    elif isinstance(event, Finished):
                        finish = event.reason
            if finish is None:
                raise ModelInterruptedError(
                    "The reply broke off before it was finished.", advice="Try again."
                )
            status = ReplyStatus.DONE
        except asyncio.CancelledError:
            status = ReplyStatus.STOPPED
            raise
        except ModelContextError as error:
            if writer.text:
                # Some of it was seen already: that is not asked for again by itself.
                raise ModelInterruptedError(error.message, advice=error.advice) from error
            raise
        finally:
            await writer.finish(status)
        self._requests.record(caller, step, provider.info(), prepared, usage)
        await self._say_if_cut(caller, writer.text, calls, finish)
        if len(calls) > MAX_CALLS_KEPT:
            words = (
                f"The model made {len(calls):,} calls at once; the first {MAX_CALLS_KEPT} count."
            )
            where = (caller.thread_id, caller.turn_id)
            await self._transcripts.say(*where, words, NoticeLevel.WARNING)
        return self._made_unique(caller, calls[:MAX_CALLS_KEPT])

    def _show_wait(self, caller: Caller, wait: AskingAgain) -> None:
        seconds = max(1, round(wait.seconds))
        detail = f"asking again in {seconds} s: {wait.reason}"
        self._transcripts.show(caller.thread_id, detail=detail)
        self._team.show(
            caller.teammate_id, Activity.THINKING, detail, thread_id=caller.thread_id, log=True
        )

    async def _say_if_cut(
        self, caller: Caller, text: str, calls: Sequence[ToolCall], finish: FinishReason
    ) -> None:
        words = _CUT_WORDS.get(finish, "")
        if not words and not text.strip() and not calls:
            words = "The model sent an empty reply."
        if words:
            await self._transcripts.say(
                caller.thread_id, caller.turn_id, words, NoticeLevel.WARNING
            )

    def _made_unique(self, caller: Caller, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Some servers number the calls of every reply anew; in a thread each id stands once."""
        used = {
            item.call_id
            for item in self._transcripts.items(caller.thread_id)
            if isinstance(item, ToolItem)
        }
        unique = []
        for call in calls:
            fresh = replace(call, id=CallId(new_id())) if call.id in used else call
            used.add(fresh.id)
            unique.append(_bounded(fresh))
        return tuple(unique)

    async def _run_calls(
        self, caller: Caller, step: int, calls: Sequence[ToolCall], receipts: Receipts
    ) -> list[ToolRun]:
        over = (_too_many(call) for call in calls[MAX_CALLS_A_STEP:])
        runs: list[ToolRun] = []
        for call in (*calls[:MAX_CALLS_A_STEP], *over):
            runs.append(self.new_run(caller, step, call))
            await runs[-1].store()
            receipt = receipts.get(call_key(call.name, call.arguments))
            if receipt is not None:
                await runs[-1].repeat(receipt)
        # Reads next to each other run together; a change waits for all before it. What a
        # Stop or a full disk leaves open here, the end of the turn settles.
        fresh = [run for run in runs if not run.is_settled]
        for changes, batch in groupby(fresh, lambda run: run.changes):
            together = list(batch)
            if changes or len(together) == 1:
                for run in together:
                    await run.go(self._toolbox.find(run.call.name))
            else:
                await self._together(together)
        return runs

    async def _together(self, runs: Sequence[ToolRun]) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                for run in runs:
                    tasks.create_task(run.go(self._toolbox.find(run.call.name)))
        except BaseExceptionGroup as group:
            # All of them failed for the same kind of reason (a full disk): one says it.
            raise group.exceptions[0] from group

    def new_run(self, caller: Caller, step: int, call: ToolCall) -> ToolRun:
        """The run of a call that the model has just made; not stored yet."""
        tool = self._toolbox.find(call.name)
        act = describe(tool.spec, call.arguments) if tool else None
        item = ToolItem(
            id=ItemId(new_id()),
            turn_id=caller.turn_id,
            step=step,
            call_id=call.id,
            name=call.name,
            arguments=call.arguments,
            effect=tool.spec.effect if tool else Effect.READS,
            phase=tool.spec.phase if tool else Phase.THINKING,
            title=act.title() if act else call.name,
            target=act.target if act else "",
            status=CallStatus.WAITING,
            created_at=self._transcripts.now(),
            echo=call.echo,
        )
        return self.tool_run(caller, item, call.problem)


class _ReplyWriter:
    """Stores and shows one reply; the item appears with its first text."""

    def __init__(self, transcripts: Transcripts, caller: Caller, step: int) -> None:
        self._transcripts = transcripts
        self._caller = caller
        self._step = step
        self._item: ReplyItem | None = None
        self.pump = TextPump(self._write)
        self.text = ""

    async def _write(self, text: str) -> None:
        thread_id = self._caller.thread_id
        self.text += text
        if self._item is None:
            self._item = ReplyItem(
                id=ItemId(new_id()),
                turn_id=self._caller.turn_id,
                step=self._step,
                text=text,
                status=ReplyStatus.STREAMING,
                created_at=self._transcripts.now(),
            )
            await self._transcripts.add(thread_id, self._item, durable=False)
        else:
            await self._transcripts.grow(thread_id, self._item.id, text)

    async def finish(self, status: ReplyStatus) -> None:
        if self._item is not None:
            done = replace(self._item, text=self.text, status=status)
            await self._transcripts.save(self._caller.thread_id, done)


_CUT_WORDS = {
    FinishReason.LENGTH: "The reply was cut: the model reached its limit of length.",
    FinishReason.FILTERED: "The model's server withheld the reply.",
}


def _is_circling(watch: LoopWatch, runs: Sequence[ToolRun]) -> bool:
    return any(watch.is_circling(run.call, run.result_text(), changes=run.changes) for run in runs)


def _bounded(call: ToolCall) -> ToolCall:
    if _depth(call.arguments) <= MAX_ARGUMENT_DEPTH:
        return call
    return replace(call, arguments={}, problem="the arguments are nested too deeply; not run")


def _depth(value: Json) -> int:
    """How deep lists and objects lie in each other, without recursion."""
    depth, level = 0, [value]
    while level := [
        inner
        for outer in level
        if isinstance(outer, Mapping | list)
        for inner in (outer.values() if isinstance(outer, Mapping) else outer)
    ]:
        depth += 1
    return depth


def _too_many(call: ToolCall) -> ToolCall:
    return replace(call, problem=f"more than {MAX_CALLS_A_STEP} calls in one step; not run")
