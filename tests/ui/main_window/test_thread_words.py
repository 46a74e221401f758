"""The second line of a thread: when, and how it stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ankita.engine import ThreadStatus
from ankita.ui.main_window.thread_words import thread_line, when_words
from tests.ui.main_window.window_lab import thread

NOW = datetime(2026, 5, 8, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (NOW - timedelta(seconds=20), "now"),
        (NOW - timedelta(hours=2), "12:30"),
        (NOW - timedelta(hours=15), "yesterday"),
        (NOW - timedelta(days=4), "Mon"),
        (NOW - timedelta(days=7), "1 May"),
        (NOW - timedelta(days=400), "3 Apr 2025"),
        (None, ""),
    ],
)
def test_a_time_is_said_as_short_as_it_can_be(then: datetime | None, words: str) -> None:
    assert when_words(then, NOW) == words


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"status": ThreadStatus.ASKING, "detail": "asking you"}, "now · asking you"),
        (
            {"status": ThreadStatus.WORKING, "detail": "reading 3 of 7 pages"},
            "reading 3 of 7 pages",
        ),
        ({"status": ThreadStatus.STOPPED}, "Mon · stopped"),
        ({"draft": "dear"}, "Mon · draft"),
    ],
)
def test_a_thread_says_when_and_how_it_stands(changes: dict[str, object], line: str) -> None:
    made = thread(updated_at="2026-05-04T12:00:00+00:00", **changes)
    assert thread_line(made, NOW.astimezone()) == line
