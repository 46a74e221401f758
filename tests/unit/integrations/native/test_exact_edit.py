"""Exact replacement as a rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import ToolError
from ankita.integrations.native.exact_edit import replace_exact

pytestmark = pytest.mark.spec("TOL-1")

TEXT = st.text(alphabet="ab\n ", max_size=30)
PASSAGE = st.text(alphabet="ab\n ", min_size=1, max_size=4)


def places(text: str, old: str) -> int:
    return sum(text.startswith(old, start) for start in range(len(text)))


@given(text=TEXT, old=PASSAGE, new=PASSAGE, windows=st.booleans())
def test_only_a_unique_passage_is_replaced(text: str, old: str, new: str, windows: bool) -> None:
    ending = "\r\n" if windows else "\n"
    stored = text.replace("\n", ending)
    if old == new or places(text, old) != 1:
        with pytest.raises(ToolError):
            replace_exact(stored, old, new, replace_all=False)
        return
    edited = replace_exact(stored, old, new, replace_all=False)
    # A text of one line does not say which line break it wants.
    if "\n" in text:
        assert edited.text == text.replace(old, new).replace("\n", ending)
    assert edited.first_line == text.count("\n", 0, text.index(old)) + 1


def test_passages_that_overlap_are_not_unique() -> None:
    with pytest.raises(ToolError, match="2 times"):
        replace_exact("aaa", "aa", "b", replace_all=False)


def test_a_break_at_the_start_counts_once() -> None:
    edited = replace_exact("x\r\nfoo\r\n", "\nfoo", "\nbar", replace_all=False)
    assert edited.text == "x\r\nbar\r\n"


def test_mixed_line_breaks_outside_the_passage_stay() -> None:
    edited = replace_exact("a\nb\r\nc\nd\n", "c\nd", "c\nX", replace_all=False)
    assert edited.text == "a\nb\r\nc\nX\n"


def test_the_new_text_is_taken_literally() -> None:
    edited = replace_exact("a.b", "a.b", r"\1\g<0>\n", replace_all=False)
    assert edited.text == r"\1\g<0>\n"


def test_a_passage_found_very_often_is_counted_to_the_limit() -> None:
    with pytest.raises(ToolError, match="at least 1000 times"):
        replace_exact("a" * 5000, "a", "b", replace_all=False)
