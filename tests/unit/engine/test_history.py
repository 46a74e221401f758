"""From a thread's items to messages: every call is followed by its one result (ENG-2, ENG-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from ankita.engine.history import UNCERTAIN_TEXT, flatten, units_of
from ankita.ids import AttachmentId, CallId, ItemId, ThreadId, TurnId
from ankita.memory.threads import AttachmentRow
from ankita.memory.transcript import (
    AttachmentRef,
    CallStatus,
    Item,
    NoticeItem,
    NoticeLevel,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    UserItem,
)
from ankita.messages import Effect, Message, Phase, Role

TURN = TurnId("turn")


def history_of(
    items: Sequence[Item], attachments: Mapping[AttachmentId, AttachmentRow]
) -> list[Message]:
    return flatten(units_of(items, attachments))


def user(text: str, *refs: AttachmentRef) -> UserItem:
    return UserItem(ItemId(text), TURN, text, "", refs)


def reply(text: str, step: int) -> ReplyItem:
    return ReplyItem(ItemId(text), TURN, step, text, ReplyStatus.DONE, "")


def call(name: str, step: int, status: CallStatus, output: str = "") -> ToolItem:
    return ToolItem(
        id=ItemId(name),
        turn_id=TURN,
        step=step,
        call_id=CallId(name),
        name="look_up",
        arguments={},
        effect=Effect.READS,
        phase=Phase.READING,
        title="",
        target="",
        status=status,
        created_at="",
        output=output,
    )


@pytest.mark.spec("ENG-2")
def test_text_and_calls_of_one_step_are_one_message_and_its_results() -> None:
    history = history_of(
        [
            user("go"),
            reply("Let me look.", 1),
            call("a", 1, CallStatus.OK, "A"),
            call("b", 1, CallStatus.FAILED, "Error: no."),
            call("c", 2, CallStatus.OK, "C"),
            reply("Done.", 3),
        ],
        {},
    )
    assert [(m.role, m.text, [c.id for c in m.tool_calls], m.tool_call_id) for m in history] == [
        (Role.USER, "go", [], None),
        (Role.ASSISTANT, "Let me look.", ["a", "b"], None),
        (Role.TOOL, "A", [], "a"),
        (Role.TOOL, "Error: no.", [], "b"),
        (Role.ASSISTANT, "", ["c"], None),
        (Role.TOOL, "C", [], "c"),
        (Role.ASSISTANT, "Done.", [], None),
    ]


@pytest.mark.spec("ENG-4")
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (CallStatus.UNCERTAIN, UNCERTAIN_TEXT),
        (CallStatus.NOT_RUN, "Not run"),
        (CallStatus.INTERRUPTED, "Not finished"),
        (CallStatus.STOPPED, "Stopped"),
        (CallStatus.ASKING, "Not run"),
    ],
)
def test_a_call_that_never_ended_tells_the_model_so(status: CallStatus, told: str) -> None:
    history = history_of([user("go"), call("a", 1, status)], {})
    assert history[-1].text.startswith(told)


def test_notices_of_the_product_are_not_part_of_the_conversation() -> None:
    notice = NoticeItem(ItemId("n"), TURN, "Stopped.", NoticeLevel.INFO, "")
    history = history_of([user("go"), reply("Half", 1), notice, user("again")], {})
    assert [m.text for m in history] == ["go", "Half", "again"]


def test_a_file_stands_before_the_words_it_came_with() -> None:
    ref = AttachmentRef(AttachmentId("f"), "a.txt", "text")
    row = AttachmentRow(AttachmentId("f"), ThreadId("t"), "a.txt", "text", "Rent is due.")
    (message,) = history_of([user("When?", ref)], {row.id: row})
    assert message.text.index("Rent is due.") < message.text.index("When?")


def test_a_file_whose_text_is_gone_does_not_break_the_thread() -> None:
    ref = AttachmentRef(AttachmentId("f"), "a.txt", "text")
    (message,) = history_of([user("When?", ref)], {})
    assert message.text == "When?"
