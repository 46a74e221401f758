"""Walks a folder within limits and matches names; never follows links."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

MAX_ENTRIES = 30_000
MAX_DEPTH = 20
MAX_SECONDS = 3.0
MAX_ALTERNATIVES = 64

_JUNCTION_TAG = 0xA0000003
"""Windows marks a folder that leads elsewhere with it; `stat` does not call it a link."""

SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox", ".nox"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".gradle"}
)
"""Made by tools, large, and hardly ever what a person looks for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the folder. `relative` uses '/'; `depth` is 1 right below the start."""

    path: str
    relative: str
    depth: int
    is_folder: bool
    is_link: bool
    size: int


class FolderWalk:
    """One bounded walk; afterwards `notes()` says what was left out."""

    def __init__(
        self,
        start: Path,
        is_stopped: Callable[[], bool],
        *,
        max_depth: int = MAX_DEPTH,
        max_entries: int = MAX_ENTRIES,
        max_seconds: float = MAX_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._start = start
        self._is_stopped = is_stopped
        self._max_depth = max_depth
        self._max_entries = max_entries
        self._monotonic = monotonic
        self._deadline = monotonic() + max_seconds
        self._seen = 0
        self._skipped: set[str] = set()
        self._unreadable = 0
        self._cut = ""

    def seconds_left(self) -> float:
        return max(0.0, self._deadline - self._monotonic())

    def cut(self, reason: str) -> None:
        """End the walk early; `reason` completes "incomplete: …"."""
        self._cut = self._cut or reason

    @property
    def is_cut(self) -> bool:
        return bool(self._cut)

    def entries(self) -> Iterator[Entry]:
        """Level by level, sorted by name inside each folder.

        Raises OSError when the start itself cannot be listed.
        """
        waiting = deque([(str(self._start), "", 0)])
        while waiting and not self.is_cut:
            folder, prefix, depth = waiting.popleft()
            try:
                found = self._list(folder)
            except OSError:
                if depth == 0:
                    raise
                self._unreadable += 1
                continue
            for item in found:
                if not self._may_go_on():
                    return
                entry = _entry(item, prefix, depth + 1)
                yield entry
                if entry.is_folder and self._enters(item.name, depth + 1):
                    waiting.append((entry.path, f"{entry.relative}/", depth + 1))

    def notes(self) -> list[str]:
        """Plain sentences about what the walk did not see."""
        notes = [f"Incomplete: {self._cut}."] if self._cut else []
        if self._skipped:
            notes.append(f"Not entered: {', '.join(sorted(self._skipped))}.")
        if self._unreadable:
            notes.append(f"Folders that could not be opened: {self._unreadable}.")
        return notes

    def _list(self, folder: str) -> list[os.DirEntry[str]]:
        """A folder with more entries than the limit is read only that far."""
        found = []
        with os.scandir(folder) as items:
            for item in items:
                found.append(item)
                if len(found) > self._max_entries - self._seen:
                    break
        return sorted(found, key=lambda item: item.name)

    def _may_go_on(self) -> bool:
        self._seen += 1
        if self._seen > self._max_entries:
            self.cut(f"over {self._max_entries:,} entries")
        elif self._monotonic() > self._deadline:
            self.cut("it took too long")
        elif self._is_stopped():
            self.cut("stopped")
        return not self.is_cut

    def _enters(self, name: str, depth: int) -> bool:
        if name in SKIPPED_FOLDERS:
            self._skipped.add(name)
            return False
        if depth >= self._max_depth and self._max_depth == MAX_DEPTH:
            self._skipped.add(f"folders deeper than {MAX_DEPTH} levels")
        return depth < self._max_depth


def _entry(item: os.DirEntry[str], prefix: str, depth: int) -> Entry:
    try:
        found = item.stat(follow_symlinks=False)
        is_junction = getattr(found, "st_reparse_tag", 0) == _JUNCTION_TAG
        is_link = is_junction or stat.S_ISLNK(found.st_mode)
        is_folder = stat.S_ISDIR(found.st_mode) and not is_link
        size = 0 if is_folder else found.st_size
    except OSError:  # gone meanwhile
        is_link, is_folder, size = False, False, 0
    return Entry(item.path, f"{prefix}{item.name}", depth, is_folder, is_link, size)


def matches_glob(relative: str, pattern: str) -> bool:
    """Whether a path fits a pattern with *, ?, [..], ** (any folders) and {a,b}.

    A pattern without '/' is matched with the name alone, at any depth.
    """
    names = tuple(relative.split("/"))
    return any(_fits(names, alternative) for alternative in _alternatives(pattern))


@lru_cache(maxsize=64)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    found = []
    for text in _without_braces(pattern):
        anchored = text.removeprefix("./")
        parts = tuple(part for part in anchored.split("/") if part)
        found.append(parts if "/" in anchored else ("**", *parts))
    return tuple(found)


def _without_braces(pattern: str) -> list[str]:
    """Each choice of the innermost braces in turn, at most MAX_ALTERNATIVES."""
    done: list[str] = []
    open_ones = [pattern]
    while open_ones and len(done) < MAX_ALTERNATIVES:
        text = open_ones.pop(0)
        end = text.find("}")
        start = text.rfind("{", 0, end) if end >= 0 else -1
        if start < 0 or len(open_ones) >= MAX_ALTERNATIVES:
            done.append(text)
            continue
        choices = text[start + 1 : end].split(",")
        open_ones += [f"{text[:start]}{choice}{text[end + 1 :]}" for choice in choices]
    return done


def _fits(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Match step by step, keeping all places in the pattern that are possible so far.

    This stays polynomial for any pattern, where a single regular expression may not.
    """
    places = _after_stars({0}, parts)
    for name in names:
        places = _after_stars(
            {
                place if parts[place] == "**" else place + 1
                for place in places
                if place < len(parts) and (parts[place] == "**" or fnmatchcase(name, parts[place]))
            },
            parts,
        )
    return len(parts) in places


def _after_stars(places: set[int], parts: tuple[str, ...]) -> set[int]:
    reached = set(places)
    for place in sorted(places):
        step = place
        while step < len(parts) and parts[step] == "**":
            step += 1
            reached.add(step)
    return reached
