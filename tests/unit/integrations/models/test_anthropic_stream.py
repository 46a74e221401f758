"""Every known shape of a streamed message becomes the right events."""

from __future__ import annotations

from itertools import count

import pytest

from ankita.errors import ModelError, ModelTimeoutError
from ankita.integrations.models.anthropic_stream import MessageParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import (
    Finished,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallReady,
    Usage,
)
from tests.servers.recorded_messages import (
    ALL_SHAPES,
    HELLO,
    OVERLOADED,
    A,
    B,
    Recorded,
    begun,
    called,
    closed,
    delta,
    end,
    event,
    opened,
    said,
    start,
    thought,
)

pytestmark = pytest.mark.spec("PRV-5")

THINKING = {"type": "thinking", "thinking": "Hmm", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "eA=="}


def parser() -> MessageParser:
    numbers = count(1)
    return MessageParser(
        lambda body: sort_refusal(Refusal(200, body, "the server", "m")),
        server="the server",
        model="m",
        new_call_id=lambda: f"own-{next(numbers)}",
    )


def parse(body: bytes) -> tuple[list[ModelEvent], ModelError | None]:
    one = parser()
    events = one.feed(body)
    return events + one.close(), one.failure


def calls_of(body: bytes) -> list[ToolCall]:
    return [found.call for found in parse(body)[0] if isinstance(found, ToolCallReady)]


def echoed(call: ToolCall) -> object:
    return call.echo and call.echo["anthropic"]["before"]


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
def test_a_known_shape_becomes_the_right_events(shape: Recorded) -> None:
    events, failure = parse(shape.body)
    calls = [found.call for found in events if isinstance(found, ToolCallReady)]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == shape.text
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == shape.reasoning
    assert tuple((c.name, c.arguments) for c in calls if not c.problem) == shape.calls
    assert tuple(call.name for call in calls if call.problem) == shape.broken
    assert all(call.id for call in calls)
    assert not any(call.arguments for call in calls if call.problem)
    assert [e for e in events if isinstance(e, Usage)] == ([shape.usage] if shape.usage else [])
    finished = [e for e in events if isinstance(e, Finished)]
    assert finished == ([Finished(shape.finish)] if shape.finish else [])
    assert not finished or events[-1] == finished[0]
    assert isinstance(failure, shape.failure or type(None))


def test_a_server_that_is_overloaded_in_mid_stream_is_said_plainly() -> None:
    _, failure = parse(HELLO + OVERLOADED)
    assert failure is not None
    assert "could not serve" in failure.message


def test_the_reason_why_no_more_was_read_is_what_is_raised() -> None:
    one, because = parser(), ModelTimeoutError("too slow")
    one.feed(HELLO)
    one.close(because)
    assert one.failure is because


def test_signs_of_life_are_no_payload() -> None:
    one = parser()
    one.feed(event("ping") + b": x\n\n" + b"data: {}\n\n" + event("novelty"))
    assert one.payloads == 0
    one.feed(start())
    assert one.payloads == 1


def test_it_is_finished_with_the_reason_and_done_with_the_stop() -> None:
    one = parser()
    one.feed(HELLO)
    assert not one.is_finished
    reason, name, stop = end().partition(b"event: message_stop")
    one.feed(reason)
    assert (one.is_finished, one.is_done) == (True, False)
    one.feed(name + stop)
    assert one.is_done


@pytest.mark.spec("PRV-1")
def test_signed_thinking_goes_along_with_the_call_that_follows_it() -> None:
    body = start() + thought(0, "Hm", "m") + called(1, A) + called(2, B) + end("tool_use")
    first, second = calls_of(body)
    assert first.echo == {"anthropic": {"server": "the server", "model": "m", "before": [THINKING]}}
    assert second.echo == {}


@pytest.mark.spec("PRV-1")
def test_the_place_of_text_between_thinking_is_kept_without_the_text() -> None:
    body = (
        start()
        + thought(0, "Hmm")
        + said(1, "Look", ".")
        + opened(2, REDACTED["type"], data="eA==")
    )
    (call,) = calls_of(body + closed(2) + called(3, A) + end("tool_use"))
    assert echoed(call) == [THINKING, {"type": "text", "characters": 5}, REDACTED]


@pytest.mark.parametrize(
    "before",
    [b"", said(0, "Look."), thought(0, "Hmm", signature="")],
    ids=["none", "text", "unsigned"],
)
def test_nothing_is_echoed_without_signed_thinking(before: bytes) -> None:
    (call,) = calls_of(start() + before + called(1, A) + end("tool_use"))
    assert call.echo == {}


def test_thinking_with_a_split_character_can_be_stored() -> None:
    halves = b"".join(
        b'data: {"type":"content_block_delta","index":0,"delta":'
        b'{"type":"thinking_delta","thinking":"\\u%b"}}\n\n' % half
        for half in (b"d83d", b"de00")
    )
    body = start() + opened(0, "thinking", thinking="", signature="s") + halves + closed(0)
    (call,) = calls_of(body + called(1, A) + end("tool_use"))
    assert echoed(call) == [{"type": "thinking", "thinking": "😀", "signature": "s"}]


def test_input_for_a_block_that_never_began_is_ignored() -> None:
    events, failure = parse(start() + delta(4, "input_json_delta", partial_json="{}") + end())
    assert failure is None
    assert not [found for found in events if isinstance(found, ToolCallReady)]


def test_an_endless_event_is_refused() -> None:
    one = parser()
    one.feed(begun(0, "x"))
    one.feed(b"data: " + b"x" * (8 * 1024 * 1024 + 1))
    assert one.failure is not None
