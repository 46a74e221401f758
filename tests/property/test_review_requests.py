"""What is remembered of a thread is what would be made anew (ENG-6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.engine.history import units_of
from ankita.engine.requests import _Remembered, _still_true
from ankita.ids import CallId, ItemId, TurnId
from ankita.memory.transcript import (
    CallStatus,
    Item,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    UserItem,
)
from ankita.messages import Effect, Phase

pytestmark = pytest.mark.spec("ENG-6")

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["user", "reply", "empty", "tool", "change", "settle"]),
        st.integers(0, 3),
        st.integers(1, 2),
        st.integers(0, 30),
    ),
    max_size=25,
)


def tool(number: int, turn: int, step: int) -> ToolItem:
    return ToolItem(
        id=ItemId(f"i{number}"),
        turn_id=TurnId(f"t{turn}"),
        step=step,
        call_id=CallId(f"c{number}"),
        name="look_up",
        arguments={},
        effect=Effect.READS,
        phase=Phase.READING,
        title="look up",
        target="",
        status=CallStatus.WAITING,
        created_at="",
    )


def new_item(kind: str, number: int, turn: int, step: int) -> Item:
    if kind == "user":
        return UserItem(ItemId(f"i{number}"), TurnId(f"t{turn}"), f"says {number}", "")
    if kind in ("reply", "empty"):
        text = "" if kind == "empty" else f"reply {number}"
        where = (ItemId(f"i{number}"), TurnId(f"t{turn}"), step)
        return ReplyItem(*where, text, ReplyStatus.DONE, "")
    return tool(number, turn, step)


@given(STEPS, st.sets(st.integers(0, 25)))
def test_the_remembered_units_are_those_made_anew(
    changes: list[tuple[str, int, int, int]], looks: set[int]
) -> None:
    items: list[Item] = []
    known: _Remembered | None = None
    for number, (kind, turn, step, place) in enumerate(changes):
        if kind in ("change", "settle") and items:
            old = items[place % len(items)]
            if isinstance(old, ToolItem):
                items[place % len(items)] = replace(old, status=CallStatus.OK, output="done")
            elif isinstance(old, UserItem | ReplyItem):
                items[place % len(items)] = replace(old, is_pinned=not old.is_pinned)
        elif kind not in ("change", "settle"):
            items.append(new_item(kind, number, turn, step))
        if number in looks:
            spoken = tuple(items)
            kept, start = _still_true(known, spoken) if known else ([], 0)
            kept.extend((unit, len(unit.items)) for unit in units_of(spoken[start:], {}))
            known = _Remembered(spoken, kept)
            assert [unit for unit, _ in kept] == units_of(spoken, {})
