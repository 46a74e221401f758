"""The event reader means the same whatever the cuts, line ends and noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.integrations.models.sse import EventTooLargeError, ServerEvent, SseParser

text = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), max_size=12)
names = st.sampled_from(["", "ping", "error", "chunk"])
events = st.lists(
    st.builds(
        lambda name, lines: ServerEvent(name, "\n".join(lines)),
        names,
        st.lists(text, min_size=1, max_size=3),
    ),
    max_size=5,
)
noise = st.sampled_from([":", ": comment", ":: :", "id: 7", "retry: 9", "unknown", "x: y"])
line_ends = st.sampled_from(["\n", "\r\n", "\r"])


def read(data: bytes, cuts: list[int]) -> list[ServerEvent]:
    parser = SseParser()
    found: list[ServerEvent] = []
    ends = [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in zip([0, *ends], ends, strict=False):
        found += parser.feed(data[start:end])
    return found + parser.close()


@pytest.mark.spec("PRV-5")
@given(st.binary(max_size=80), st.lists(st.integers(0, 200), max_size=8))
def test_any_bytes_give_the_same_events_however_they_are_cut(data: bytes, cuts: list[int]) -> None:
    assert read(data, cuts) == read(data, [])


@pytest.mark.spec("PRV-5")
@given(events, line_ends, st.data(), st.lists(st.integers(0, 500), max_size=8))
def test_what_was_written_is_read_through_noise_and_any_line_end(
    written: list[ServerEvent], line_end: str, data: st.DataObject, cuts: list[int]
) -> None:
    lines = []
    for event in written:
        body = [f"event:{event.name}"] if event.name else []
        body += [f"data: {line}" for line in event.data.split("\n")]
        for line in body:
            lines += [line, data.draw(noise)]
        lines.append("")
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    stream = mark + "".join(line + line_end for line in lines)
    assert read(stream.encode(), cuts) == written


@pytest.mark.spec("PRV-5")
@given(st.integers(8, 40), st.integers(1, 40))
def test_an_event_over_the_limit_is_refused_but_comments_may_go_on(limit: int, cut: int) -> None:
    parser = SseParser(max_event_bytes=limit)
    for _ in range(50):
        assert parser.feed(b": go on\n") == []
    assert parser.feed(b"x" * min(cut, limit)) == []
    with pytest.raises(EventTooLargeError):
        parser.feed(b"x" * limit + b"x")
