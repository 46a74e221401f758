"""Reads HTML as Markdown."""

from __future__ import annotations

import re
from typing import Final

from ankita.integrations.documents.encodings import Decoded, NotTextError, declared, decode
from ankita.integrations.documents.extracted import Extracted, Progress
from ankita.integrations.documents.limits import DocumentLimits
from ankita.integrations.documents.plain_text import guess_note

_DECLARATION_BYTES: Final = 4096
_CHARSET: Final = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)


def read(data: bytes, limits: DocumentLimits, progress: Progress) -> Extracted:
    """Raises NotTextError."""
    from ankita.integrations.documents.markup import to_markdown

    decoded = _decode(data)
    progress(1, 2)
    text, notes = to_markdown(decoded.text, limits)
    progress(2, 2)
    if decoded.guessed:
        notes = (guess_note(decoded.encoding), *notes)
    if not text:
        notes = (*notes, "There is no text on this page.")
    return Extracted(text, encoding=decoded.encoding, notes=notes)


def _decode(data: bytes) -> Decoded:
    """A page's own declaration counts only where the bytes leave the question open."""
    decoded: Decoded | None = None
    try:
        decoded = decode(data)
        if not decoded.guessed:
            return decoded
    except NotTextError:
        pass
    match = _CHARSET.search(data[:_DECLARATION_BYTES])
    named = declared(data, match[1].decode("ascii")) if match and b"\0" not in data else None
    if (chosen := named or decoded) is None:
        raise NotTextError
    return chosen
