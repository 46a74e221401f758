"""However a download is cut and answered, its pieces make the file or nothing does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.integrations.local_model.pace import Pace
from ankita.integrations.local_model.resume import OtherFileError, body_start, range_headers

pytestmark = pytest.mark.spec("PRV-9")

FILE = bytes(range(200))
ETAG = '"one"'
RANGES = st.builds(
    "bytes {}-{}/{}".format,
    st.integers(0, 300),
    st.integers(0, 300),
    st.sampled_from(["*", "200", "199", "0"]),
)

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


def answer(headers: dict[str, str], *, ranges: bool, etag: str) -> Answer:
    """What a correct server says about FILE."""
    is_other = headers.get("If-Range", etag) != etag
    if "Range" not in headers or not ranges or is_other:
        return 200, {"etag": etag, "content-length": str(len(FILE))}, FILE
    start = int(headers["Range"].removeprefix("bytes=").removesuffix("-"))
    if start >= len(FILE):
        return 416, {"content-range": f"bytes */{len(FILE)}"}, b""
    told = f"bytes {start}-{len(FILE) - 1}/{len(FILE)}"
    return 206, {"etag": etag, "content-range": told}, FILE[start:]


@given(st.integers(0, len(FILE) - 1), st.booleans(), st.sampled_from([ETAG, '"two"']))
def test_the_part_and_the_body_make_the_file(have: int, ranges: bool, etag: str) -> None:
    headers = range_headers(have, ETAG)
    status, told, body = answer(headers, ranges=ranges, etag=etag)
    start = body_start(status, told, have=have, size=len(FILE), etag=ETAG)
    assert start is not None
    assert FILE[:have][:start] + body == FILE
    if etag != ETAG:
        assert start == 0


@given(
    st.sampled_from([206, 416]),
    st.text(max_size=30) | RANGES,
    st.integers(1, 199),
)
def test_a_part_is_joined_only_where_it_fits(status: int, told: str, have: int) -> None:
    start = body_start(status, {"content-range": told}, have=have, size=200, etag="")
    if start is not None:
        assert (status, start) == (206, have)
        assert told.startswith(f"bytes {have}-")
        assert told.endswith(("/200", "/*"))


@given(st.integers(0, 10**12))
def test_a_file_of_another_size_is_no_answer(length: int) -> None:
    headers = {"content-length": str(length)}
    if length == 200:
        assert body_start(200, headers, have=0, size=200, etag="") == 0
        return
    with pytest.raises(OtherFileError):
        body_start(200, headers, have=0, size=200, etag="")


def test_a_weak_mark_joins_nothing_by_itself() -> None:
    assert range_headers(7, 'W/"one"') == {"Range": "bytes=7-"}
    assert range_headers(0, ETAG) == {}


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 99)), min_size=1, max_size=60))
def test_progress_passes_at_most_four_times_a_second(steps: list[tuple[float, int]]) -> None:
    time, told = 0.0, []
    pace = Pace(lambda *_: told.append(time), seconds=0.25, now=lambda: time)
    for wait, done in steps:
        time += wait
        pace.note(done, 100, is_checking=False)
    assert len(told) >= 1
    assert all(later - earlier >= 0.25 for earlier, later in pairwise(told))
