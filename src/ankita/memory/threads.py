"""Threads, turns, items, attachments and notes as rows. The only writer of these tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ankita.ids import AttachmentId, ItemId, TeammateId, ThreadId, TurnId
from ankita.memory.transcript import (
    Item,
    NoticeItem,
    NoticeLevel,
    ToolItem,
    Turn,
    TurnStatus,
    grown,
    item_from_row,
    item_to_row,
)
from ankita.memory.work import delete_queued
from ankita.storage import Connection, Database, Row, Work


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A thread as stored. `last_turn` is the status of its newest turn, if it has one."""

    id: ThreadId
    teammate_id: TeammateId
    title: str
    draft: str
    updated_at: str
    last_turn: TurnStatus | None


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """An attachment with its text. `kind`, `pages` and `notes` as in DocumentText."""

    id: AttachmentId
    thread_id: ThreadId
    name: str
    kind: str
    text: str
    pages: int | None = None
    notes: tuple[str, ...] = ()


class ThreadStore:
    """`scrub` returns a copy of a JSON value without secrets; all that is kept goes through it."""

    def __init__(self, database: Database, scrub: Callable[[Any], Any]) -> None:
        self._database = database
        self._scrub = scrub

    def scrubbed(self, text: str) -> str:
        """The text without secrets, as it would be stored."""
        return str(self._scrub(text))

    # threads

    async def threads(self) -> Sequence[ThreadRow]:
        """All threads, the newest first."""
        query = """
            SELECT threads.*, (SELECT status FROM turns WHERE turns.thread_id = threads.id
                ORDER BY started_at DESC, rowid DESC LIMIT 1) AS last_turn
            FROM threads ORDER BY updated_at DESC
        """
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        return [_thread(row) for row in rows]

    async def create(self, thread: ThreadRow) -> None:
        values = (
            thread.id,
            thread.teammate_id,
            self._scrub(thread.title),
            thread.updated_at,
            thread.updated_at,
        )
        await self._database.write(
            lambda c: c.execute(
                "INSERT INTO threads (id, teammate_id, title, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?)",
                values,
            )
        )

    async def rename(self, thread_id: ThreadId, title: str, updated_at: str) -> None:
        values = (self._scrub(title), updated_at, thread_id)
        await self._database.write(
            lambda c: c.execute("UPDATE threads SET title = ?, updated_at = ? WHERE id = ?", values)
        )

    async def save_draft(self, thread_id: ThreadId, draft: str) -> None:
        values = (self._scrub(draft), thread_id)
        await self._database.write(
            lambda c: c.execute("UPDATE threads SET draft = ? WHERE id = ?", values)
        )

    async def delete(self, thread_id: ThreadId) -> None:
        await self._database.write(
            lambda c: c.execute("DELETE FROM threads WHERE id = ?", (thread_id,))
        )

    # turns

    async def start_turn(
        self,
        thread_id: ThreadId,
        turn: Turn,
        items: Sequence[Item],
        sent: Sequence[AttachmentId],
        *,
        draft: str | None = None,
    ) -> None:
        """Store a running turn with its first items and mark the attachments as sent.

        `draft` is what is left in the composer; None leaves it as it is.
        """

        left = None if draft is None else self._scrub(draft)

        def work(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO turns (id, thread_id, status, started_at) VALUES (?, ?, ?, ?)",
                (turn.id, thread_id, turn.status, turn.started_at),
            )
            for item in items:
                self._insert(connection, thread_id, item)
            connection.executemany(
                "UPDATE attachments SET is_sent = 1 WHERE id = ?", [(each,) for each in sent]
            )
            connection.execute(
                "UPDATE threads SET updated_at = ?, draft = COALESCE(?, draft) WHERE id = ?",
                (turn.started_at, left, thread_id),
            )

        await self._database.write(work)

    async def set_turn_status(self, turn_id: TurnId, status: TurnStatus, ended_at: str) -> None:
        await self._database.write(
            lambda c: c.execute(
                "UPDATE turns SET status = ?, ended_at = ? WHERE id = ?",
                (status, ended_at, turn_id),
            )
        )

    async def running_turns(self) -> Sequence[tuple[ThreadId, TurnId]]:
        """The turns that a killed process left behind."""
        query = "SELECT thread_id, id FROM turns WHERE status = 'running'"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        return [(ThreadId(row["thread_id"]), TurnId(row["id"])) for row in rows]

    # items

    async def items(self, thread_id: ThreadId) -> tuple[Item, ...]:
        """All items in order. A row that cannot be read shows as a notice, and stays as it is."""
        query = """
            SELECT id, turn_id, kind, body, COALESCE((SELECT GROUP_CONCAT(text, '') FROM
                (SELECT text FROM growth WHERE item_id = items.id ORDER BY growth.id)), '') AS grown
            FROM items WHERE thread_id = ? ORDER BY position
        """
        rows = await self._database.read(lambda c: c.execute(query, (thread_id,)).fetchall())
        return tuple(_item(row) for row in rows)

    async def open_calls(self) -> Sequence[ToolItem]:
        """The tool calls of all threads that have no result yet."""
        query = "SELECT id, turn_id, kind, body, '' AS grown FROM items WHERE is_open = 1"
        rows = await self._database.read(lambda c: c.execute(query).fetchall())
        return [item for row in rows if isinstance(item := _item(row), ToolItem)]

    async def add_item(self, thread_id: ThreadId, item: Item, *, durable: bool = True) -> None:
        await self._database.write(lambda c: self._insert(c, thread_id, item), durable=durable)

    async def add_queued(
        self, thread_id: ThreadId, items: Sequence[Item], queued_ids: Sequence[str]
    ) -> None:
        """Store messages of the user that waited in the queue, and end their waiting."""

        def work(connection: Connection) -> None:
            for item in items:
                self._insert(connection, thread_id, item)
            delete_queued(connection, queued_ids)

        await self._database.write(work)

    async def save_item(
        self, item: Item, *, durable: bool = True, also: Work | None = None
    ) -> None:
        """Replace an item as a whole, its grown text included; `also` is done with it."""
        body = self._body(item)

        def work(connection: Connection) -> None:
            if also is not None:
                also(connection)
            connection.execute(
                "UPDATE items SET body = ?, is_open = ? WHERE id = ?",
                (body, _is_open(item), item.id),
            )
            connection.execute("DELETE FROM growth WHERE item_id = ?", (item.id,))

        await self._database.write(work, durable=durable)

    async def grow_item(self, item_id: ItemId, text: str) -> None:
        """Append to a reply's text or a tool's output; survives a killed process.

        Rows instead of a rewritten body: the cost of a flush must not grow with the text.
        """
        values = (item_id, self._scrub(text))
        await self._database.write(
            lambda c: c.execute("INSERT INTO growth (item_id, text) VALUES (?, ?)", values),
            durable=False,
        )

    # attachments

    async def add_attachment(self, attachment: AttachmentRow, created_at: str) -> None:
        body = {
            "name": attachment.name,
            "kind": attachment.kind,
            "pages": attachment.pages,
            "notes": list(attachment.notes),
        }
        values = (
            attachment.id,
            attachment.thread_id,
            json.dumps(self._scrub(body)),
            self._scrub(attachment.text),
            created_at,
        )
        await self._database.write(
            lambda c: c.execute(
                "INSERT INTO attachments (id, thread_id, body, text, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                values,
            )
        )

    async def remove_attachment(self, attachment_id: AttachmentId) -> None:
        """Forget a file of the composer; one that was sent belongs to its message."""
        await self._database.write(
            lambda c: c.execute(
                "DELETE FROM attachments WHERE id = ? AND is_sent = 0", (attachment_id,)
            )
        )

    async def attachments(self, thread_id: ThreadId, *, sent: bool) -> Sequence[AttachmentRow]:
        """The attachments that were sent, or those that still wait in the composer."""
        query = (
            "SELECT * FROM attachments WHERE thread_id = ? AND is_sent = ?"
            " ORDER BY created_at, rowid"
        )
        rows = await self._database.read(
            lambda c: c.execute(query, (thread_id, int(sent))).fetchall()
        )
        return [_attachment(row) for row in rows]

    # notes

    async def add_note(self, thread_id: ThreadId, text: str, created_at: str) -> None:
        values = (thread_id, self._scrub(text), created_at)
        await self._database.write(
            lambda c: c.execute(
                "INSERT INTO notes (thread_id, text, created_at) VALUES (?, ?, ?)", values
            )
        )

    async def notes(self, thread_id: ThreadId) -> Sequence[str]:
        query = "SELECT text FROM notes WHERE thread_id = ? ORDER BY id"
        rows = await self._database.read(lambda c: c.execute(query, (thread_id,)).fetchall())
        return [str(row["text"]) for row in rows]

    def _body(self, item: Item) -> str:
        return json.dumps(self._scrub(item_to_row(item).body), ensure_ascii=False)

    def _insert(self, connection: Connection, thread_id: ThreadId, item: Item) -> None:
        connection.execute(
            "INSERT INTO items (id, thread_id, turn_id, position, kind, body, is_open)"
            " VALUES (?, ?, ?,"
            " (SELECT COALESCE(MAX(position), 0) + 1 FROM items WHERE thread_id = ?), ?, ?, ?)",
            (
                item.id,
                thread_id,
                item.turn_id,
                thread_id,
                item_to_row(item).kind,
                self._body(item),
                _is_open(item),
            ),
        )


def _is_open(item: Item) -> int:
    return int(isinstance(item, ToolItem) and not item.status.is_settled)


def _thread(row: Row) -> ThreadRow:
    return ThreadRow(
        id=ThreadId(row["id"]),
        teammate_id=TeammateId(row["teammate_id"]),
        title=row["title"],
        draft=row["draft"],
        updated_at=row["updated_at"],
        last_turn=TurnStatus(row["last_turn"]) if row["last_turn"] else None,
    )


def _item(row: Row) -> Item:
    try:
        item = item_from_row(row["kind"], json.loads(row["body"]))
        return grown(item, row["grown"]) if row["grown"] else item
    except (ValueError, KeyError, TypeError):
        return NoticeItem(
            id=ItemId(row["id"]),
            turn_id=TurnId(row["turn_id"]),
            text="This entry is stored but cannot be read.",
            level=NoticeLevel.WARNING,
            created_at="",
        )


def _attachment(row: Row) -> AttachmentRow:
    body = json.loads(row["body"])
    return AttachmentRow(
        id=AttachmentId(row["id"]),
        thread_id=ThreadId(row["thread_id"]),
        name=body["name"],
        kind=body["kind"],
        text=row["text"],
        pages=body["pages"],
        notes=tuple(body["notes"]),
    )
