"""The teammates as rows. The only writer of their table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ankita.config import ServerSettings, server_from_json
from ankita.ids import TeammateId
from ankita.storage import Database, Row


@dataclass(frozen=True, slots=True)
class TeammateRow:
    """A teammate as stored. `look` is a colour name; `server` None means the settings' one."""

    id: TeammateId
    name: str
    look: str
    instructions: str = ""
    server: ServerSettings | None = None


@dataclass(frozen=True, slots=True)
class StoredTeammates:
    """All rows in their order. `damaged` are the ids of those that cannot be read."""

    teammates: tuple[TeammateRow, ...] = ()
    damaged: tuple[TeammateId, ...] = ()


class TeammateStore:
    """`scrub` returns a text without secrets; names and instructions go through it."""

    def __init__(self, database: Database, scrub: Callable[[str], str]) -> None:
        self._database = database
        self._scrub = scrub

    def scrubbed(self, text: str) -> str:
        """The text as it would be stored."""
        return self._scrub(text)

    async def load(self) -> StoredTeammates:
        query = "SELECT id, body FROM teammates ORDER BY position, id"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        return _sorted(rows)

    async def add(self, teammate: TeammateRow) -> None:
        """Store a new one behind all others. Raises WriteError."""
        values = (teammate.id, self._body(teammate))
        await self._database.write(
            lambda c: c.execute(
                "INSERT INTO teammates (id, position, body) VALUES"
                " (?, (SELECT COALESCE(MAX(position), 0) + 1 FROM teammates), ?)",
                values,
            )
        )

    async def save(self, teammate: TeammateRow) -> None:
        """Replace the row; its place stays. Raises WriteError."""
        values = (self._body(teammate), teammate.id)
        await self._database.write(
            lambda c: c.execute("UPDATE teammates SET body = ? WHERE id = ?", values)
        )

    async def remove(self, teammate_id: TeammateId) -> None:
        """Its threads are not touched. Raises WriteError."""
        await self._database.write(
            lambda c: c.execute("DELETE FROM teammates WHERE id = ?", (teammate_id,))
        )

    def _body(self, teammate: TeammateRow) -> str:
        body = {
            "name": self._scrub(teammate.name),
            "look": teammate.look,
            "instructions": self._scrub(teammate.instructions),
            "server": asdict(teammate.server) if teammate.server else None,
        }
        return json.dumps(body, ensure_ascii=False)


def _sorted(rows: Sequence[Row]) -> StoredTeammates:
    good: list[TeammateRow] = []
    damaged: list[TeammateId] = []
    for row in rows:
        teammate_id = TeammateId(row["id"])
        try:
            good.append(_teammate(teammate_id, json.loads(row["body"])))
        except (ValueError, KeyError, TypeError, AttributeError):
            damaged.append(teammate_id)
    return StoredTeammates(tuple(good), tuple(damaged))


def _teammate(teammate_id: TeammateId, body: Any) -> TeammateRow:
    name, look, instructions = body["name"], body["look"], body["instructions"]
    if not all(isinstance(text, str) for text in (name, look, instructions)) or not name.strip():
        raise TypeError("a teammate's name, look or instructions are not text")
    return TeammateRow(teammate_id, name, look, instructions, server_from_json(body["server"]))
