"""What a teammate's name, look and instructions may be; pure."""

from __future__ import annotations

from collections.abc import Iterable

from ankita.errors import CommandRefusedError
from ankita.security.display_text import one_line

LOOKS = ("mint", "blue", "amber", "violet")
"""The mascot's colours, as the theme calls them."""

MAX_NAME = 40
MAX_INSTRUCTIONS = 8_000


def checked_name(name: str, others: Iterable[str]) -> str:
    """The name as it is kept. Raises CommandRefusedError.

    Characters that hide, reorder or break text are refused: a name stands in cards that
    a person answers.
    """
    kept = " ".join(name.split())
    if not kept:
        raise CommandRefusedError("A teammate needs a name.")
    if len(kept) > MAX_NAME:
        raise CommandRefusedError(f"A name has at most {MAX_NAME} characters.")
    if one_line(kept) != kept:
        raise CommandRefusedError(
            "The name holds characters that can't be seen.", advice="Type it without them."
        )
    if kept.casefold() in {other.casefold() for other in others}:
        raise CommandRefusedError(f"There is a teammate named {kept} already.")
    return kept


def checked_look(look: str) -> str:
    """Raises CommandRefusedError for an unknown look."""
    if look not in LOOKS:
        raise CommandRefusedError(f"There is no such look. Choose one of: {', '.join(LOOKS)}.")
    return look


def checked_instructions(instructions: str) -> str:
    """The instructions as valid text. Raises CommandRefusedError when they are too long."""
    kept = instructions.encode("utf-8", "replace").decode("utf-8").strip()
    if len(kept) > MAX_INSTRUCTIONS:
        raise CommandRefusedError(
            f"Instructions have at most {MAX_INSTRUCTIONS:,} characters; these have {len(kept):,}.",
            advice="Shorten them.",
        )
    return kept
