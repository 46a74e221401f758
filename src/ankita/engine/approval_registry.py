"""Requests that wait for a person: stored before anyone sees them, answered once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ankita.clock import Clock
from ankita.engine.approval_rows import Question, body_of, question_or_none
from ankita.engine.commands import Answer
from ankita.engine.event_bus import EventBus
from ankita.engine.events import ApprovalParked, ApprovalRequested, ApprovalSettled
from ankita.errors import CommandRefusedError
from ankita.ids import RequestId, ThreadId, TurnId
from ankita.storage import Connection, Database

__all__ = ["ApprovalRegistry", "Question", "Settlement"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a request. `answer` None means it was withdrawn; `by` says by whom or why.

    `days` ends the lasting rule of a YES_ALWAYS; None lets it last.
    """

    answer: Answer | None
    by: str
    days: int | None = None

    @property
    def is_yes(self) -> bool:
        return self.answer in (Answer.YES_ONCE, Answer.YES_THIS_RUN, Answer.YES_ALWAYS)


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
        questions = [question for row in rows if (question := question_or_none(row))]
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

    def parked(self, thread_id: ThreadId | None = None) -> Sequence[Question]:
        """What the user put off, of one thread or of all, the oldest first."""
        return [
            question
            for question in self._questions.values()
            if question.is_parked and thread_id in (None, question.approval.thread_id)
        ]

    def find(self, request_id: RequestId) -> Question | None:
        """The pending request, None when it is settled or unknown."""
        return self._questions.get(request_id)

    def is_awaited(self, request_id: RequestId) -> bool:
        """Whether a running turn waits for it; False for one that is parked or from before
        a restart."""
        return request_id in self._waiters

    async def settle(self, request_id: RequestId, settlement: Settlement) -> Question:
        """Commit the answer, then tell everyone. NOT_NOW parks it: it stays pending.

        Raises CommandRefusedError naming who answered first when it is settled already,
        and for NOT_NOW when it is parked already.
        """
        question = self._questions.get(request_id)
        if question is None:
            raise CommandRefusedError(await self._already(request_id))
        is_put_off = settlement.answer is Answer.NOT_NOW
        if is_put_off and question.is_parked:
            raise CommandRefusedError("This is put off already; say yes or no to it.")
        work = self._park if is_put_off else self._settle
        # Shielded: once the answer is committed, memory and windows must follow.
        return await asyncio.shield(asyncio.ensure_future(work(request_id, question, settlement)))

    async def _park(
        self, request_id: RequestId, question: Question, settlement: Settlement
    ) -> Question:
        now = self._clock.now().isoformat()
        if not await self._commit_parked(request_id, now):
            raise CommandRefusedError(await self._already(request_id))
        approval = replace(question.approval, parked_at=now, from_before=False)
        parked = replace(question, approval=approval)
        self._questions[request_id] = parked
        self._bus.emit(ApprovalParked(approval))
        self._wake(request_id, settlement)
        return parked

    async def _settle(
        self, request_id: RequestId, question: Question, settlement: Settlement
    ) -> Question:
        if not await self._commit(question, settlement):
            raise CommandRefusedError(await self._already(request_id))
        self._questions.pop(request_id, None)
        answer = "withdrawn" if settlement.answer is None else _word(settlement)
        self._bus.emit(ApprovalSettled(request_id, answer, settlement.by))
        self._wake(request_id, settlement)
        return question

    def _wake(self, request_id: RequestId, settlement: Settlement) -> None:
        """Let the call that waits for the answer go on."""
        waiter = self._waiters.pop(request_id, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(settlement)

    async def withdraw_turn(self, turn_id: TurnId, why: str) -> Sequence[Question]:
        """Withdraw every request of a turn that ended; returns those that were still open.

        What is parked stays.
        """
        questions = self._questions.values()
        ended = [q for q in questions if q.approval.turn_id == turn_id and not q.is_parked]
        return await self._withdraw(ended, why)

    async def withdraw_parked(self, thread_id: ThreadId, why: str) -> Sequence[Question]:
        """Withdraw what is parked in a thread that goes away; returns what was still open."""
        return await self._withdraw(self.parked(thread_id), why)

    async def _withdraw(self, questions: Sequence[Question], why: str) -> Sequence[Question]:
        withdrawn = []
        for question in questions:
            try:
                withdrawn.append(await self.settle(question.approval.id, Settlement(None, why)))
            except CommandRefusedError:
                # Answered in the same moment; that answer stands, and nothing more is admitted.
                log.info("a request was answered while its turn ended")
        return withdrawn

    async def _store(self, question: Question) -> None:
        approval = question.approval
        body = self._scrub(body_of(question))
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

    async def _commit(self, question: Question, settlement: Settlement) -> bool:
        state = "withdrawn" if settlement.answer is None else _word(settlement)
        approval = question.approval
        now = self._clock.now().isoformat()
        # One that was parked in the same moment has nobody left who would run its act.
        values = (state, settlement.by, now, approval.id, approval.parked_at)

        def work(connection: Connection) -> bool:
            changed = connection.execute(
                "UPDATE approvals SET state = ?, answered_by = ?, answered_at = ?"
                " WHERE id = ? AND state = 'pending' AND parked_at = ?",
                values,
            )
            return changed.rowcount == 1

        return await self._database.write(work)

    async def _commit_parked(self, request_id: RequestId, now: str) -> bool:
        query = (
            "UPDATE approvals SET parked_at = ?"
            " WHERE id = ? AND state = 'pending' AND parked_at = ''"
        )
        return await self._database.write(
            lambda c: c.execute(query, (now, request_id)).rowcount == 1
        )

    async def _already(self, request_id: RequestId) -> str:
        query = "SELECT state, answered_by FROM approvals WHERE id = ?"
        row = await self._database.read(lambda c: c.execute(query, (request_id,)).fetchone())
        if row is None:
            return "There is no such request."
        if row["state"] == "pending":
            return "This was put off in the meantime; answer it again."
        if row["state"] == "withdrawn":
            return f"This request was withdrawn: {row['answered_by']}."
        return f"This was answered already: {row['state']}, on the {row['answered_by']}."


def _word(settlement: Settlement) -> str:
    return "yes" if settlement.is_yes else "no"
