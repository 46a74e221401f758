"""Cheap checks of a file before anything reads it. Imports nothing heavy."""

from __future__ import annotations

import stat
import unicodedata
from pathlib import Path
from typing import Final

from ankita.errors import (
    DocumentError,
    DocumentTooLargeError,
    UnreadableDocumentError,
    UnsupportedDocumentError,
)
from ankita.integrations.documents.kinds import (
    UNREADABLE_SUFFIXES,
    WHAT_CAN_BE_READ,
    supported_suffixes,
)
from ankita.integrations.documents.limits import DEFAULT_LIMITS, DocumentLimits, size_in_words

__all__ = ["display_name", "file_problem", "quick_check", "supported_suffixes", "unsupported"]

NAME_CHARACTERS: Final = 200
ZERO_WIDTH_JOINER: Final = "\u200d"
"""The one format character that names need: it ties emoji together."""


def display_name(path: Path) -> str:
    """The file's name as one line that cannot reorder or hide the text around it."""
    shown = "".join(_shown(character) for character in path.name).strip()
    if len(shown) > NAME_CHARACTERS:
        shown = shown[: NAME_CHARACTERS - 1] + "…"
    return shown or "this file"


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"
    if category == "Cf" and character != ZERO_WIDTH_JOINER:
        return ""
    return " " if category in {"Cc", "Zl", "Zp"} else character


def quick_check(path: Path, limits: DocumentLimits = DEFAULT_LIMITS) -> str | None:
    """Why a dropped file would be refused, in plain words, or None if it is worth trying.

    Looks at the suffix and at one `stat`, never at the content, so it may pass a
    file that `read` refuses later.
    """
    problem = file_problem(path, limits)
    if problem is None and (words := UNREADABLE_SUFFIXES.get(path.suffix.lower())):
        problem = unsupported(path, words)
    return problem.sentence() if problem else None


def file_problem(path: Path, limits: DocumentLimits) -> DocumentError | None:
    """What `stat` alone says against reading the file."""
    name = display_name(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        return UnreadableDocumentError(f"{name} is not there any more.")
    except PermissionError:
        return not_permitted(path)
    except (OSError, ValueError):
        return UnreadableDocumentError(f"{name} cannot be opened.")
    if stat.S_ISDIR(status.st_mode):
        return UnreadableDocumentError(
            f"{name} is a folder.", advice="Attach the files in it one by one."
        )
    if not stat.S_ISREG(status.st_mode):
        return UnreadableDocumentError(f"{name} is not a file with content that can be read.")
    if status.st_size == 0:
        return UnreadableDocumentError(f"{name} is empty.")
    if status.st_size > limits.file_bytes:
        return too_large(path, status.st_size, limits)
    return None


def not_permitted(path: Path) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"You have no permission to read {display_name(path)}.",
        advice="Change its permissions or copy it to a folder of yours.",
    )


def too_large(path: Path, size: int, limits: DocumentLimits) -> DocumentTooLargeError:
    return DocumentTooLargeError(
        f"{display_name(path)} has {size_in_words(size)}; "
        f"files up to {size_in_words(limits.file_bytes)} can be read.",
        advice="Attach a smaller part of it.",
    )


def unsupported(path: Path, words: str) -> UnsupportedDocumentError:
    """`words` names the kind with its article: "an Excel workbook"."""
    return UnsupportedDocumentError(
        f"{display_name(path)} is {words}, which cannot be read.", advice=WHAT_CAN_BE_READ
    )


def memory_problem(path: Path, limits: DocumentLimits) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"Reading {display_name(path)} took more than {size_in_words(limits.memory_bytes)} "
        "of memory and was stopped.",
        advice="Attach a smaller part of it.",
    )


def time_problem(path: Path, limits: DocumentLimits) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"Reading {display_name(path)} took more than {limits.seconds:g} seconds and was stopped.",
        advice="Attach a smaller part of it.",
    )
