"""Any bytes at all are read or refused, never more and never anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import CommandRefusedError
from ankita.integrations.local_model.gguf_cursor import MalformedHeaderError
from ankita.integrations.local_model.gguf_file import GgufInfo, parse_gguf
from tests.unit.integrations.local_model import gguf_bytes as g

pytestmark = pytest.mark.spec("PRV-9")

WHOLE = g.header()


def parse(data: bytes) -> GgufInfo | None:
    try:
        return parse_gguf(data, file_bytes=len(WHOLE) + g.DATA_BYTES, name="file")
    except (MalformedHeaderError, CommandRefusedError):
        return None


@given(st.binary(max_size=400), st.booleans())
def test_bytes_are_read_or_refused(data: bytes, is_marked: bool) -> None:
    parse(b"GGUF" + g.u32(3) + data if is_marked else data)


@given(st.integers(0, len(WHOLE) - 1))
def test_a_header_that_ends_early_is_refused(end: int) -> None:
    assert parse(WHOLE[:end]) is None


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_one_changed_byte_breaks_nothing(place: int, byte: int) -> None:
    parse(WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :])


@given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=30)), max_size=9))
def test_other_fields_change_nothing(others: list[tuple[str, str]]) -> None:
    extra = tuple((f"other.{key}", g.TEXT, value) for key, value in others)
    found = parse(g.header((*extra, *g.MODEL)))
    assert found == parse(WHOLE)
    assert found is not None
