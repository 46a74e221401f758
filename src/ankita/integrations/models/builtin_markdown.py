"""Foreign text inside Markdown, so that it can end neither its code span nor its fence."""

from __future__ import annotations

import re

MAX_CODE_LENGTH = 120
MAX_QUOTE_LENGTH = 20_000
"""Characters of a quoted result that are shown; the rest is counted and left out."""

_RUN = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~!&])")


def code(text: str, limit: int = MAX_CODE_LENGTH) -> str:
    """`text` as a code span on one line, cut after `limit` characters."""
    line = " ".join(text.split()) or " "
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    ticks = "`" * (_longest_run(line) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def fenced(text: str, limit: int = MAX_QUOTE_LENGTH) -> str:
    """`text` as a code block that nothing inside it can close."""
    shown = text if len(text) <= limit else text[:limit]
    left_out = len(text) - len(shown)
    ticks = "`" * max(3, _longest_run(shown) + 1)
    note = f"\n\nNot shown here: {left_out:,} more characters." if left_out else ""
    return f"{ticks}text\n{shown}\n{ticks}{note}"


def plain(text: str, limit: int = MAX_CODE_LENGTH) -> str:
    """`text` on one line as visible characters only: no emphasis, links or HTML."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return _SPECIAL.sub(r"\\\1", line)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)
