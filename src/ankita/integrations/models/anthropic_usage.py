"""Adds up the token figures of one message in Anthropic's format. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ankita.messages import Json, Usage

_SENT = "input_tokens"
_READ = "cache_read_input_tokens"
_STORED = "cache_creation_input_tokens"
_WRITTEN = "output_tokens"


@dataclass(slots=True)
class UsageCount:
    """Figures come twice and only grow, and some servers give a zero first."""

    _figures: dict[str, int] = field(default_factory=dict)

    def take(self, usage: Json) -> None:
        """One `usage` object; anything that is not one is ignored."""
        for name in (_SENT, _READ, _STORED, _WRITTEN) if isinstance(usage, Mapping) else ():
            value = usage.get(name)
            if isinstance(value, int):
                self._figures[name] = max(value, self._figures.get(name, 0))

    def total(self) -> Usage | None:
        """The whole prompt counts what was read from the cache and what went into it."""
        figures = self._figures
        if _SENT not in figures or _WRITTEN not in figures:
            return None
        read = figures.get(_READ, 0)
        return Usage(
            prompt_tokens=figures[_SENT] + read + figures.get(_STORED, 0),
            completion_tokens=figures[_WRITTEN],
            cached_tokens=read,
        )
