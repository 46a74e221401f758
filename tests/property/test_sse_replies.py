"""Whole replies, cut at random places, always give the same events."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import Finished, ModelEvent, TextDelta, ToolCallReady
from tests.servers.recorded_replies import ALL_SHAPES
from tests.servers.scripted_chat_server import call_delta, delta

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
arguments = st.dictionaries(st.text(max_size=5), json_values, max_size=3)


def parse(body: bytes, cuts: list[int]) -> tuple[list[ModelEvent], str]:
    numbers = count(1)
    parser = ReplyParser(
        lambda found: sort_refusal(Refusal(200, found, "the server", "the model")),
        server="the server",
        new_call_id=lambda: f"own-{next(numbers)}",
    )
    events: list[ModelEvent] = []
    ends = [*sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    for start, end in zip([0, *ends], ends, strict=False):
        events += parser.feed(body[start:end])
    return events + parser.close(), repr(parser.failure)


@pytest.mark.spec("PRV-5")
@given(st.sampled_from(ALL_SHAPES), st.lists(st.integers(0, 5000), max_size=12))
def test_a_known_shape_means_the_same_however_it_is_cut(shape: object, cuts: list[int]) -> None:
    body = shape.body
    assert parse(body, cuts) == parse(body, [])


@pytest.mark.spec("PRV-5")
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b"]), arguments), min_size=1, max_size=4), st.data()
)
def test_arguments_arrive_whole_however_the_server_splits_them(
    wanted: list[tuple[str, dict[str, object]]], data: st.DataObject
) -> None:
    body = b""
    for index, (name, values) in enumerate(wanted):
        written = json.dumps(values, ensure_ascii=data.draw(st.booleans()))
        middle = data.draw(st.integers(0, len(written)))
        body += delta(tool_calls=[call_delta(index, f"id{index}", name, written[:middle])])
        body += delta(tool_calls=[call_delta(index, None, None, written[middle:])])
    events, failure = parse(body + delta("tool_calls"), [])
    calls = [event.call for event in events if isinstance(event, ToolCallReady)]
    assert [(call.name, call.arguments, call.problem) for call in calls] == [
        (name, values, "") for name, values in wanted
    ]
    assert failure == "None"


@pytest.mark.spec("PRV-5")
@given(arguments, st.data())
def test_arguments_cut_off_at_any_place_never_become_a_call(
    values: dict[str, object], data: st.DataObject
) -> None:
    written = json.dumps(values)
    cut = written[: data.draw(st.integers(1, len(written) - 1))]
    start = delta(tool_calls=[call_delta(0, "id", "delete", cut)])
    for end, kept in ((delta("length"), 0), (delta("tool_calls"), 1), (b"", 0)):
        events, _ = parse(start + end, [])
        calls = [event.call for event in events if isinstance(event, ToolCallReady)]
        assert len(calls) == kept
        assert all(call.problem and not call.arguments for call in calls)


@pytest.mark.spec("PRV-5")
@given(st.lists(st.text(max_size=8), max_size=6))
def test_text_is_never_lost_or_doubled(pieces: list[str]) -> None:
    events, failure = parse(b"".join(delta(content=p) for p in pieces) + delta("stop"), [])
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert said == "".join(pieces)
    assert isinstance(events[-1], Finished)
    assert failure == "None"
