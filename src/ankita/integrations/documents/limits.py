"""How large, long and slow a document may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KILOBYTE: Final = 1_000
MEGABYTE: Final = 1_000_000
GIGABYTE: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """The bounds of one reading. Whatever they cut is said in the notes.

    `file_bytes`: larger files are refused before they are opened.
    `pages`, `characters`: the rest is cut, with a note.
    `seconds`: wall time from the start of the child to its end.
    `memory_bytes`: address space of the child (its resident memory on Windows).
    `reply_bytes`: everything the child may write; 12 bytes a character at worst.
    `unpacked_bytes`, `archive_entries`: what may come out of a packed file.
    `xml_depth`: elements inside elements.
    `rich_characters`: longer HTML is read without its layout; turning it into Markdown
    takes three seconds for each million characters.
    `rich_word_bytes`: the same for the XML of a Word document's text.
    """

    file_bytes: int = 20 * MEGABYTE
    pages: int = 400
    characters: int = 1_000_000
    seconds: float = 15.0
    memory_bytes: int = GIGABYTE
    reply_bytes: int = 16 * MEGABYTE
    unpacked_bytes: int = 64 * MEGABYTE
    archive_entries: int = 5_000
    xml_depth: int = 250
    rich_characters: int = 1_000_000
    rich_word_bytes: int = 1_500_000


DEFAULT_LIMITS: Final = DocumentLimits()


def size_in_words(count: int) -> str:
    """Bytes as a person reads them: 30_500_000 -> "30.5 MB"."""
    for unit, name in ((GIGABYTE, "GB"), (MEGABYTE, "MB"), (KILOBYTE, "kB")):
        if count >= unit:
            return f"{count / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{count} bytes"
