"""Turns a file's bytes into text and back without losing its encoding or line endings."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: it starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_MARK = ["utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be", "utf_7"]
"""Never guessed: short Western text looks like them by chance."""

_COMMON_WESTERN = "cp1252"

_SIGNATURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "a sound, video or WebP file"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ID3", "a sound file"),
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A file's text. `encode` gives back the same bytes for the same text."""

    text: str
    encoding: str
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """Raises UnicodeEncodeError when the encoding lacks a character."""
        return self.mark + text.encode(self.encoding)

    @property
    def name(self) -> str:
        """The encoding for a person, such as "UTF-8 with mark"."""
        return self.encoding.upper().replace("_", "-") + (" with mark" if self.mark else "")


def decode(content: bytes) -> DecodedText | None:
    """The text, by its mark, as UTF-8, or by a guess; None when it is no text."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return DecodedText(content[len(mark) :].decode(encoding), encoding, mark)
            except UnicodeDecodeError:
                return None
    if b"\0" in content:
        return None
    try:
        return DecodedText(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _guess(content)


def _guess(content: bytes) -> DecodedText | None:
    from charset_normalizer import from_bytes  # seldom needed, slow to load

    best = from_bytes(content, cp_exclusion=_WITHOUT_MARK).best()
    if best is None:
        return None
    # Where several encodings give the same text, the common one is the better name.
    same = best.could_be_from_charset
    encoding = _COMMON_WESTERN if _COMMON_WESTERN in same else best.encoding
    try:
        decoded = DecodedText(content.decode(encoding), encoding)
        return decoded if decoded.encode(decoded.text) == content else None
    except (UnicodeError, LookupError):
        return None


def binary_kind(content: bytes) -> str:
    """What a file that is no text seems to be."""
    for signature, kind in _SIGNATURES:
        if content.startswith(signature):
            return kind
    return "binary data"
