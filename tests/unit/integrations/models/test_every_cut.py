"""A reply means the same wherever the network cuts it: each shape, at each of its bytes."""

from __future__ import annotations

from itertools import count

import pytest

from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import Finished, ModelEvent, ReasoningDelta, TextDelta, ToolCallReady, Usage
from tests.servers.recorded_replies import ALL_SHAPES, Recorded
from tests.servers.recorded_server_replies import SERVER_SHAPES

pytestmark = pytest.mark.spec("PRV-5")

MOST_BYTES = 2500
"""Longer shapes (a nesting without end) are cut elsewhere, at random places."""

SHORT_SHAPES = [shape for shape in ALL_SHAPES if len(shape.body) <= MOST_BYTES]


def parse(*pieces: bytes) -> tuple[list[ModelEvent], str]:
    numbers = count(1)
    parser = ReplyParser(
        lambda body: sort_refusal(Refusal(200, body, "the server", "the model")),
        server="the server",
        model="the model",
        new_call_id=lambda: f"own-{next(numbers)}",
    )
    events = [event for piece in pieces for event in parser.feed(piece)]
    events += parser.close()
    return events, type(parser.failure).__name__ + str(parser.failure)


@pytest.mark.parametrize("shape", [*SERVER_SHAPES, *SHORT_SHAPES], ids=lambda shape: shape.name)
def test_no_cut_changes_what_a_reply_means(shape: Recorded) -> None:
    body, whole = shape.body, parse(shape.body)
    assert parse(*(body[at : at + 1] for at in range(len(body)))) == whole
    for at in range(1, len(body)):
        assert parse(body[:at], body[at:]) == whole, f"cut at {at}"


@pytest.mark.parametrize("shape", SERVER_SHAPES, ids=lambda shape: shape.name)
def test_each_server_is_read_as_it_means_it(shape: Recorded) -> None:
    events, failure = parse(shape.body)
    calls = [event.call for event in events if isinstance(event, ToolCallReady)]
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    thought = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    finishes = [event.reason for event in events if isinstance(event, Finished)]
    assert (said, thought) == (shape.text, shape.reasoning)
    assert tuple((call.name, call.arguments) for call in calls) == shape.calls
    assert finishes == ([] if shape.finish is None else [shape.finish])
    assert any(isinstance(event, Usage) for event in events) is shape.has_usage
    assert failure.startswith(shape.failure.__name__ if shape.failure else "NoneType")
    assert not shape.ids or tuple(call.id for call in calls) == shape.ids


@pytest.mark.parametrize("shape", SERVER_SHAPES, ids=lambda shape: shape.name)
def test_a_reply_that_breaks_off_is_never_taken_for_whole(shape: Recorded) -> None:
    """At no place does a cut make a call, or an end, that the whole reply has not."""
    allowed = {event for event in parse(shape.body)[0] if isinstance(event, Finished)}
    for at in range(len(shape.body)):
        events, failure = parse(shape.body[:at])
        ended = [event for event in events if isinstance(event, Finished)]
        made = [event.call for event in events if isinstance(event, ToolCallReady)]
        assert set(ended) <= allowed
        assert bool(ended) is (failure == "NoneTypeNone")
        assert not made or ended
        assert all((call.name, call.arguments) in shape.calls for call in made)
