"""What is sent of a long thread: whole units, the newest, nothing that matters lost (ENG-6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.engine.context_window import Fitted, fit, history_room
from ankita.engine.history import Unit, size_of, units_of
from ankita.engine.token_meter import TokenMeter
from ankita.ids import CallId, ItemId, TurnId
from ankita.memory.transcript import (
    CallStatus,
    Item,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    UserItem,
)
from ankita.messages import Effect, Message, Phase, Role

pytestmark = pytest.mark.spec("ENG-6")

CONTEXTS = st.integers(min_value=1_024, max_value=32_768)
FIXED = 1_200


def user(number: int, text: str, *, is_pinned: bool = False) -> UserItem:
    return UserItem(ItemId(f"u{number}"), TurnId(f"t{number}"), text, "", is_pinned=is_pinned)


def reply(number: int, step: int, text: str) -> ReplyItem:
    where = (ItemId(f"r{number}.{step}"), TurnId(f"t{number}"), step)
    return ReplyItem(*where, text, ReplyStatus.DONE, "")


def call(number: int, step: int, status: CallStatus, output: str) -> ToolItem:
    return ToolItem(
        id=ItemId(f"c{number}.{step}"),
        turn_id=TurnId(f"t{number}"),
        step=step,
        call_id=CallId(f"call{number}.{step}"),
        name="write_file",
        arguments={"path": f"{number}.txt", "content": output},
        effect=Effect.CHANGES,
        phase=Phase.ACTING,
        title="files: write file",
        target=f"{number}.txt",
        status=status,
        created_at="",
        output=output,
    )


TEXTS = st.one_of(st.text(max_size=400), st.integers(0, 20_000).map(lambda n: "word " * n))


@st.composite
def threads(draw: st.DrawFn) -> list[Item]:
    items: list[Item] = []
    for number in range(draw(st.integers(1, 30))):
        items.append(user(number, draw(TEXTS) or "hi", is_pinned=False))
        for step in range(draw(st.integers(0, 3))):
            status = draw(st.sampled_from([CallStatus.OK, CallStatus.FAILED, CallStatus.PARKED]))
            items.append(call(number, step, status, draw(TEXTS)))
        items.append(reply(number, 9, draw(TEXTS)))
    return items


def fitted(items: Sequence[Item], context: int) -> tuple[list[Unit], Fitted, TokenMeter]:
    units, meter = units_of(items, {}), TokenMeter(context_tokens=context)
    return units, fit(units, FIXED, meter), meter


@given(threads(), CONTEXTS)
def test_what_is_sent_fits_and_no_call_is_parted_from_its_result(
    items: list[Item], context: int
) -> None:
    _, sent, meter = fitted(items, context)
    room = history_room(FIXED, meter)
    # The texts that are left are never shortened below a readable rest, however small the room.
    slack = 64 * (160 + 90)
    assert size_of(sent.messages) <= room + slack
    asked: list[CallId] = []
    for message in sent.messages:
        if message.role is Role.TOOL:
            assert asked
            assert message.tool_call_id == asked.pop(0)
        else:
            assert not asked, "a call without its result"
            asked = [each.id for each in message.tool_calls]
    assert not asked


@given(threads(), CONTEXTS)
def test_the_newest_unit_is_always_there(items: list[Item], context: int) -> None:
    units, sent, _ = fitted(items, context)
    assert sent.messages[-1].role is units[-1].messages[-1].role


@given(threads(), CONTEXTS, st.integers(0, 29))
def test_pins_and_open_work_are_said_wherever_they_are(
    items: list[Item], context: int, place: int
) -> None:
    rule = "Never write to the archive ☂"
    items[0:0] = [user(900, rule, is_pinned=True), call(900, 1, CallStatus.UNCERTAIN, "")]
    items[min(place, len(items)) : min(place, len(items))] = []
    _, sent, _ = fitted(items, context)
    said = sent.digest + "".join(message.text for message in sent.messages)
    assert rule in said
    assert "uncertain" in said.lower()


@given(threads(), CONTEXTS)
def test_the_request_that_is_worked_on_is_never_forgotten(items: list[Item], context: int) -> None:
    wish = "Please compare the two contracts"
    items.append(user(901, wish))
    items += [call(901, step, CallStatus.OK, "line " * 900) for step in range(12)]
    _, sent, _ = fitted(items, context)
    said = sent.digest + "".join(message.text for message in sent.messages)
    assert wish in said


def test_nothing_changes_while_everything_fits() -> None:
    items = [user(1, "hello"), reply(1, 1, "hi"), user(2, "bye")]
    units, sent, _ = fitted(items, 8_192)
    assert list(sent.messages) == [m for unit in units for m in unit.messages]
    assert (sent.digest, sent.left_out, sent.is_shortened) == ("", 0, False)


def test_without_a_known_window_all_is_sent() -> None:
    items: list[Item] = [user(n, "x" * 10_000) for n in range(100)]
    units = units_of(items, {})
    assert len(fit(units, FIXED, TokenMeter()).messages[0].text) > 1_000_000


def test_the_beginning_stays_the_same_from_turn_to_turn() -> None:
    """Servers keep what they computed for a beginning; it must not move with every message."""
    items: list[Item] = []
    starts: list[tuple[str, Message]] = []
    for number in range(200):
        items += [user(number, f"question {number} " * 12), reply(number, 1, "answer " * 40)]
        _, sent, _ = fitted(items, 4_096)
        starts.append((sent.digest, sent.messages[0]))
    changes = sum(before != after for before, after in pairwise(starts))
    assert 3 < changes <= len(starts) // 6


def test_a_huge_argument_of_an_old_call_is_shortened_and_said() -> None:
    items = [user(1, "write it"), call(1, 1, CallStatus.OK, "z" * 1_000_000), user(2, "and now?")]
    _, sent, meter = fitted(items, 4_096)
    assert size_of(sent.messages) < history_room(FIXED, meter)
    assert "left out here to fit" in str(sent.messages[1].tool_calls[0].arguments["content"])
    assert sent.is_shortened
