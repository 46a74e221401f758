"""The loop of one turn: a reply, its calls, their results, and again (ENG-1, ENG-2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import groupby

from ankita.clock import Clock
from ankita.engine.gate import Caller, Gate
from ankita.engine.limits import MAX_ARGUMENT_DEPTH, MAX_CALLS_A_STEP, MAX_TOOL_STEPS
from ankita.engine.state import Activity, ThreadStatus
from ankita.engine.team import Team
from ankita.engine.text_pump import TextPump
from ankita.engine.tool_run import ToolRun
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.errors import ModelInterruptedError
from ankita.ids import CallId, ItemId, new_id
from ankita.memory.transcript import CallStatus, NoticeLevel, ReplyItem, ReplyStatus, ToolItem
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Json,
    Message,
    ModelRequest,
    Phase,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
)
from ankita.protocols import ModelProvider
from ankita.security.acts import describe


class LoopEnd(Enum):
    DONE = auto()
    STEP_LIMIT = auto()


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply of a model."""

    text: str
    calls: tuple[ToolCall, ...]


class ToolLoop:
    """Stateless between turns; everything it does is in the transcript."""

    def __init__(
        self, gate: Gate, toolbox: Toolbox, transcripts: Transcripts, team: Team, clock: Clock
    ) -> None:
        self._gate = gate
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._team = team
        self._clock = clock

    async def run(
        self, caller: Caller, provider: ModelProvider, history: list[Message], first_step: int = 1
    ) -> LoopEnd:
        """Until the model stops or MAX_TOOL_STEPS is reached. Raises ModelError, WriteError.

        `history` is extended by what is said and done. Cancelling it keeps partial text
        and gives every call its one result.
        """
        for step in range(first_step, MAX_TOOL_STEPS + 1):
            self._think(caller, step)
            reply = await self._reply(caller, provider, history, step)
            history.append(Message(Role.ASSISTANT, reply.text, reply.calls))
            if not reply.calls:
                return LoopEnd.DONE
            history.extend(await self._run_calls(caller, step, reply.calls))
        return LoopEnd.STEP_LIMIT

    def tool_run(self, caller: Caller, item: ToolItem, problem: str = "") -> ToolRun:
        """The run of one stored call, new or from before a restart."""
        call = ToolCall(item.call_id, item.name, item.arguments, problem)
        return ToolRun(caller, item, call, self._gate, self._transcripts, self._team, self._clock)

    def _think(self, caller: Caller, step: int) -> None:
        self._transcripts.show(caller.thread_id, status=ThreadStatus.WORKING, step=step)
        self._team.show(
            caller.teammate_id, Activity.THINKING, "thinking", thread_id=caller.thread_id
        )

    async def _reply(
        self, caller: Caller, provider: ModelProvider, history: Sequence[Message], step: int
    ) -> Reply:
        request = ModelRequest(tuple(history), self._toolbox.specs())
        writer = _ReplyWriter(self._transcripts, caller, step)
        calls: list[ToolCall] = []
        finish: FinishReason | None = None
        status = ReplyStatus.INTERRUPTED
        try:
            async with writer.pump:
                async for event in self._gate.stream(provider, request, caller.fence):
                    if isinstance(event, TextDelta):
                        writer.pump.put(event.text)
                    elif isinstance(event, ToolCallReady):
                        calls.append(event.call)
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
        finally:
            await writer.finish(status)
        await self._say_if_cut(caller, writer.text, calls, finish)
        return Reply(writer.text, self._made_unique(caller, calls))

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
        self, caller: Caller, step: int, calls: Sequence[ToolCall]
    ) -> list[Message]:
        over = (_too_many(call) for call in calls[MAX_CALLS_A_STEP:])
        runs: list[ToolRun] = []
        for call in (*calls[:MAX_CALLS_A_STEP], *over):
            runs.append(self._run_for(caller, step, call))
            await runs[-1].store()
        # Reads next to each other run together; a change waits for all before it. What a
        # Stop or a full disk leaves open here, the end of the turn settles.
        for changes, batch in groupby(runs, lambda run: run.changes):
            if changes:
                for run in batch:
                    await run.go(self._toolbox.find(run.call.name))
            else:
                await self._together(list(batch))
        return [run.message() for run in runs]

    async def _together(self, runs: Sequence[ToolRun]) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                for run in runs:
                    tasks.create_task(run.go(self._toolbox.find(run.call.name)))
        except BaseExceptionGroup as group:
            # All of them failed for the same kind of reason (a full disk): one says it.
            raise group.exceptions[0] from group

    def _run_for(self, caller: Caller, step: int, call: ToolCall) -> ToolRun:
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
            target=act.fields[0][1] if act and act.fields else "",
            status=CallStatus.WAITING,
            created_at=self._transcripts.now(),
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
