"""A request as a row: what of it lies in the JSON body, and how it is read back."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass

from ankita.engine.state import PendingApproval
from ankita.ids import RequestId
from ankita.messages import JsonObject, ToolCall
from ankita.security.acts import Act
from ankita.security.policy import Rule, Verdict
from ankita.security.tiers import RiskTier
from ankita.storage import Row

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A pending approval with what it takes to run the act later: the call and its digest."""

    approval: PendingApproval
    server: str
    call: ToolCall
    digest: str

    @property
    def is_parked(self) -> bool:
        """Whether the user said "not now": it waits for no turn and dies with none."""
        return bool(self.approval.parked_at)


def body_of(question: Question) -> JsonObject:
    """What is stored beside the columns."""
    approval = question.approval
    return {
        "act": asdict(approval.act),
        "verdict": asdict(approval.verdict),
        "scope_once": approval.scope_once,
        "scope_always": approval.scope_always,
        "server": question.server,
        "name": question.call.name,
        "arguments": question.call.arguments,
    }


def question_or_none(row: Row) -> Question | None:
    """The request, None when the row can't be read."""
    try:
        return _question(row)
    except (ValueError, KeyError, TypeError):
        # Never shown, so never answered: the act stays undone, which is the safe end.
        log.exception("a pending request could not be read")
        return None


def _question(row: Row) -> Question:
    body: JsonObject = json.loads(row["body"])
    act = dict(body["act"])
    act["fields"] = tuple((label, value) for label, value in act["fields"])
    verdict = body["verdict"]
    approval = PendingApproval(
        id=RequestId(row["id"]),
        thread_id=row["thread_id"],
        turn_id=row["turn_id"],
        call_id=row["call_id"],
        teammate_id=row["teammate_id"],
        act=Act(**act),
        verdict=Verdict(RiskTier(verdict["tier"]), Rule(verdict["rule"]), verdict["reason"]),
        created_at=row["created_at"],
        scope_once=body["scope_once"],
        scope_always=body["scope_always"],
        # What was put off was not interrupted: it waits as the user left it.
        from_before=not row["parked_at"],
        parked_at=row["parked_at"],
    )
    call = ToolCall(row["call_id"], body["name"], body["arguments"])
    return Question(approval, body["server"], call, row["digest"])
