"""The gate: the one place that calls a provider, models included.

For each call: a verdict, a question where one is needed, the verdict once more after
the answer, the record, and only then the act. What authorises is committed first.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

from ankita.clock import Clock
from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.commands import Answer
from ankita.engine.decisions import DecisionDesk, Judged
from ankita.engine.fence import TurnFence, TurnStoppedError
from ankita.engine.state import PendingApproval
from ankita.engine.toolbox import OfferedTool
from ankita.errors import AnkitaError, CommandRefusedError, ToolArgumentsError
from ankita.ids import RequestId, TeammateId, ThreadId, TurnId, new_id
from ankita.messages import (
    Effect,
    ModelEvent,
    ModelRequest,
    ToolCall,
    ToolResult,
    ToolStatus,
)
from ankita.protocols import CallContext, ModelProvider
from ankita.security.acts import act_digest, describe, grant_key, rule_name
from ankita.security.audit import Outcome
from ankita.security.grants import SessionGrants
from ankita.security.policy import Rule, Verdict, decide
from ankita.security.tier_store import TierStore
from ankita.security.tiers import RiskTier

REFUSED_ADVICE = "Do not try it again in another way; ask the user what they want instead."


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a call is made, and the fence that Stop closes."""

    thread_id: ThreadId
    turn_id: TurnId
    teammate_id: TeammateId
    fence: TurnFence


@dataclass(frozen=True, slots=True)
class CallHooks:
    """What the turn does at each door. `admitted` must commit before it returns."""

    asking: Callable[[Verdict], Awaitable[None]]
    admitted: Callable[[str], Awaitable[None]]
    report: Callable[[str], None]


class Gate:
    """Takes its rules, grants, registry and record; owns none of them alone."""

    def __init__(
        self,
        rules: TierStore,
        grants: SessionGrants,
        registry: ApprovalRegistry,
        desk: DecisionDesk,
        clock: Clock,
    ) -> None:
        self._rules = rules
        self._grants = grants
        self._registry = registry
        self._desk = desk
        self._clock = clock

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
        verdict = self._verdict(tool, call)
        if verdict.tier is RiskTier.DENY:
            return await self._denied(tool, call, caller, verdict)
        if not self._needs_person(tool, call, caller, verdict):
            judged = self._allowed(tool, call, verdict)
            why = judged.verdict.reason
            return await self._admit(tool, call, caller, hooks, judged, Outcome.ALLOWED, "", why)
        caller.fence.check()
        try:
            question = self._question(tool, call, caller, verdict)
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
        """What follows from an answer, given now or after a restart."""
        call = question.call
        if not settlement.is_yes:
            await self._desk.record(_judged(question), caller, Outcome.REFUSED, settlement.by)
            return ToolResult(ToolStatus.DENIED, f"Denied: {_no(settlement)} {REFUSED_ADVICE}")
        # The rules may have changed while the person thought about it, and the act that
        # runs must be the act that was shown.
        verdict = self._verdict(tool, call)
        if verdict.tier is RiskTier.DENY:
            return await self._denied(tool, call, caller, verdict)
        if act_digest(tool.spec, call.arguments) != question.digest:
            reason = "it can't be run exactly as it was shown"
            return await self._not_launched(_judged(question), caller, reason)
        await self._remember(tool, question, caller, settlement.answer)
        why = f"you said yes on the {settlement.by}"
        judged = _judged(question)
        return await self._admit(
            tool, call, caller, hooks, judged, Outcome.ASKED, settlement.by, why
        )

    async def withdraw(self, caller: Caller, why: str) -> None:
        """The caller's turn ended: its questions die with it, which is recorded as a no."""
        for question in await self._registry.withdraw_turn(caller.turn_id, why):
            await self._desk.record(_judged(question), caller, Outcome.REFUSED, why)

    def check_answer(self, request_id: RequestId, answer: Answer) -> None:
        """Raises CommandRefusedError for an answer that the request does not offer."""
        question = self._registry.find(request_id)
        if question is None:
            return
        approval = question.approval
        if answer is Answer.YES_THIS_RUN and not approval.scope_once:
            raise CommandRefusedError("This always asks; it can only be allowed once.")
        if answer is Answer.YES_ALWAYS and not approval.scope_always:
            raise CommandRefusedError("This can not become a standing permission.")

    def _verdict(self, tool: OfferedTool, call: ToolCall) -> Verdict:
        return decide(tool.spec, call.arguments, self._rules.rules)

    def _needs_person(
        self, tool: OfferedTool, call: ToolCall, caller: Caller, verdict: Verdict
    ) -> bool:
        if verdict.tier is RiskTier.ALLOW:
            return False
        if verdict.tier is RiskTier.ASK_ONCE:
            key = grant_key(tool.spec, call.arguments)
            return not self._grants.covers(caller.teammate_id, key)
        return True

    def _allowed(self, tool: OfferedTool, call: ToolCall, verdict: Verdict) -> Judged:
        judged = _judge(tool, call, verdict)
        if verdict.tier is RiskTier.ASK_ONCE:
            reason = "you allowed it until Ankita closes"
            return replace(judged, verdict=Verdict(verdict.tier, Rule.GRANT, reason))
        return replace(judged, verdict=replace(verdict, reason=f"allowed: {verdict.reason}"))

    def _question(
        self, tool: OfferedTool, call: ToolCall, caller: Caller, verdict: Verdict
    ) -> Question:
        act = describe(tool.spec, call.arguments)
        once = verdict.tier is RiskTier.ASK_ONCE
        approval = PendingApproval(
            id=RequestId(new_id()),
            thread_id=caller.thread_id,
            turn_id=caller.turn_id,
            call_id=call.id,
            teammate_id=caller.teammate_id,
            act=act,
            verdict=verdict,
            created_at=self._clock.now().isoformat(),
            scope_once=f"{act.title()}, until Ankita closes" if once else "",
            scope_always=f"{act.title()}, until you remove it in Approvals" if once else "",
        )
        digest = act_digest(tool.spec, call.arguments)
        return Question(approval, tool.spec.server, call, digest)

    async def _remember(
        self, tool: OfferedTool, question: Question, caller: Caller, answer: Answer | None
    ) -> None:
        spec, arguments = tool.spec, question.call.arguments
        approval = question.approval
        if answer is Answer.YES_THIS_RUN:
            key = grant_key(spec, arguments)
            self._grants.grant(caller.teammate_id, key, approval.scope_once)
        elif answer is Answer.YES_ALWAYS:
            try:
                await asyncio.to_thread(
                    self._rules.set_tool_rule,
                    spec.server,
                    rule_name(spec, arguments),
                    RiskTier.ALLOW,
                    approval.scope_always,
                    self._clock.now(),
                    present=self._verdict(tool, question.call),
                )
            except AnkitaError as error:
                # The yes covers this act all the same; the lasting part is what is missing.
                self._desk.say_not_kept(error)
        self._desk.rules_changed()

    async def _denied(
        self, tool: OfferedTool, call: ToolCall, caller: Caller, verdict: Verdict
    ) -> ToolResult:
        await self._desk.record(_judge(tool, call, verdict), caller, Outcome.DENIED, "")
        return ToolResult(ToolStatus.DENIED, f"Denied: {verdict.reason}. {REFUSED_ADVICE}")

    async def _not_launched(self, judged: Judged, caller: Caller, reason: str) -> ToolResult:
        refused = replace(judged, verdict=replace(judged.verdict, reason=reason))
        await self._desk.record(refused, caller, Outcome.REFUSED, "")
        return ToolResult(ToolStatus.FAILED, f"Error: {reason.rstrip('.')}; it was not run.")

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
        await self._desk.record(judged, caller, outcome, answered_by)
        await hooks.admitted(why)
        # Stop may have come during the commits; from here on the act is on its way.
        caller.fence.check()
        context = CallContext(caller.thread_id, caller.turn_id, call.id, hooks.report)
        try:
            return await tool.provider.call(call.name, call.arguments, context)
        except (TurnStoppedError, asyncio.CancelledError):
            raise
        except AnkitaError as error:
            return ToolResult(ToolStatus.FAILED, f"Error: {error.sentence()}")
        except Exception as error:
            # A provider's own fault must not end the turn; whether a change happened is open.
            return _broke(tool, error)


def _judge(tool: OfferedTool, call: ToolCall, verdict: Verdict) -> Judged:
    act = describe(tool.spec, call.arguments)
    return Judged(tool.spec.server, tool.spec.name, call.id, act, verdict)


def _judged(question: Question) -> Judged:
    approval = question.approval
    return Judged(
        question.server, question.call.name, approval.call_id, approval.act, approval.verdict
    )


def _broke(tool: OfferedTool, error: Exception) -> ToolResult:
    kind = type(error).__name__
    if tool.spec.effect is Effect.READS:
        return ToolResult(ToolStatus.FAILED, f"Error: the tool broke ({kind}).")
    return ToolResult(
        ToolStatus.UNCERTAIN,
        f"Error: tool outcome is uncertain, the tool broke ({kind}); check before doing it again.",
    )


def _no(settlement: Settlement) -> str:
    if settlement.answer is None:
        return f"the request was withdrawn ({settlement.by})."
    return f"the user said no on the {settlement.by}. Nothing was done."
