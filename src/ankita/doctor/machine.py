"""Checks of the machine: Python, the disk, the clock; and of what is not set up yet."""

from __future__ import annotations

import os
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from ankita.doctor.finding import Finding, State, Subject

NEEDED_PYTHON = (3, 11)
FULL_BYTES = 1024 * 1024
"""With less than this free, not even an empty profile can be written."""

LOW_BYTES = 200 * 1024 * 1024
OLDEST_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""This version was made later than this, so an earlier clock is wrong."""

TOLERATED_SECONDS = 24 * 3600.0


def check_python(_subject: Subject) -> Finding:
    return judge_python(sys.version_info[:3])


def judge_python(version: tuple[int, int, int]) -> Finding:
    """Whether this Python is new enough."""
    words = f"Python {'.'.join(map(str, version))}"
    if version[:2] >= NEEDED_PYTHON:
        return Finding("python", State.OK, words)
    needed = ".".join(map(str, NEEDED_PYTHON))
    return Finding(
        "python",
        State.FAIL,
        f"{words} is too old for Ankita.",
        f"Install Python {needed} or later and install Ankita there.",
    )


def check_disk(subject: Subject) -> Finding:
    """How much room there is where the profile lies, or will lie."""
    return judge_disk(shutil.disk_usage(nearest_folder(subject.paths.root)).free)


def judge_disk(free: int) -> Finding:
    """Whether `free` bytes are enough."""
    words = f"{_size(free)} free where the profile lies."
    if free < FULL_BYTES:
        return Finding(
            "disk", State.FAIL, f"The disk is full: {words}", "Free some space on that disk."
        )
    if free < LOW_BYTES:
        return Finding("disk", State.WARN, f"Only {words}", "Free some space soon.")
    return Finding("disk", State.OK, words)


def check_clock(subject: Subject) -> Finding:
    try:
        newest = subject.paths.database.stat().st_mtime
    except OSError:
        newest = 0.0
    return judge_clock(time.time(), newest)


def judge_clock(now: float, newest: float) -> Finding:
    """Whether the time is believable. Both in seconds since 1970; `newest` is the last write."""
    said = datetime.fromtimestamp(now, UTC)
    words = f"{said:%Y-%m-%d %H:%M} UTC"
    advice = "Set the clock: connections and the record of decisions depend on it."
    if said < OLDEST_NOW:
        return Finding("clock", State.WARN, f"The clock says {words}, which is too early.", advice)
    if newest > now + TOLERATED_SECONDS:
        return Finding(
            "clock", State.WARN, f"The clock says {words}, which is before the last use.", advice
        )
    return Finding("clock", State.OK, words)


def check_mcp(_subject: Subject) -> Finding:
    return Finding("mcp", State.OK, "No MCP servers are set up yet.")


def check_driver(_subject: Subject) -> Finding:
    return Finding("driver", State.OK, "No driver for other programs' windows is set up yet.")


def nearest_folder(path: Path) -> Path:
    """The path itself, or the first thing above it that exists."""
    return next((p for p in (path, *path.parents) if os.path.lexists(p)), Path(path.anchor))


def _size(count: int) -> str:
    if count >= 10 * 1024**3:
        return f"{count // 1024**3} GB"
    return f"{count // 1024**2} MB" if count >= 1024**2 else f"{count // 1024} kB"
