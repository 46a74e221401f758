"""Reads plain text: code, Markdown, CSV, JSON and everything else that is text."""

from __future__ import annotations

from ankita.integrations.documents.encodings import decode
from ankita.integrations.documents.extracted import Extracted, Progress


def read(data: bytes, progress: Progress) -> Extracted:
    """Raises NotTextError."""
    decoded = decode(data)
    progress(1, 1)
    notes: tuple[str, ...] = (guess_note(decoded.encoding),) if decoded.guessed else ()
    if not decoded.text.strip():
        notes += ("There is nothing but white space in this file.",)
    return Extracted(decoded.text, encoding=decoded.encoding, notes=notes)


def guess_note(encoding: str) -> str:
    return f"The file does not say its encoding. It was read as {encoding}, which is a guess."
