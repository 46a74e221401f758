"""What a part of the benchmark gives back: figures, some with a limit, and how they are shown."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


class CannotMeasureError(Exception):
    """The machine lacks what a part needs; the text says what, in words."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure, a median unless `what` says otherwise, and the most it may be."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    worst: float | None = None
    """The highest single figure, where several were taken."""

    @property
    def is_over(self) -> bool:
        return self.limit is not None and self.value > self.limit


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of one part."""

    title: str
    measures: tuple[Measure, ...]

    @property
    def over(self) -> list[Measure]:
        return [measure for measure in self.measures if measure.is_over]


def shown(part: Part) -> str:
    """The part as a Markdown table."""
    rows = [f"## {part.title}", "", "| what | median | worst | at most |", "|---|---|---|---|"]
    for each in part.measures:
        limit = "" if each.limit is None else _figure(each.limit, each.unit)
        worst = "" if each.worst is None else _figure(each.worst, each.unit)
        rows.append(f"| {each.what} | {_figure(each.value, each.unit)} | {worst} | {limit} |")
    return "\n".join(rows)


def as_json(parts: Sequence[Part]) -> dict[str, Any]:
    """All figures, with the machine they were taken on."""
    return {
        "machine": machine(),
        "parts": {part.title: [asdict(measure) for measure in part.measures] for part in parts},
    }


def machine() -> str:
    """What the figures depend on, in one line."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load},"
        f" Python {platform.python_version()}"
    )


def _figure(value: float, unit: str) -> str:
    digits = 2 if value < 10 and unit else 0
    if unit == "ms" and 10 <= value < 100:
        digits = 1
    return f"{value:.{digits}f} {unit}".strip()
