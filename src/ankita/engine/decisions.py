"""Writes the record of decisions and shows it, with counters and standing rules, in the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ankita.clock import Clock
from ankita.engine.event_bus import EventBus
from ankita.engine.events import (
    RECORD_LINES,
    DecisionRecorded,
    NoticeRaised,
    RecordFoundBroken,
    RulesChanged,
)
from ankita.engine.state import DecisionState, GateState, Notice, RuleState, ServerCounters
from ankita.errors import AnkitaError
from ankita.ids import CallId, TeammateId, ThreadId, new_id
from ankita.memory.transcript import NoticeLevel
from ankita.security.acts import Act
from ankita.security.audit import AuditLog, Decision, Entry, Outcome
from ankita.security.grants import SessionGrants
from ankita.security.policy import Verdict
from ankita.security.tier_store import TierStore
from ankita.security.tiers import RiskTier

if TYPE_CHECKING:
    from ankita.engine.gate import Caller


@dataclass(frozen=True, slots=True)
class Judged:
    """One call and the verdict on it, as it goes into the record."""

    server: str
    tool: str
    call_id: CallId
    act: Act
    verdict: Verdict


class DecisionDesk:
    """Between the gate and the record: one call a decision, told to every window."""

    def __init__(
        self, log: AuditLog, rules: TierStore, grants: SessionGrants, bus: EventBus, clock: Clock
    ) -> None:
        self._log = log
        self._rules = rules
        self._grants = grants
        self._bus = bus
        self._clock = clock

    async def load(self) -> GateState:
        """The record's newest lines, its counters, and the rules. See also `verify`."""
        newest = await self._log.newest(RECORD_LINES)
        return GateState(
            closed_reason=self._rules.rules.closed_reason,
            rules=self._list_rules(),
            record=tuple(_line(number, decision) for number, decision in newest),
            record_length=await self._log.length(),
            counters=await self._counters(),
        )

    async def verify(self) -> None:
        """Check the whole record; tells every window when it was edited."""
        broken_at = await self._log.broken_at()
        if broken_at is not None:
            self._bus.emit(RecordFoundBroken(broken_at))

    async def record(
        self, judged: Judged, caller: Caller, outcome: Outcome, answered_by: str
    ) -> None:
        """Commit one decision before anything follows from it. Raises WriteError."""
        entry = self.entry(judged, caller, outcome, answered_by)
        await self._log.record(entry)
        self.tell(entry)

    def entry(self, judged: Judged, caller: Caller, outcome: Outcome, answered_by: str) -> Entry:
        """One decision for the transaction in which its act is admitted; then `tell` it."""
        act, verdict = judged.act, judged.verdict
        decision = Decision(
            at=self._clock.now().isoformat(),
            thread_id=caller.thread_id,
            turn_id=caller.turn_id,
            call_id=judged.call_id,
            teammate_id=caller.teammate_id,
            server=judged.server,
            tool=judged.tool,
            title=act.title(),
            target=act.target,
            tier=int(verdict.tier),
            rule=str(verdict.rule),
            reason=verdict.reason,
            answered_by=answered_by,
            outcome=outcome,
        )
        return self._log.entry(decision)

    def tell(self, entry: Entry) -> None:
        """Show a decision that was committed to every window."""
        decision = entry.decision
        counters = dict(self._bus.state.gate.counters)
        old = counters.get(decision.server, ServerCounters())
        counters[decision.server] = _counted(old, decision.outcome)
        self._bus.emit(DecisionRecorded(_line(entry.number, decision), counters))

    def rules_changed(self) -> None:
        """Tell every window which permissions stand now."""
        gate = self._bus.state.gate
        rules, reason = self._list_rules(), self._rules.rules.closed_reason
        if (rules, reason) != (gate.rules, gate.closed_reason):
            self._bus.emit(RulesChanged(rules, reason))

    def say_not_kept(self, error: AnkitaError) -> None:
        """A wanted standing permission could not be stored; the one act was allowed."""
        text = f"This was allowed once, but not for always: {error.sentence()}"
        self._bus.emit(NoticeRaised(Notice(new_id(), text, NoticeLevel.WARNING)))

    def _list_rules(self) -> tuple[RuleState, ...]:
        standing = [
            RuleState(
                server=rule.server,
                tool=rule.target,
                tier=int(rule.tier),
                scope=rule.scope,
                created_at=rule.created_at.isoformat() if rule.created_at else "",
                kind=str(rule.kind),
                ends_at=rule.ends_at.isoformat() if rule.ends_at else "",
            )
            for rule in self._rules.listing()
        ]
        for grant in self._grants.list():
            server, _, tool = grant.key.partition(":")
            standing.append(
                RuleState(
                    server=server,
                    tool=tool,
                    tier=int(RiskTier.ASK_ONCE),
                    scope=grant.scope,
                    created_at=grant.created_at.isoformat(),
                    kind="run",
                    teammate_id=grant.teammate,
                    ends_at=grant.ends_at.isoformat(),
                )
            )
        return tuple(standing)

    async def _counters(self) -> dict[str, ServerCounters]:
        counted = await self._log.counters()
        return {
            server: ServerCounters(
                allowed=outcomes.get(Outcome.ALLOWED, 0),
                asked=outcomes.get(Outcome.ASKED, 0) + outcomes.get(Outcome.REFUSED, 0),
                denied=outcomes.get(Outcome.DENIED, 0) + outcomes.get(Outcome.REFUSED, 0),
            )
            for server, outcomes in counted.items()
        }


def _counted(counters: ServerCounters, outcome: Outcome) -> ServerCounters:
    asked = outcome in (Outcome.ASKED, Outcome.REFUSED)
    denied = outcome in (Outcome.DENIED, Outcome.REFUSED)
    return ServerCounters(
        allowed=counters.allowed + (outcome is Outcome.ALLOWED),
        asked=counters.asked + asked,
        denied=counters.denied + denied,
    )


def _line(number: int, decision: Decision) -> DecisionState:
    return DecisionState(
        sequence=number,
        at=decision.at,
        teammate_id=TeammateId(decision.teammate_id),
        thread_id=ThreadId(decision.thread_id),
        title=decision.title,
        target=decision.target,
        server=decision.server,
        tier=decision.tier,
        rule=decision.rule,
        reason=decision.reason,
        answered_by=decision.answered_by,
        outcome=str(decision.outcome),
    )
