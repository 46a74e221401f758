"""Finds lines in the text files of a folder, within limits on time and amount.

Patterns are literal unless asked otherwise. Regular expressions run with the `regex`
library: it gives up at a deadline and lets other threads run meanwhile, which `re`
cannot; a separate process for each search would be slow and just one more thing to end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ankita.errors import ToolArgumentsError, ToolError
from ankita.integrations.native.folder_walk import FolderWalk, matches_glob
from ankita.integrations.native.text_encoding import decode

MAX_RESULTS = 100
MAX_FILE_BYTES = 2_000_000
MAX_TOTAL_BYTES = 32_000_000
SEARCHED_LINE_CHARACTERS = 5_000
SHOWN_LINE_CHARACTERS = 200
_LEAD_CHARACTERS = 60
_BINARY_PROBE_BYTES = 8_192
_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")

Finder = Callable[[str, float], int]
"""Takes a line and the seconds left; gives the place of the first match or -1.

Raises TimeoutError."""


@dataclass(slots=True)
class SearchResult:
    """The lines found ("path:line: text") and sentences about what was left out."""

    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files_searched: int = 0


def literal_finder(pattern: str, *, ignore_case: bool) -> Finder:
    """Finds the text itself."""
    wanted = pattern.casefold() if ignore_case else pattern

    def find(line: str, _seconds: float) -> int:
        return (line.casefold() if ignore_case else line).find(wanted)

    return find


def regex_finder(pattern: str, *, ignore_case: bool) -> Finder:
    """Finds a regular expression. Raises ToolArgumentsError when it is none."""
    import regex  # only when asked for: it adds to the start-up time

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise ToolArgumentsError(
            f"pattern: not a regular expression ({str(error)[:100]})", field="pattern"
        ) from None

    def find(line: str, seconds: float) -> int:
        # A time-out of zero would count as "none".
        found = compiled.search(line, timeout=max(seconds, 0.001), concurrent=True)
        return int(found.start()) if found else -1

    return find


class TextSearch:
    """One search below one folder. `read` opens a file safely and gives its bytes."""

    def __init__(
        self, walk: FolderWalk, find: Finder, read: Callable[[str, int], bytes], glob: str
    ) -> None:
        self._walk = walk
        self._find = find
        self._read = read
        self._glob = glob
        self._result = SearchResult()
        self._bytes_read = 0
        self._left_out: dict[str, int] = {}
        self._has_long_lines = False

    def run(self, prefix: str) -> SearchResult:
        """Search; `prefix` goes before each path shown."""
        for entry in self._walk.entries():
            if entry.is_folder or entry.is_link:
                continue
            if self._glob and not matches_glob(entry.relative, self._glob):
                continue
            self._search_file(entry.path, f"{prefix}{entry.relative}", entry.size)
        self._result.notes = self._walk.notes() + self._own_notes()
        return self._result

    def run_on_file(self, path: Path, shown: str) -> SearchResult:
        """Search one file alone."""
        self._search_file(str(path), shown, path.lstat().st_size)
        self._result.notes = self._walk.notes() + self._own_notes()
        return self._result

    def _search_file(self, path: str, shown: str, size: int) -> None:
        if size > MAX_FILE_BYTES:
            return self._leave_out(f"over {MAX_FILE_BYTES:,} bytes")
        if self._bytes_read + size > MAX_TOTAL_BYTES:
            return self._walk.cut(f"over {MAX_TOTAL_BYTES:,} bytes of text")
        try:
            content = self._read(path, MAX_FILE_BYTES)
        except ToolError:
            return self._leave_out("could not be opened")
        self._bytes_read += len(content)
        text = _as_text(content)
        if text is None:
            return self._leave_out("not text")
        self._result.files_searched += 1
        return self._search_text(text, shown)

    def _search_text(self, text: str, shown: str) -> None:
        for number, line in enumerate(text.split("\n"), start=1):
            part = line[:SEARCHED_LINE_CHARACTERS]
            self._has_long_lines |= len(part) < len(line)
            seconds = self._walk.seconds_left()
            try:
                place = self._find(part, seconds) if seconds else -1
            except TimeoutError:
                seconds = 0.0
            if not seconds:
                return self._walk.cut("it took too long")
            if place >= 0:
                self._result.lines.append(f"{shown}:{number}: {_around(part, place)}")
                if len(self._result.lines) >= MAX_RESULTS:
                    return self._walk.cut(f"stopped at {MAX_RESULTS} lines")
        return None

    def _leave_out(self, reason: str) -> None:
        self._left_out[reason] = self._left_out.get(reason, 0) + 1

    def _own_notes(self) -> list[str]:
        notes = [f"Files left out ({why}): {count}." for why, count in self._left_out.items()]
        if self._has_long_lines:
            notes.append(
                f"Lines were searched in their first {SEARCHED_LINE_CHARACTERS:,} letters."
            )
        return notes


def _as_text(content: bytes) -> str | None:
    """Quick and tolerant: guessing an encoding for each of thousands of files is too slow."""
    if content.startswith(_TEXT_MARKS):
        decoded = decode(content)
        return decoded.text if decoded else None
    if b"\0" in content[:_BINARY_PROBE_BYTES]:
        return None
    return content.decode("utf-8", "replace")


def _around(line: str, place: int) -> str:
    """The match with some text before it, on one short line."""
    start = max(0, place - _LEAD_CHARACTERS) if len(line) > SHOWN_LINE_CHARACTERS else 0
    part = line[start : start + SHOWN_LINE_CHARACTERS].strip()
    before = "…" if start else ""
    after = "…" if start + SHOWN_LINE_CHARACTERS < len(line) else ""
    return f"{before}{part}{after}"
