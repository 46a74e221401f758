"""What one format's reader hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]
"""`progress(done, total)`: pages or parts; total 0 is unknown."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """Text as the reader found it, before the limit on characters is applied.

    When `text` is empty, `notes` says why.
    """

    text: str
    pages: int | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()
