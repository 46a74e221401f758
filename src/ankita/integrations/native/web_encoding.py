"""Finds the encoding of a page: its bytes, then the header, then the page's own word. Pure."""

from __future__ import annotations

import re
from typing import Final

from ankita.integrations.documents.encodings import Decoded, NotTextError, declared, decode

_DECLARATION_BYTES: Final = 4_096
_CHARSET: Final = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)


def decode_page(body: bytes, charset: str) -> Decoded:
    """A declaration counts only where the bytes leave the question open; a guess comes last.

    `charset` is what the header says, or empty. Raises NotTextError.
    """
    guess: Decoded | None = None
    try:
        guess = decode(body)
        if not guess.guessed:
            return guess
    except NotTextError:
        pass
    match = _CHARSET.search(body[:_DECLARATION_BYTES])
    for name in (charset, match[1].decode("ascii") if match else ""):
        if (named := _as_declared(body, name)) is not None:
            return named
    if guess is None:
        raise NotTextError
    return guess


def _as_declared(body: bytes, name: str) -> Decoded | None:
    if not name or b"\0" in body:
        return None
    if name.lower().replace("-", "") == "utf8":
        # Single broken bytes do not make it another encoding.
        return Decoded(body.decode("utf-8", errors="replace"), "utf-8")
    return declared(body, name)
