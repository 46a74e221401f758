"""Whole messages, cut at every place, always give the same events."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.integrations.models.anthropic_stream import MessageParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import ModelEvent, TextDelta, ToolCallReady
from tests.servers.recorded_messages import (
    ALL_SHAPES,
    Recorded,
    begun,
    closed,
    delta,
    end,
    said,
    start,
)

pytestmark = pytest.mark.spec("PRV-5")

values = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
arguments = st.dictionaries(st.text(max_size=5), values | st.lists(values, max_size=3), max_size=3)


def parse(*pieces: bytes) -> tuple[list[ModelEvent], str]:
    numbers = count(1)
    parser = MessageParser(
        lambda found: sort_refusal(Refusal(200, found, "the server", "m")),
        server="the server",
        model="m",
        new_call_id=lambda: f"own-{next(numbers)}",
    )
    events: list[ModelEvent] = []
    for piece in pieces:
        events += parser.feed(piece)
    return events + parser.close(), repr(parser.failure)


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
def test_a_known_shape_means_the_same_cut_at_every_byte(shape: Recorded) -> None:
    whole = parse(shape.body)
    for at in range(len(shape.body) + 1):
        assert parse(shape.body[:at], shape.body[at:]) == whole
    assert parse(*(shape.body[at : at + 1] for at in range(len(shape.body)))) == whole


@given(st.sampled_from(ALL_SHAPES), st.lists(st.integers(0, 5000), max_size=12))
def test_a_known_shape_means_the_same_however_it_is_cut(shape: Recorded, cuts: list[int]) -> None:
    ends = [*sorted(cut % (len(shape.body) + 1) for cut in cuts), len(shape.body)]
    pieces = [shape.body[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    assert parse(*pieces) == parse(shape.body)


@given(st.sampled_from(ALL_SHAPES), st.data())
def test_a_stream_that_ends_anywhere_gives_no_call_without_its_end(
    shape: Recorded, data: st.DataObject
) -> None:
    cut = shape.body[: data.draw(st.integers(0, len(shape.body)))]
    events, failure = parse(cut)
    ran = [found for found in events if isinstance(found, ToolCallReady) and not found.call.problem]
    assert failure == "None" or not ran


@given(st.lists(st.tuples(st.sampled_from("ab"), arguments), min_size=1, max_size=4), st.data())
def test_input_arrives_whole_however_the_server_splits_it(
    wanted: list[tuple[str, dict[str, object]]], data: st.DataObject
) -> None:
    body = start()
    for index, (name, given_values) in enumerate(wanted):
        written = json.dumps(given_values, ensure_ascii=data.draw(st.booleans()))
        middle = data.draw(st.integers(0, len(written)))
        body += begun(index, name)
        for piece in (written[:middle], written[middle:]):
            body += delta(index, "input_json_delta", partial_json=piece)
        body += closed(index)
    events, failure = parse(body + end("tool_use"))
    calls = [found.call for found in events if isinstance(found, ToolCallReady)]
    assert [(c.name, c.arguments, c.problem) for c in calls] == [(n, v, "") for n, v in wanted]
    assert failure == "None"


@given(arguments, st.data())
def test_input_cut_off_at_any_place_never_becomes_a_call_that_runs(
    wanted: dict[str, object], data: st.DataObject
) -> None:
    written = json.dumps(wanted)
    cut = written[: data.draw(st.integers(0, len(written) - 1))]
    body = start() + begun(0, "delete") + delta(0, "input_json_delta", partial_json=cut)
    for close in (b"", closed(0)):
        events, _ = parse(body + close + end("max_tokens"))
        (call,) = (found.call for found in events if isinstance(found, ToolCallReady))
        assert call.problem
        assert not call.arguments


@given(st.lists(st.text(max_size=8), max_size=6))
def test_text_is_never_lost_or_doubled(pieces: list[str]) -> None:
    events, failure = parse(start() + said(0, *pieces) + end())
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "".join(pieces)
    assert failure == "None"
