"""Standing permissions as the user manages them: end one, repair the rules file."""

from __future__ import annotations

import asyncio

from ankita.engine.commands import RemoveRule, RepairRules
from ankita.engine.decisions import DecisionDesk
from ankita.errors import CommandRefusedError
from ankita.security.grants import SessionGrants
from ankita.security.tier_store import TierStore


class Permissions:
    """Only ever takes permissions away; giving one is an answer to a question."""

    def __init__(self, rules: TierStore, grants: SessionGrants, desk: DecisionDesk) -> None:
        self._rules = rules
        self._grants = grants
        self._desk = desk

    async def handle(self, command: RemoveRule | RepairRules) -> None:
        match command:
            case RemoveRule("run", server, tool, teammate_id) if teammate_id is not None:
                self._grants.revoke(teammate_id, f"{server}:{tool}")
            case RemoveRule("app", _, app):
                await asyncio.to_thread(self._rules.remove_app_rule, app)
            case RemoveRule("tool", server, tool):
                await asyncio.to_thread(self._rules.remove_rule, server, tool)
            case RemoveRule(kind):
                raise CommandRefusedError(f"A rule of the kind {kind!r} can't be removed here.")
            case RepairRules():
                await asyncio.to_thread(self._rules.repair)
        self._desk.rules_changed()
