"""The record of decisions: append-only rows, each hashed over the one before it (APR-10)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from ankita.security.decision_chain import GENESIS, ChainRow, chain_hash, verify_chain
from ankita.storage import Connection, Database, Row

log = logging.getLogger(__name__)


class Outcome(StrEnum):
    """ALLOWED without a question; ASKED and a person said yes; REFUSED by a person, or the
    request was withdrawn; PARKED, a person said "not now"; DENIED by the blocklist."""

    ALLOWED = "allowed"
    ASKED = "asked"
    REFUSED = "refused"
    PARKED = "parked"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Decision:
    """Who let which act run, or not. `answered_by` is empty when nobody was asked."""

    at: str
    thread_id: str
    turn_id: str
    call_id: str
    teammate_id: str
    server: str
    tool: str
    title: str
    target: str
    tier: int
    rule: str
    reason: str
    answered_by: str
    outcome: Outcome


class Entry:
    """A decision on its way into the record; `body` is what is kept of it.

    `write` belongs into the transaction that lets the act run: both are stored, or neither.
    """

    def __init__(self, decision: Decision, body: Mapping[str, Any]) -> None:
        self.decision = decision
        self.number = 0
        """From 1, once it was written."""
        self._body = body

    def write(self, connection: Connection) -> None:
        """Append it to the record."""
        last = connection.execute(
            "SELECT sequence, hash FROM decisions ORDER BY sequence DESC LIMIT 1"
        ).fetchone()
        sequence, before = (last["sequence"], last["hash"]) if last else (0, GENESIS)
        connection.execute(
            "INSERT INTO decisions (sequence, server, outcome, body, hash) VALUES (?, ?, ?, ?, ?)",
            (
                sequence + 1,
                self.decision.server,
                self.decision.outcome,
                json.dumps(self._body, ensure_ascii=False),
                chain_hash(before, self._body),
            ),
        )
        self.number = sequence + 1


class AuditLog:
    """The only writer of the record. `scrub` copies a JSON value without secrets."""

    def __init__(self, database: Database, scrub: Callable[[Any], Any]) -> None:
        self._database = database
        self._scrub = scrub

    def entry(self, decision: Decision) -> Entry:
        """The decision without secrets, for a transaction of the caller's."""
        return Entry(decision, self._scrub(asdict(decision)))

    async def record(self, entry: Entry) -> None:
        """Commit a decision by itself. Raises WriteError."""
        await self._database.write(entry.write)

    async def newest(self, limit: int) -> Sequence[tuple[int, Decision]]:
        """The newest decisions that can be read, with their numbers, oldest first."""
        query = "SELECT sequence, body FROM decisions ORDER BY sequence DESC LIMIT ?"
        rows = await self._database.read(lambda c: c.execute(query, (limit,)).fetchall())
        read = [(row["sequence"], _decision_or_none(row["body"])) for row in reversed(rows)]
        return [(number, decision) for number, decision in read if decision is not None]

    async def length(self) -> int:
        """How many decisions were recorded."""
        query = "SELECT COALESCE(MAX(sequence), 0) AS n FROM decisions"
        return int((await self._database.read(lambda c: c.execute(query).fetchone()))["n"])

    async def counters(self) -> Mapping[str, Mapping[Outcome, int]]:
        """For each server, how many calls ended in each outcome."""
        query = "SELECT server, outcome, COUNT(*) AS n FROM decisions GROUP BY server, outcome"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        counted: dict[str, dict[Outcome, int]] = {}
        for row in rows:
            if row["outcome"] in set(Outcome):
                counted.setdefault(row["server"], {})[Outcome(row["outcome"])] = row["n"]
        return counted

    async def broken_at(self) -> int | None:
        """The number of the first entry that was edited, or removed before, None if intact.

        Reads the whole record, off the loop.
        """
        return await self._database.read(_first_broken)


def _first_broken(connection: Connection) -> int | None:
    rows = connection.execute("SELECT server, outcome, body, hash FROM decisions ORDER BY sequence")
    broken = verify_chain(_chain_row(row) for row in rows)
    return None if broken is None else broken + 1


def _chain_row(row: Row) -> ChainRow:
    """The columns that are counted belong to the entry: where they differ, it was edited."""
    try:
        body = json.loads(row["body"])
        if (body["server"], body["outcome"]) == (row["server"], row["outcome"]):
            return ChainRow(body, row["hash"])
    except (ValueError, KeyError, TypeError, RecursionError):
        log.warning("an entry of the record cannot be read")
    return ChainRow({}, "")


def _decision_or_none(text: str) -> Decision | None:
    try:
        body: Mapping[str, Any] = json.loads(text)
        return Decision(**{**body, "outcome": Outcome(body["outcome"])})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
