"""The gate: the one place that calls a provider, models included.

For each call: a verdict, a question where one is needed, the verdict once more after
the answer, the record, and only then the act. What authorises is committed first.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ankita.clock import Clock
from ankita.engine import gate_results
from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.approval_scopes import check_days, scopes
from ankita.engine.commands import Answer
from ankita.engine.decisions import DecisionDesk, Judged
from ankita.engine.fence import TurnFence, TurnStoppedError
from ankita.engine.standing_yes import StandingYes
from ankita.engine.state import PendingApproval
from ankita.engine.toolbox import OfferedTool
from ankita.errors import AnkitaError, CommandRefusedError, ToolArgumentsError
from ankita.ids import RequestId, TeammateId, ThreadId, TurnId, new_id
from ankita.messages import Effect, ModelEvent, ModelRequest, ToolCall, ToolResult, ToolStatus
from ankita.protocols import CallContext, ModelProvider
from ankita.security.acts import act_digest, describe, is_command
from ankita.security.audit import Outcome
from ankita.security.command_calls import folder_of
from ankita.security.grants import SessionGrants
from ankita.security.policy import Rule, Verdict
from ankita.security.tier_store import TierStore
from ankita.security.tiers import RiskTier
from ankita.storage import Work


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a call is made, and the fence that Stop closes."""

    thread_id: ThreadId
    turn_id: TurnId
    teammate_id: TeammateId
    fence: TurnFence


@dataclass(frozen=True, slots=True)
class Admission:
    """Why a call may run, and the decision that belongs into the commit of its running."""

    why: str
    record: Work
    durable: bool


@dataclass(frozen=True, slots=True)
class CallHooks:
    """What the turn does at each door.

    `admitted` must commit the decision, and that the call runs, before it returns.
    """

    asking: Callable[[Verdict], Awaitable[None]]
    admitted: Callable[[Admission], Awaitable[None]]
    report: Callable[[str], None]


class Gate:
    """Takes its rules, grants, registry and record; owns none of them alone.

    `find_folder` gives the real path of the folder a command names, or raises ScopeError.
    Without it no command can be allowed for longer than once.
    """

    def __init__(
        self,
        rules: TierStore,
        grants: SessionGrants,
        registry: ApprovalRegistry,
        desk: DecisionDesk,
        clock: Clock,
        find_folder: Callable[[str], Path] | None = None,
    ) -> None:
        self._standing = StandingYes(rules, grants, desk, clock)
        self._registry = registry
        self._desk = desk
        self._clock = clock
        self._find_folder = find_folder

    def stream(
        self, provider: ModelProvider, request: ModelRequest, fence: TurnFence
    ) -> AsyncIterator[ModelEvent]:
        """Stream one reply. Raises TurnStoppedError when the turn was stopped before."""
        fence.check()
        return provider.stream(request)

    async def call(
        self, tool: OfferedTool, call: ToolCall, caller: Caller, hooks: CallHooks
    ) -> ToolResult:
        """Decide, ask if needed, record, run. Never raises a ToolError: it is the result.

        Raises TurnStoppedError when Stop came before the act was admitted.
        """
        place = await self._place(tool, call)
        verdict = await self._standing.verdict(tool.spec, call.arguments, place)
        if verdict.tier is RiskTier.DENY:
            return await self._denied(tool, call, caller, verdict)
        if not self._needs_person(tool, call, caller, verdict, place):
            judged = self._allowed(tool, call, verdict)
            why = judged.verdict.reason
            return await self._admit(tool, call, caller, hooks, judged, Outcome.ALLOWED, "", why)
        caller.fence.check()
        try:
            question = self._question(tool, call, caller, verdict, place)
        except ToolArgumentsError as error:
            return await self._not_launched(_judge(tool, call, verdict), caller, error.sentence())
        await hooks.asking(verdict)
        settlement = await self._registry.ask(question)
        return await self.after_answer(tool, question, settlement, caller, hooks)

    async def after_answer(
        self,
        tool: OfferedTool,
        question: Question,
        settlement: Settlement,
        caller: Caller,
        hooks: CallHooks,
    ) -> ToolResult:
        """What follows from an answer, given now, after a restart or to what was parked."""
        call = question.call
        if settlement.answer is Answer.NOT_NOW:
            await self._desk.record(_judged(question), caller, Outcome.PARKED, settlement.by)
            return gate_results.parked()
        if not settlement.is_yes:
            await self._desk.record(_judged(question), caller, Outcome.REFUSED, settlement.by)
            return gate_results.refused(settlement)
        # The rules may have changed while the person thought about it, and the act that
        # runs must be the act that was shown.
        place = await self._place(tool, call)
        verdict = await self._standing.verdict(tool.spec, call.arguments, place)
        if verdict.tier is RiskTier.DENY:
            return await self._denied(tool, call, caller, verdict)
        if _digest(tool, call, place) != question.digest:
            reason = "it can't be run exactly as it was shown"
            return await self._not_launched(_judged(question), caller, reason)
        await self._standing.remember(tool.spec, question, settlement, place)
        why = f"you said yes on the {settlement.by}"
        judged = _judged(question)
        return await self._admit(
            tool, call, caller, hooks, judged, Outcome.ASKED, settlement.by, why
        )

    async def withdraw(self, caller: Caller, why: str) -> None:
        """The caller's turn ended: its questions die with it, which is recorded as a no."""
        for question in await self._registry.withdraw_turn(caller.turn_id, why):
            await self._desk.record(_judged(question), caller, Outcome.REFUSED, why)

    async def refuse_parked(self, question: Question, settlement: Settlement) -> None:
        """A no to what was put off: nothing runs, and it is recorded.

        Raises CommandRefusedError when it was answered already.
        """
        await self._registry.settle(question.approval.id, settlement)
        await self._record_unrun(question, settlement.by)

    async def withdraw_parked(self, thread_id: ThreadId, why: str) -> None:
        """A thread goes away: what was put off in it is withdrawn, recorded as a no."""
        for question in await self._registry.withdraw_parked(thread_id, why):
            await self._record_unrun(question, why)

    async def _record_unrun(self, question: Question, by: str) -> None:
        at = question.approval
        caller = Caller(at.thread_id, at.turn_id, at.teammate_id, TurnFence())
        await self._desk.record(_judged(question), caller, Outcome.REFUSED, by)

    def check_answer(self, request_id: RequestId, answer: Answer, days: int | None = None) -> None:
        """Raises CommandRefusedError for an answer that the request does not offer."""
        check_days(days)
        question = self._registry.find(request_id)
        if question is None:
            return
        approval = question.approval
        if answer is Answer.YES_THIS_RUN and not approval.scope_once:
            raise CommandRefusedError("This always asks; it can only be allowed once.")
        if answer is Answer.YES_ALWAYS and not approval.scope_always:
            raise CommandRefusedError("This can not become a standing permission.")

    async def _place(self, tool: OfferedTool, call: ToolCall) -> str | None:
        """The real folder of a command; None for other calls, and where there is none."""
        if self._find_folder is None or not is_command(tool.spec):
            return None
        try:
            return str(await asyncio.to_thread(self._find_folder, folder_of(call.arguments)))
        except AnkitaError:
            return None

    def _needs_person(
        self,
        tool: OfferedTool,
        call: ToolCall,
        caller: Caller,
        verdict: Verdict,
        place: str | None,
    ) -> bool:
        if verdict.tier is RiskTier.ALLOW:
            return False
        if verdict.tier is RiskTier.ASK_ONCE:
            arguments = call.arguments
            return not self._standing.covers(caller.teammate_id, tool.spec, arguments, place)
        return True

    def _allowed(self, tool: OfferedTool, call: ToolCall, verdict: Verdict) -> Judged:
        judged = _judge(tool, call, verdict)
        if verdict.tier is RiskTier.ASK_ONCE:
            reason = "you allowed it until Ankita closes"
            return replace(judged, verdict=Verdict(verdict.tier, Rule.GRANT, reason))
        return replace(judged, verdict=replace(verdict, reason=f"allowed: {verdict.reason}"))

    def _question(
        self,
        tool: OfferedTool,
        call: ToolCall,
        caller: Caller,
        verdict: Verdict,
        place: str | None,
    ) -> Question:
        once, always = scopes(tool.spec, call.arguments, verdict, place)
        approval = PendingApproval(
            id=RequestId(new_id()),
            thread_id=caller.thread_id,
            turn_id=caller.turn_id,
            call_id=call.id,
            teammate_id=caller.teammate_id,
            act=describe(tool.spec, call.arguments),
            verdict=verdict,
            created_at=self._clock.now().isoformat(),
            scope_once=once,
            scope_always=always,
        )
        return Question(approval, tool.spec.server, call, _digest(tool, call, place))

    async def _denied(
        self, tool: OfferedTool, call: ToolCall, caller: Caller, verdict: Verdict
    ) -> ToolResult:
        await self._desk.record(_judge(tool, call, verdict), caller, Outcome.DENIED, "")
        return gate_results.denied(verdict.reason)

    async def _not_launched(self, judged: Judged, caller: Caller, reason: str) -> ToolResult:
        refused = replace(judged, verdict=replace(judged.verdict, reason=reason))
        await self._desk.record(refused, caller, Outcome.REFUSED, "")
        return gate_results.not_launched(reason)

    async def _admit(
        self,
        tool: OfferedTool,
        call: ToolCall,
        caller: Caller,
        hooks: CallHooks,
        judged: Judged,
        outcome: Outcome,
        answered_by: str,
        why: str,
    ) -> ToolResult:
        caller.fence.check()
        entry = self._desk.entry(judged, caller, outcome, answered_by)
        # What a person said, or what lets a change run, must also outlive a power cut.
        durable = tool.spec.effect is Effect.CHANGES or outcome is not Outcome.ALLOWED
        await hooks.admitted(Admission(why, entry.write, durable))
        self._desk.tell(entry)
        # Stop may have come during the commits; from here on the act is on its way.
        caller.fence.check()
        context = CallContext(caller.thread_id, caller.turn_id, call.id, hooks.report)
        try:
            return await tool.provider.call(tool.spec.name, call.arguments, context)
        except (TurnStoppedError, asyncio.CancelledError):
            raise
        except AnkitaError as error:
            return ToolResult(ToolStatus.FAILED, f"Error: {error.sentence()}")
        except Exception as error:
            # A provider's own fault must not end the turn; whether a change happened is open.
            return gate_results.broke(tool, error)


def _digest(tool: OfferedTool, call: ToolCall, place: str | None) -> str:
    """What the yes is tied to; for a command also the folder that its path leads to."""
    bound = {} if place is None else {"folder": place}
    return act_digest(tool.spec, call.arguments, bound)


def _judge(tool: OfferedTool, call: ToolCall, verdict: Verdict) -> Judged:
    act = describe(tool.spec, call.arguments)
    return Judged(tool.spec.server, tool.spec.name, call.id, act, verdict)


def _judged(question: Question) -> Judged:
    approval = question.approval
    return Judged(
        question.server, question.call.name, approval.call_id, approval.act, approval.verdict
    )
