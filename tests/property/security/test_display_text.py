"""Shown text over arbitrary input."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.security.display_text import MAX_SPACES, one_line, visible

TRICKS = st.sampled_from(
    ["\u202e", "\u200b", "\u2066", "\ufeff", "\U000e0041", "\u3164", "\ufe0f", "❤", "\u0301", "\r",
     "\n", "\n\n\n\n", " " * 9, "\t", "\xa0", "раypal.com", "аррӏе", ".", "⟨", "⟩", "⟨U+202E⟩",
     "\ud800", "⟨21 spaces⟩", "ж", "a", "-", "。"]
)  # fmt: skip
TEXTS = st.one_of(st.text(st.characters()), st.lists(TRICKS, max_size=30).map("".join))
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@pytest.mark.spec("APR-17")
@settings(deadline=None)
@given(TEXTS)
def test_nothing_invisible_is_left(text: str) -> None:
    shown = visible(text)
    left = [c for c in shown if c != "\n" and unicodedata.category(c) in INVISIBLE]
    assert left == []
    assert " " * (MAX_SPACES + 1) not in shown
    assert "\n\n\n\n" not in shown
    assert "\n" not in one_line(text)


@pytest.mark.spec("APR-17")
@settings(deadline=None)
@given(TEXTS)
def test_showing_what_was_shown_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@settings(deadline=None)
@given(TEXTS, st.integers(32, 60))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    shown = visible(text, limit)
    assert len(shown) <= limit
    assert visible(shown, limit) == shown
