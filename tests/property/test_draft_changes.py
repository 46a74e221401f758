"""A draft that the engine changed never costs the user a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.ui.main_window.draft_changes import taken_in

pytestmark = pytest.mark.spec("ENG-12")

WORDS = st.text(alphabet="ab \n", max_size=12)


@given(WORDS, WORDS)
def test_without_typing_the_composer_shows_what_is_stored(before: str, now: str) -> None:
    assert taken_in(before, before, now) == now


@given(WORDS, WORDS, WORDS)
def test_what_was_typed_stays_in_front(local: str, before: str, now: str) -> None:
    if local != before and local.strip():
        assert taken_in(local, before, now).startswith(local)


@given(WORDS, WORDS, WORDS.filter(str.strip))
def test_a_message_that_was_taken_back_is_there_whatever_was_typed(
    local: str, before: str, message: str
) -> None:
    joined = "\n\n".join(text for text in (before, message) if text.strip())
    if before.strip() or not before:
        assert message.lstrip("\n") in taken_in(local, before, joined)
