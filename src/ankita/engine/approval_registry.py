"""Requests that wait for a person: stored before anyone sees them, answered once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ankita.clock import Clock
from ankita.engine.commands import Answer
from ankita.engine.event_bus import EventBus
from ankita.engine.events import ApprovalRequested, ApprovalSettled
from ankita.engine.state import PendingApproval
from ankita.errors import CommandRefusedError
from ankita.ids import RequestId, TurnId
from ankita.messages import JsonObject, ToolCall
from ankita.security.acts import Act
from ankita.security.policy import Rule, Verdict
from ankita.security.tiers import RiskTier
from ankita.storage import Connection, Database, Row

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a request ended. `answer` None means it was withdrawn; `by` says by whom or why."""

    answer: Answer | None
    by: str

    @property
    def is_yes(self) -> bool:
        return self.answer is not None and self.answer is not Answer.NO


@dataclass(frozen=True, slots=True)
class Question:
    """A pending approval with what it takes to run the act later: the call and its digest."""

    approval: PendingApproval
    server: str
    call: ToolCall
    digest: str


class ApprovalRegistry:
    """The one writer of requests. `scrub` copies a JSON value without secrets."""

    def __init__(
        self, database: Database, scrub: Callable[[Any], Any], bus: EventBus, clock: Clock
    ) -> None:
        self._database = database
        self._scrub = scrub
        self._bus = bus
        self._clock = clock
        self._questions: dict[RequestId, Question] = {}
        self._waiters: dict[RequestId, asyncio.Future[Settlement]] = {}

    async def restore(self) -> Sequence[Question]:
        """The requests that were pending when the process ended, the oldest first."""
        query = "SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        questions = [question for row in rows if (question := _question_or_none(row))]
        self._questions = {q.approval.id: q for q in questions}
        return questions

    async def ask(self, question: Question) -> Settlement:
        """Store the request, show it everywhere and wait for its one answer.

        A cancelled wait leaves the request pending; whoever ends the turn withdraws it.
        """
        approval = question.approval
        waiter: asyncio.Future[Settlement] = asyncio.get_running_loop().create_future()
        await self._store(question)
        self._questions[approval.id] = question
        self._waiters[approval.id] = waiter
        self._bus.emit(ApprovalRequested(approval))
        return await waiter

    def find(self, request_id: RequestId) -> Question | None:
        """The pending request, None when it is settled or unknown."""
        return self._questions.get(request_id)

    def is_awaited(self, request_id: RequestId) -> bool:
        """Whether a running turn waits for it; False for a request from before a restart."""
        return request_id in self._waiters

    async def settle(self, request_id: RequestId, settlement: Settlement) -> Question:
        """Commit the answer, then tell everyone.

        Raises CommandRefusedError naming who answered first when it is settled already.
        """
        question = self._questions.get(request_id)
        if question is None:
            raise CommandRefusedError(await self._already(request_id))
        # Shielded: once the answer is committed, memory and windows must follow.
        return await asyncio.shield(
            asyncio.ensure_future(self._settle(request_id, question, settlement))
        )

    async def _settle(
        self, request_id: RequestId, question: Question, settlement: Settlement
    ) -> Question:
        if not await self._commit(request_id, settlement):
            raise CommandRefusedError(await self._already(request_id))
        self._questions.pop(request_id, None)
        waiter = self._waiters.pop(request_id, None)
        answer = "withdrawn" if settlement.answer is None else _word(settlement)
        self._bus.emit(ApprovalSettled(request_id, answer, settlement.by))
        if waiter is not None and not waiter.done():
            waiter.set_result(settlement)
        return question

    async def withdraw_turn(self, turn_id: TurnId, why: str) -> Sequence[Question]:
        """Withdraw every request of a turn that ended; returns those that were still open."""
        withdrawn = []
        for question in list(self._questions.values()):
            if question.approval.turn_id != turn_id:
                continue
            try:
                withdrawn.append(await self.settle(question.approval.id, Settlement(None, why)))
            except CommandRefusedError:
                # Answered in the same moment; that answer stands, and nothing more is admitted.
                log.info("a request was answered while its turn ended")
        return withdrawn

    async def _store(self, question: Question) -> None:
        approval = question.approval
        body = self._scrub(
            {
                "act": asdict(approval.act),
                "verdict": asdict(approval.verdict),
                "scope_once": approval.scope_once,
                "scope_always": approval.scope_always,
                "server": question.server,
                "name": question.call.name,
                "arguments": question.call.arguments,
            }
        )
        values = (
            approval.id,
            approval.thread_id,
            approval.turn_id,
            approval.call_id,
            approval.teammate_id,
            question.digest,
            json.dumps(body, ensure_ascii=False),
            approval.created_at,
        )
        await self._database.write(
            lambda c: c.execute(
                "INSERT INTO approvals (id, thread_id, turn_id, call_id, teammate_id, digest, body,"
                " created_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending')",
                values,
            )
        )

    async def _commit(self, request_id: RequestId, settlement: Settlement) -> bool:
        state = "withdrawn" if settlement.answer is None else _word(settlement)
        values = (state, settlement.by, self._clock.now().isoformat(), request_id)

        def work(connection: Connection) -> bool:
            changed = connection.execute(
                "UPDATE approvals SET state = ?, answered_by = ?, answered_at = ?"
                " WHERE id = ? AND state = 'pending'",
                values,
            )
            return changed.rowcount == 1

        return await self._database.write(work)

    async def _already(self, request_id: RequestId) -> str:
        query = "SELECT state, answered_by FROM approvals WHERE id = ?"
        row = await self._database.read(lambda c: c.execute(query, (request_id,)).fetchone())
        if row is None:
            return "There is no such request."
        if row["state"] == "withdrawn":
            return f"This request was withdrawn: {row['answered_by']}."
        return f"This was answered already: {row['state']}, on the {row['answered_by']}."


def _word(settlement: Settlement) -> str:
    return "yes" if settlement.is_yes else "no"


def _question_or_none(row: Row) -> Question | None:
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
        from_before=True,
    )
    call = ToolCall(row["call_id"], body["name"], body["arguments"])
    return Question(approval, body["server"], call, row["digest"])
