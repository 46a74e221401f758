"""A thread with thousands of messages, written straight into a profile's database."""

from __future__ import annotations

from collections.abc import Sequence

from ankita.engine.team import MIRA
from ankita.ids import CallId, ItemId, ThreadId, TurnId
from ankita.memory.threads import ThreadRow, ThreadStore
from ankita.memory.transcript import (
    CallStatus,
    Item,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    Turn,
    TurnStatus,
    UserItem,
)
from ankita.messages import Effect, Phase
from ankita.paths import ProfilePaths, prepare
from ankita.storage import Database

AT = "2026-11-01T08:00:00+00:00"
THREAD = ThreadId("long")
PIN = "Rule of the house: invoices are sent on the 5th, never earlier. ☂"
UNCERTAIN_TARGET = "transfer-2024.txt"
PARKED_TARGET = "delete-me.txt"


async def write_long_thread(paths: ProfilePaths, messages: int) -> None:
    """`messages` items: questions, replies and calls, a pin, an uncertain and a parked call."""
    prepare(paths)
    database = Database(paths.database)
    store = ThreadStore(database, lambda value: value)
    await store.create(ThreadRow(THREAD, MIRA.id, "Long", "", AT, None))
    items = long_items(messages)
    turns: dict[TurnId, list[Item]] = {}
    for item in items:
        turns.setdefault(item.turn_id, []).append(item)
    for turn_id, its in turns.items():
        await store.start_turn(THREAD, Turn(turn_id, TurnStatus.DONE, AT), its, [])
    await database.aclose()


def long_items(messages: int) -> Sequence[Item]:
    items: list[Item] = [
        _user(0, PIN, is_pinned=True),
        _call(0, 1, CallStatus.UNCERTAIN, UNCERTAIN_TARGET),
        _call(0, 2, CallStatus.PARKED, PARKED_TARGET),
    ]
    number = 0
    while len(items) < messages:
        number += 1
        items.append(_user(number, f"Question {number}: what about the offer of company {number}?"))
        if number % 4 == 0:
            items.append(_call(number, 1, CallStatus.OK, f"note-{number}.txt"))
        items.append(_reply(number, f"Answer {number}. " + "It is dearer than the others. " * 8))
    return items[:messages]


def _user(number: int, text: str, *, is_pinned: bool = False) -> UserItem:
    return UserItem(ItemId(f"u{number}"), TurnId(f"t{number}"), text, AT, is_pinned=is_pinned)


def _reply(number: int, text: str) -> ReplyItem:
    return ReplyItem(ItemId(f"r{number}"), TurnId(f"t{number}"), 2, text, ReplyStatus.DONE, AT)


def _call(number: int, step: int, status: CallStatus, target: str) -> ToolItem:
    return ToolItem(
        id=ItemId(f"c{number}.{step}"),
        turn_id=TurnId(f"t{number}"),
        step=step,
        call_id=CallId(f"call{number}.{step}"),
        name="write_file",
        arguments={"path": target, "content": "text " * 40},
        effect=Effect.CHANGES,
        phase=Phase.ACTING,
        title="files: write file",
        target=target,
        status=status,
        created_at=AT,
        output="Written.",
        seconds=0.1,
    )
