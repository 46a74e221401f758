"""A yes that covers more than one act: whether one stands, and keeping or ending it."""

from __future__ import annotations

import asyncio
import logging

from ankita.clock import Clock
from ankita.engine.approval_registry import Question, Settlement
from ankita.engine.approval_scopes import end_after, lasting_scope
from ankita.engine.commands import Answer
from ankita.engine.decisions import DecisionDesk
from ankita.errors import AnkitaError
from ankita.ids import TeammateId
from ankita.messages import JsonObject, ToolSpec
from ankita.security.acts import grant_key, rule_name, text_hash
from ankita.security.grants import SessionGrants
from ankita.security.policy import Rule, Verdict, decide, outdated_rules
from ankita.security.tier_store import TierStore
from ankita.security.tiers import RiskTier

log = logging.getLogger(__name__)


class StandingYes:
    """Lasting rules and what was allowed for this run, on behalf of the gate.

    `place` is the real path of the folder that a command runs in, None for other calls.
    """

    def __init__(
        self, rules: TierStore, grants: SessionGrants, desk: DecisionDesk, clock: Clock
    ) -> None:
        self._rules = rules
        self._grants = grants
        self._desk = desk
        self._clock = clock

    async def verdict(self, spec: ToolSpec, arguments: JsonObject, place: str | None) -> Verdict:
        """The verdict by the rules of now. A rule made for another text of the tool ends."""
        verdict = decide(spec, arguments, self._rules.rules, place)
        if verdict.rule is Rule.TEXT_CHANGED:
            await self._end_outdated(spec, arguments)
        return verdict

    def covers(
        self, teammate_id: TeammateId, spec: ToolSpec, arguments: JsonObject, place: str | None
    ) -> bool:
        """Whether a yes for this run covers the call."""
        key = grant_key(spec, arguments, place)
        return self._grants.covers(teammate_id, key, text_hash(spec))

    async def remember(
        self, spec: ToolSpec, question: Question, settlement: Settlement, place: str | None
    ) -> None:
        """Keep what a longer yes covers. A rule that can't be stored is said, not raised."""
        approval = question.approval
        if settlement.answer is Answer.YES_THIS_RUN:
            key = grant_key(spec, question.call.arguments, place)
            self._grants.grant(approval.teammate_id, key, approval.scope_once, text_hash(spec))
        elif settlement.answer is Answer.YES_ALWAYS:
            try:
                await self._store_rule(spec, question, settlement.days, place)
            except AnkitaError as error:
                # The yes covers this act all the same; the lasting part is what is missing.
                self._desk.say_not_kept(error)
        self._desk.rules_changed()

    async def _store_rule(
        self, spec: ToolSpec, question: Question, days: int | None, place: str | None
    ) -> None:
        arguments, now = question.call.arguments, self._clock.now()
        ends_at = end_after(days, now)
        await asyncio.to_thread(
            self._rules.set_tool_rule,
            spec.server,
            rule_name(spec, arguments, place),
            RiskTier.ALLOW,
            lasting_scope(question.approval.scope_always, ends_at),
            now,
            present=decide(spec, arguments, self._rules.rules, place),
            ends_at=ends_at,
            text_hash=text_hash(spec),
        )

    async def _end_outdated(self, spec: ToolSpec, arguments: JsonObject) -> None:
        try:
            for name in outdated_rules(spec, arguments, self._rules.rules):
                await asyncio.to_thread(self._rules.remove_rule, spec.server, name)
        except AnkitaError:
            # It does not count in any case; it only stays listed until it can be removed.
            log.exception("an outdated rule could not be removed")
        self._desk.rules_changed()
