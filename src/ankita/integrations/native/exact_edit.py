"""Replaces one exact passage of a text; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ankita.errors import ToolArgumentsError, ToolError

PLACES_COUNTED = 1000
_LINE_END = r"(?:\r\n|(?<!\r)\n)"


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, how often the passage was replaced and the first changed line (from 1)."""

    text: str
    count: int
    first_line: int


def replace_exact(text: str, old: str, new: str, *, replace_all: bool) -> Edited:
    """Replace `old` by `new`. Line breaks match both kinds; those of the text are kept.

    Raises ToolError when `old` is not there, or is there more than once without
    `replace_all`.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if old == new:
        raise ToolArgumentsError("new_text: the same as old_text", field="new_text")
    pattern = re.compile(_LINE_END.join(re.escape(line) for line in old.split("\n")))
    first = pattern.search(text)
    if first is None:
        raise ToolError(
            "old_text was not found; nothing was changed.",
            advice="Read the file again and copy the passage exactly, spaces included.",
        )
    if not replace_all and (places := _count_places(pattern, text)) > 1:
        counted = f"{places}" if places < PLACES_COUNTED else f"at least {places}"
        raise ToolError(
            f"old_text is there {counted} times; nothing was changed.",
            advice="Add lines around it to make it unique, or set replace_all.",
        )
    file_ending = _main_line_end(text)

    def replacement(found: re.Match[str]) -> str:
        passage = found.group()
        ending = _main_line_end(passage) if "\n" in passage else file_ending
        return new.replace("\n", ending)

    changed, count = pattern.subn(replacement, text)
    return Edited(changed, count, text.count("\n", 0, first.start()) + 1)


def _count_places(pattern: re.Pattern[str], text: str) -> int:
    """Places that overlap count too: which one was meant is just as unclear."""
    places, start = 0, 0
    while places < PLACES_COUNTED and (found := pattern.search(text, start)):
        places += 1
        start = found.start() + 1
    return places


def _main_line_end(text: str) -> str:
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"
