"""Every known shape of a reply becomes the events it means."""

from __future__ import annotations

from itertools import count

import pytest

from ankita.integrations.models.answer_parser import MAX_JSON_BYTES
from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import (
    Finished,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolCallReady,
    Usage,
)
from tests.servers.recorded_replies import ALL_SHAPES, HELLO, Recorded
from tests.servers.scripted_chat_server import COMMENT, DONE, delta, frame, usage


def new_parser() -> ReplyParser:
    numbers = count(1)
    return ReplyParser(
        lambda body: sort_refusal(Refusal(200, body, "the server", "the model")),
        server="the server",
        new_call_id=lambda: f"own-{next(numbers)}",
    )


def parse(body: bytes, *cuts: int) -> tuple[list[ModelEvent], ReplyParser]:
    parser = new_parser()
    events: list[ModelEvent] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        events += parser.feed(body[start:end])
    return events + parser.close(), parser


def joined(events: list[ModelEvent], kind: type[TextDelta] | type[ReasoningDelta]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


@pytest.mark.spec("PRV-5", "ENG-11")
@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
def test_a_known_shape_becomes_what_it_means(shape: Recorded) -> None:
    events, parser = parse(shape.body)
    calls = [event.call for event in events if isinstance(event, ToolCallReady)]
    finishes = [event.reason for event in events if isinstance(event, Finished)]

    assert joined(events, TextDelta) == shape.text
    assert joined(events, ReasoningDelta) == shape.reasoning
    assert tuple((c.name, c.arguments) for c in calls if not c.problem) == shape.calls
    assert tuple(c.name for c in calls if c.problem) == shape.broken
    assert all(not c.arguments for c in calls if c.problem)
    assert finishes == ([] if shape.finish is None else [shape.finish])
    assert type(parser.failure) is (shape.failure or type(None))
    assert any(isinstance(event, Usage) for event in events) is shape.has_usage
    assert len({call.id for call in calls}) == len(calls)
    if shape.ids:
        assert tuple(call.id for call in calls) == shape.ids
    if not shape.failure:
        assert isinstance(events[-1], Finished)


@pytest.mark.spec("PRV-5")
@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
def test_a_cut_at_any_byte_changes_nothing(shape: Recorded) -> None:
    whole, parser = parse(shape.body)
    for cut in range(len(shape.body) + 1):
        events, other = parse(shape.body, cut)
        assert (events, repr(other.failure)) == (whole, repr(parser.failure)), f"cut at {cut}"
    events, other = parse(shape.body, *range(1, len(shape.body)))
    assert (events, repr(other.failure)) == (whole, repr(parser.failure)), "byte by byte"


@pytest.mark.spec("PRV-5")
def test_text_comes_out_frame_by_frame_and_calls_only_at_the_end() -> None:
    parser = new_parser()
    assert parser.feed(delta(content="Hel")) == [TextDelta("Hel")]
    call = {"index": 0, "id": "a", "function": {"name": "now", "arguments": "{}"}}
    assert parser.feed(delta(tool_calls=[call])) == []
    assert parser.feed(delta("tool_calls") + DONE) == []
    assert [type(event) for event in parser.close()] == [ToolCallReady, Finished]


@pytest.mark.spec("PRV-5")
def test_signs_of_life_are_no_payloads() -> None:
    parser = new_parser()
    parser.feed(COMMENT + b"data:\n\n" + b"data: :\n\n" + frame({}) + frame({"choices": []}))
    assert parser.payloads == 0
    parser.feed(delta(content="x"))
    assert parser.payloads == 1
    parser.feed(usage())
    assert parser.payloads == 2


def test_a_reply_that_broke_off_is_blamed_on_the_given_reason() -> None:
    from ankita.errors import ModelTimeoutError

    parser = new_parser()
    parser.feed(HELLO + delta(content="<"))
    reason = ModelTimeoutError("too slow")
    assert parser.close(reason) == []
    assert parser.failure is reason


def test_a_finished_reply_stays_whole_when_the_connection_breaks_after_it() -> None:
    from ankita.errors import ModelTimeoutError

    parser = new_parser()
    parser.feed(HELLO + delta("stop"))
    assert isinstance(parser.close(ModelTimeoutError("too slow"))[-1], Finished)
    assert parser.failure is None


def test_an_endless_document_is_given_up() -> None:
    parser = new_parser()
    parser.feed(b"{" + b" " * MAX_JSON_BYTES)
    assert parser.failure is not None


def test_an_endless_line_is_given_up() -> None:
    parser = new_parser()
    parser.feed(b"data: " + b"x" * MAX_JSON_BYTES)
    parser.feed(b"x" * MAX_JSON_BYTES)
    assert parser.failure is not None
