"""Bytes to text: byte order mark, strict UTF-8, UTF-16 without a mark, then a guess.

Pure. The guess is charset-normalizer's over the encodings that are in real use, with
two corrections where it is known to err on Latin text.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

SAMPLE_BYTES: Final = 256 * 1024
"""A guess looks at this much; the whole is decoded with what it found."""

MAX_ODD_SHARE: Final = 0.01
"""Text has hardly any control or unassigned characters."""

MIN_HIGH_BYTE_SHARE: Final = 0.6
"""In UTF-16 of one script most high bytes are that script's or zero."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LATIN: Final = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257")
_CANDIDATES: Final = (
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
    *_LATIN,
    *("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874", "cp850"),
)

_ALSO_DECLARED: Final = frozenset({"shift_jis", "iso8859-9", "iso8859-5", "iso8859-7", "euc_kr"})

_TEXT_CONTROLS: Final = frozenset("\t\n\r\f\x1b")
_TURKISH_OR_ICELANDIC: Final = re.compile("[ÐÝÞðýþ]")
_ICELANDIC: Final = re.compile("[áéíóúæÁÉÍÓÚÆ]")


class NotTextError(ValueError):
    """The bytes are not text in any encoding in use."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """`guessed` is true where the bytes do not settle the encoding."""

    text: str
    encoding: str
    guessed: bool = False


def decode(data: bytes) -> Decoded:
    """Raises NotTextError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark) and (text := _strictly(data[len(mark) :], encoding)) is not None:
            return _if_text(Decoded(text, encoding))
    if b"\0" in data:
        return _unmarked_utf16(data)
    if (text := _strictly(data, "utf-8")) is not None:
        return _if_text(Decoded(text, "utf-8"))
    return _if_text(_guess(data))


def declared(data: bytes, name: str) -> Decoded | None:
    """Decode as an encoding named in the file, or None if it is not one of those known here."""
    try:
        encoding = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    if encoding in {"ascii", "iso8859-1"}:
        encoding = "cp1252"
    elif encoding in {"gb2312", "gbk"}:
        encoding = "gb18030"
    known = {codecs.lookup(candidate).name for candidate in _CANDIDATES}
    if encoding not in known | _ALSO_DECLARED:
        return None
    return Decoded(data.decode(encoding, errors="replace"), encoding)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _if_text(decoded: Decoded) -> Decoded:
    if odd_share(decoded.text[:SAMPLE_BYTES]) > MAX_ODD_SHARE:
        raise NotTextError
    return decoded


def odd_share(text: str) -> float:
    """The share of characters that no text contains: controls, unassigned, private."""
    if not text:
        return 0.0
    odd = sum(
        1
        for character in text
        if unicodedata.category(character) in {"Cc", "Cn", "Co", "Cs"}
        and character not in _TEXT_CONTROLS
    )
    return odd / len(text)


def _unmarked_utf16(data: bytes) -> Decoded:
    """NUL bytes mean UTF-16 or no text at all; which half they are in gives the order."""
    zeros_first, zeros_second = data[0::2].count(0), data[1::2].count(0)
    encoding = "utf-16-le" if zeros_second > zeros_first else "utf-16-be"
    high_bytes = data[1::2] if zeros_second > zeros_first else data[0::2]
    text = _strictly(data, encoding)
    if text is None or "\0" in text or not _looks_wide(data, high_bytes):
        raise NotTextError
    return _if_text(Decoded(text, encoding, guessed=True))


def _looks_wide(data: bytes, high_bytes: bytes) -> bool:
    """Keep out 8-bit text with a stray NUL, which as UTF-16 would be plausible Chinese."""
    if _strictly(data, "utf-8") is None:
        return True
    counts = sorted((high_bytes.count(value) for value in set(high_bytes) - {0}), reverse=True)
    concentrated = high_bytes.count(0) + (counts[0] if counts else 0)
    return concentrated >= MIN_HIGH_BYTE_SHARE * len(high_bytes)


def _guess(data: bytes) -> Decoded:
    # 40 ms to import, and most files are UTF-8.
    from charset_normalizer import from_bytes

    matches = list(from_bytes(_sample(data), cp_isolation=list(_CANDIDATES)))
    if not matches:
        raise NotTextError
    encoding = matches[0].encoding
    if encoding in _LATIN:
        near = [
            match.encoding
            for match in matches
            if match.encoding in _LATIN
            and match.chaos <= matches[0].chaos + 0.05
            and match.coherence >= matches[0].coherence - 0.05
        ]
        encoding = _best_latin(_sample(data), near)
    return Decoded(
        data.decode(encoding, errors="replace"), codecs.lookup(encoding).name, guessed=True
    )


def _sample(data: bytes) -> bytes:
    """The start of the data, ended at a line so that no character is cut in half."""
    if len(data) <= SAMPLE_BYTES:
        return data
    end = data.rfind(b"\n", 0, SAMPLE_BYTES)
    return data[: end + 1] if end > 0 else data[:SAMPLE_BYTES]


def _best_latin(data: bytes, near: list[str]) -> str:
    """Among readings that score alike: the one with most letters, then the commonest.

    cp1252 joins in wherever it gives the very same text as the best reading.
    """
    texts = {encoding: data.decode(encoding, errors="replace") for encoding in near}
    western = data.decode("cp1252", errors="replace")
    if western in texts.values():
        texts["cp1252"] = western
    best = max(
        sorted(texts, key=_LATIN.index),
        key=lambda encoding: sum(c.isalpha() for c in texts[encoding] if not c.isascii()),
    )
    if (
        best == "cp1252"
        and _TURKISH_OR_ICELANDIC.search(western)
        and not _ICELANDIC.search(western)
    ):
        return "cp1254"
    return best
