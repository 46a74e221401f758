"""One tool call from waiting to its one result, kept in the transcript at every door."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from ankita.clock import Clock
from ankita.engine.approval_registry import Question, Settlement
from ankita.engine.fence import TurnStoppedError
from ankita.engine.gate import Admission, Caller, CallHooks, Gate
from ankita.engine.history import result_text
from ankita.engine.limits import MAX_RESULT_CHARACTERS
from ankita.engine.receipts import said_again
from ankita.engine.state import Activity, ThreadStatus
from ankita.engine.team import ACTIVITY_OF, Team
from ankita.engine.text_pump import WORD_CHARACTERS, TextPump, unfinished_word
from ankita.engine.toolbox import OfferedTool
from ankita.engine.transcripts import Transcripts
from ankita.memory.transcript import CallStatus, ToolItem
from ankita.messages import Effect, ToolCall, ToolResult, ToolStatus
from ankita.security.policy import Verdict
from ankita.storage import Work

UNKEPT_TEXT = (
    "Error: tool outcome is uncertain: it was begun, and its result could not be stored; check"
    " before doing it again."
)

_STATUS_OF = {
    ToolStatus.OK: CallStatus.OK,
    ToolStatus.FAILED: CallStatus.FAILED,
    ToolStatus.DENIED: CallStatus.DENIED,
    ToolStatus.PARKED: CallStatus.PARKED,
    ToolStatus.STOPPED: CallStatus.STOPPED,
    ToolStatus.UNCERTAIN: CallStatus.UNCERTAIN,
}


class ToolRun:
    """Holds the newest value of one item; the transcript holds the same."""

    def __init__(
        self,
        caller: Caller,
        item: ToolItem,
        call: ToolCall,
        gate: Gate,
        transcripts: Transcripts,
        team: Team,
        clock: Clock,
    ) -> None:
        self.call = call
        self._caller = caller
        self._item = item
        self._gate = gate
        self._transcripts = transcripts
        self._team = team
        self._clock = clock
        self._admitted_at: float | None = None
        self._result: ToolResult | None = None
        self._shown = ""

    @property
    def changes(self) -> bool:
        return self._item.effect is Effect.CHANGES

    @property
    def is_settled(self) -> bool:
        return self._item.status.is_settled

    def result_text(self) -> str:
        """The result as the model reads it."""
        return result_text(self._item)

    async def repeat(self, receipt: ToolItem) -> None:
        """Settle the call with what it did in a turn that broke off, without running it."""
        await self._save(
            status=CallStatus.NOT_RUN,
            why="it was done before the reply broke off",
            output=said_again(receipt),
        )

    async def store(self) -> None:
        """Add the call to the thread; from here on it has exactly one result."""
        # Not durable by itself: whatever follows from it is committed later, and with it this.
        await self._transcripts.add(self._caller.thread_id, self._item, durable=False)

    async def go(self, tool: OfferedTool | None) -> None:
        """Run the call through the gate. Its result is stored when this returns or raises."""
        if tool is None:
            self._result = _failed(f"there is no tool named {self.call.name!r}")
        elif self.call.problem:
            self._result = _failed(self.call.problem)
        else:
            await self._guarded(lambda hooks: self._gate.call(tool, self.call, self._caller, hooks))
        await self.settle_if_open()

    async def go_on(self, tool: OfferedTool, question: Question, settlement: Settlement) -> None:
        """Run a call whose question was answered after a restart."""
        await self._guarded(
            lambda hooks: self._gate.after_answer(tool, question, settlement, self._caller, hooks)
        )
        await self.settle_if_open()

    async def settle_if_open(self) -> None:
        """Store the result; a call that could not have one is told as stopped."""
        if self._caller.fence.is_stopped:
            # A call that did not end with its turn comes too late: its item has a result.
            self._item = self._transcripts.find(self._caller.thread_id, self._item)
        if not self._item.status.is_settled and not self._is_left_waiting():
            await _to_its_end(self._settle(self._result or self._stopped_result()))

    def _is_left_waiting(self) -> bool:
        """Ankita closes while a person is being asked: the question outlives this process."""
        return self._caller.fence.is_closing and self._item.status is CallStatus.ASKING

    async def _guarded(self, work: Callable[[CallHooks], Awaitable[ToolResult]]) -> None:
        try:
            async with TextPump(self._grow) as pump:
                hooks = CallHooks(self._asking, self._admitted, pump.put_from_any_thread)
                self._result = await work(hooks)
        except TurnStoppedError:
            self._result = self._stopped_result()
        finally:
            # Also when the turn was cancelled: a result that is there must not be lost.
            await self.settle_if_open()

    def _stopped_result(self) -> ToolResult:
        if self._item.status is not CallStatus.RUNNING:
            return ToolResult(ToolStatus.STOPPED, "Stopped: this was not run.")
        if self.changes and self._admitted_at is None:
            # It was let run by a run that could not keep its result, as on a full disk.
            return ToolResult(ToolStatus.UNCERTAIN, UNKEPT_TEXT)
        said = "Stopped while it ran" + (
            "; a part of it may have happened." if self.changes else "."
        )
        return ToolResult(ToolStatus.STOPPED, f"{said}\n{self._shown}".rstrip())

    async def _asking(self, verdict: Verdict) -> None:
        await self._save(status=CallStatus.ASKING, why=verdict.reason)
        self._show(ThreadStatus.ASKING, Activity.ASKING, "asking you")

    async def _admitted(self, admission: Admission) -> None:
        # A change is committed to disk before it runs: after a crash it is known to have begun.
        await self._save(
            status=CallStatus.RUNNING,
            why=admission.why,
            durable=admission.durable,
            also=admission.record,
        )
        self._admitted_at = self._clock.monotonic()
        doing = f"{self._item.title} {self._item.target}".strip()
        self._show(ThreadStatus.WORKING, ACTIVITY_OF[self._item.phase], doing, log=True)

    async def _grow(self, text: str) -> None:
        # Bounded here for every provider: what is beyond is in the result, or was cut there.
        text = text[: max(0, MAX_RESULT_CHARACTERS - len(self._shown))]
        if text:
            self._shown += text
            await self._transcripts.grow(self._caller.thread_id, self._item.id, text)

    async def _settle(self, result: ToolResult) -> None:
        seconds = None
        if self._admitted_at is not None:
            seconds = round(self._clock.monotonic() - self._admitted_at, 3)
        await self._save(
            status=_STATUS_OF[result.status],
            output=_capped(result.text),
            seconds=seconds,
            durable=self.changes,
        )

    async def _save(
        self, *, durable: bool = True, also: Work | None = None, **changes: object
    ) -> None:
        # The value changes with the store, not before it: when the commit fails, the call
        # is still open and gets its result from whoever ends the turn.
        changed = replace(self._item, **changes)  # type: ignore[arg-type]
        await self._transcripts.save(self._caller.thread_id, changed, durable=durable, also=also)
        self._item = changed

    def _show(
        self, status: ThreadStatus, activity: Activity, detail: str, *, log: bool = False
    ) -> None:
        caller = self._caller
        self._transcripts.show(caller.thread_id, status=status, detail=detail)
        self._team.show(caller.teammate_id, activity, detail, thread_id=caller.thread_id, log=log)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """A Stop in the middle of the commit counts after it: the result must not be lost."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _failed(why: str) -> ToolResult:
    return ToolResult(ToolStatus.FAILED, f"Error: {why}.")


def _capped(text: str) -> str:
    if len(text) <= MAX_RESULT_CHARACTERS:
        return text
    half = MAX_RESULT_CHARACTERS // 2
    # Cut between words: half a key would not be known as one and could not be scrubbed.
    start = text[: half - len(unfinished_word(text[:half]))]
    end = text[-half:].lstrip(WORD_CHARACTERS)
    cut = len(text) - len(start) - len(end)
    return f"{start}\n[… {cut} characters cut …]\n{end}"
