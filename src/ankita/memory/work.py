"""What belongs to a thread's work beside its items, as rows: plans, queued messages, requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ankita.ids import AttachmentId, ThreadId, TurnId
from ankita.memory.transcript import AttachmentRef
from ankita.storage import Connection, Database, Row


@dataclass(frozen=True, slots=True)
class QueuedRow:
    """A message that waits to go into its thread, with the files that go with it."""

    id: str
    thread_id: ThreadId
    text: str
    created_at: str
    attachments: tuple[AttachmentRef, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestRow:
    """What one request to a model weighed. Bytes as estimated before it was sent.

    `left_out` units of history were not sent; tokens are None where the server told none.
    """

    thread_id: ThreadId
    turn_id: TurnId
    step: int
    at: str
    model: str
    request_bytes: int
    schema_bytes: int
    history_bytes: int
    left_out: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class WorkStore:
    """The only writer of these tables. `scrub` copies a JSON value without secrets."""

    def __init__(self, database: Database, scrub: Callable[[Any], Any]) -> None:
        self._database = database
        self._scrub = scrub

    async def save_plan(self, thread_id: ThreadId, steps: Sequence[Mapping[str, str]]) -> None:
        """Replace the thread's plan; an empty one is deleted."""
        body = json.dumps(self._scrub(list(steps)), ensure_ascii=False)

        def work(connection: Connection) -> None:
            connection.execute("DELETE FROM plans WHERE thread_id = ?", (thread_id,))
            if steps:
                connection.execute(
                    "INSERT INTO plans (thread_id, body) VALUES (?, ?)", (thread_id, body)
                )

        await self._database.write(work)

    async def plans(self) -> Mapping[ThreadId, Sequence[Mapping[str, str]]]:
        """All plans. One that cannot be read is left out, and stays as it is."""
        rows = await self._database.read(lambda c: c.execute("SELECT * FROM plans").fetchall())
        found = {ThreadId(row["thread_id"]): _json(row["body"]) for row in rows}
        return {thread_id: steps for thread_id, steps in found.items() if isinstance(steps, list)}

    async def add_queued(self, row: QueuedRow, draft: str = "") -> None:
        """Store a message at the end of its thread's queue; its files leave the composer.

        `draft` is what is left in the composer."""
        body = json.dumps(self._scrub(_queued_body(row)), ensure_ascii=False)
        left = self._scrub(draft)

        def work(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO queued (id, thread_id, position, body) VALUES (?, ?, (SELECT"
                " COALESCE(MAX(position), 0) + 1 FROM queued WHERE thread_id = ?), ?)",
                (row.id, row.thread_id, row.thread_id, body),
            )
            _mark_files(connection, [ref.id for ref in row.attachments], is_sent=True)
            connection.execute("UPDATE threads SET draft = ? WHERE id = ?", (left, row.thread_id))

        await self._database.write(work)

    async def take_back(self, row: QueuedRow, draft: str) -> None:
        """Remove a queued message; its text becomes the thread's draft, its files return."""
        text = self._scrub(draft)

        def work(connection: Connection) -> None:
            connection.execute("DELETE FROM queued WHERE id = ?", (row.id,))
            connection.execute("UPDATE threads SET draft = ? WHERE id = ?", (text, row.thread_id))
            _mark_files(connection, [ref.id for ref in row.attachments], is_sent=False)

        await self._database.write(work)

    async def queued(self) -> Sequence[QueuedRow]:
        """All queued messages, in order."""
        query = "SELECT * FROM queued ORDER BY thread_id, position"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        return [queued for row in rows if (queued := _queued(row)) is not None]

    def add_request(self, row: RequestRow) -> None:
        """Keep a figure that no step waits for: a failure is logged."""
        values = asdict(row)
        place = [values.pop(name) for name in ("thread_id", "turn_id", "step", "at")]
        self._database.write_soon(
            lambda c: c.execute(
                "INSERT INTO requests (thread_id, turn_id, step, at, body) VALUES (?, ?, ?, ?, ?)",
                (*place, json.dumps(values)),
            )
        )

    async def requests(self, thread_id: ThreadId) -> Sequence[RequestRow]:
        """What was sent to models for a thread, the oldest first."""
        query = "SELECT * FROM requests WHERE thread_id = ? ORDER BY id"
        rows = await self._database.read(lambda c: c.execute(query, (thread_id,)).fetchall())
        return [
            RequestRow(
                ThreadId(row["thread_id"]),
                TurnId(row["turn_id"]),
                row["step"],
                row["at"],
                **json.loads(row["body"]),
            )
            for row in rows
        ]


def delete_queued(connection: Connection, ids: Sequence[str]) -> None:
    """Within the transaction that stores the messages in their thread."""
    connection.executemany("DELETE FROM queued WHERE id = ?", [(each,) for each in ids])


def _mark_files(connection: Connection, ids: Sequence[AttachmentId], *, is_sent: bool) -> None:
    connection.executemany(
        "UPDATE attachments SET is_sent = ? WHERE id = ?", [(int(is_sent), each) for each in ids]
    )


def _queued_body(row: QueuedRow) -> dict[str, Any]:
    refs = [asdict(ref) for ref in row.attachments]
    return {"text": row.text, "created_at": row.created_at, "attachments": refs}


def _queued(row: Row) -> QueuedRow | None:
    body = _json(row["body"])
    try:
        refs = [AttachmentRef(**{**r, "notes": tuple(r["notes"])}) for r in body["attachments"]]
        place = (row["id"], ThreadId(row["thread_id"]))
        return QueuedRow(*place, body["text"], body["created_at"], tuple(refs))
    except (KeyError, TypeError):
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
