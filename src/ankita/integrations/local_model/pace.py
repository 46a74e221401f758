"""Lets word of progress through at most so often. Pure but for the clock it is given."""

from __future__ import annotations

import time
from collections.abc import Callable

OnProgress = Callable[[int, int, bool], None]
"""Called with bytes done, bytes in all, and whether the hash is being checked."""


class Pace:
    """Passes progress on, at least `seconds` apart; a new phase and the end always pass."""

    def __init__(
        self,
        on_progress: OnProgress,
        *,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._on_progress = on_progress
        self._seconds = seconds
        self._now = now
        self._last: float | None = None
        self._was_checking = False

    def note(self, done: int, total: int, *, is_checking: bool) -> None:
        now = self._now()
        is_early = self._last is not None and now - self._last < self._seconds
        if is_early and is_checking == self._was_checking and done != total:
            return
        self._last, self._was_checking = now, is_checking
        self._on_progress(done, total, is_checking)
