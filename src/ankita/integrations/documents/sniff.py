"""Decides what a file is from its content; its name is only a hint. Pure."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from typing import Final

from ankita.integrations.documents.kinds import (
    SUFFIX_KINDS,
    UNREADABLE_SUFFIXES,
    DocumentKind,
)

PDF_HEADER_BYTES: Final = 1024
"""Programs that show PDFs accept this much in front of the header."""

HTML_HEAD_BYTES: Final = 2048

_TEXT_KINDS: Final = frozenset(set(DocumentKind) - {DocumentKind.PDF, DocumentKind.WORD})
_HTML_START: Final = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)

_SIGNATURES: Final[tuple[tuple[bytes, str], ...]] = (
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG\r\n\x1a\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF87a", "a picture"),
    (b"GIF89a", "a picture"),
    (b"II*\0", "a picture"),
    (b"MM\0*", "a picture"),
    (b"\0\0\1\0", "a picture"),
    (b"8BPS", "a picture"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
    (b"fLaC", "a sound file"),
    (b"\x1a\x45\xdf\xa3", "a video"),
    (b"\x1f\x8b", "a packed archive"),
    (b"BZh", "a packed archive"),
    (b"\xfd7zXZ\0", "a packed archive"),
    (b"7z\xbc\xaf\x27\x1c", "a packed archive"),
    (b"Rar!\x1a\x07", "a packed archive"),
    (b"\x28\xb5\x2f\xfd", "a packed archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"SQLite format 3\0", "a database"),
    (b"%!PS", "a PostScript file"),
)

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS: Final = (
    ("worddocument", "an old Word document"),
    ("workbook", "an old Excel workbook"),
    ("book", "an old Excel workbook"),
    ("powerpoint document", "an old PowerPoint presentation"),
    ("__nameid_version1.0", "a mail message of Outlook"),
)
LOCKED_OFFICE: Final = "an Office file locked with a password"

_OPEN_DOCUMENT: Final = {
    b"application/vnd.oasis.opendocument.text": "an OpenDocument text",
    b"application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet",
    b"application/vnd.oasis.opendocument.presentation": "an OpenDocument presentation",
    b"application/epub+zip": "an e-book",
}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """Either a kind that can be read, or the words for one that cannot."""

    kind: DocumentKind | None
    words: str = ""


def sniff(data: bytes, suffix: str) -> Sniffed:
    """What the content is. `suffix` has its dot; it tells the kinds of text apart."""
    for signature, words in _SIGNATURES:
        if data.startswith(signature):
            return Sniffed(None, words)
    if data.startswith(_OLE):
        return Sniffed(None, _ole_words(data))
    if data.startswith(b"RIFF"):
        return Sniffed(None, "a picture" if data[8:12] == b"WEBP" else "a sound or video file")
    if data[4:8] == b"ftyp":
        return Sniffed(None, "a video")
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        return _zip_kind(data, suffix)
    if _is_pdf(data, suffix):
        return Sniffed(DocumentKind.PDF)
    return Sniffed(_text_kind(data, suffix))


def name_note(kind: DocumentKind, suffix: str) -> str | None:
    """A sentence when the name promised something else than the content is."""
    claimed = SUFFIX_KINDS.get(suffix)
    lies = (
        suffix in UNREADABLE_SUFFIXES
        if claimed is None
        else claimed != kind and not {claimed, kind} <= _TEXT_KINDS
    )
    return (
        f"The name ends in {suffix}, but the content is {kind}; it was read as that."
        if lies
        else None
    )


def _is_pdf(data: bytes, suffix: str) -> bool:
    where = data[:PDF_HEADER_BYTES].find(b"%PDF-")
    # Text that only mentions the header is not a PDF; a file called .pdf gets the doubt.
    return where == 0 or (where > 0 and SUFFIX_KINDS.get(suffix) not in _TEXT_KINDS)


def _text_kind(data: bytes, suffix: str) -> DocumentKind:
    claimed = SUFFIX_KINDS.get(suffix)
    if claimed in _TEXT_KINDS:
        return claimed
    is_html = _HTML_START.match(data[:HTML_HEAD_BYTES]) is not None
    return DocumentKind.HTML if is_html else DocumentKind.TEXT


def _ole_words(data: bytes) -> str:
    """The stream names stand in the container's directory as UTF-16."""
    lowered = data.lower()
    if "encryptedpackage".encode("utf-16-le") in lowered:
        return LOCKED_OFFICE
    for stream, words in _OLE_STREAMS:
        if f"{stream}\0".encode("utf-16-le") in lowered:
            return words
    return "an old Office document"


def _zip_kind(data: bytes, suffix: str) -> Sniffed:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = set(package.namelist())
            mime = _mime(package) if "mimetype" in names else b""
    except Exception:  # whatever is wrong in the directory, the package cannot be opened
        # Let the reader of the claimed kind say that it is damaged.
        is_word = SUFFIX_KINDS.get(suffix) is DocumentKind.WORD
        return Sniffed(DocumentKind.WORD) if is_word else Sniffed(None, "a damaged packed file")
    if (words := _OPEN_DOCUMENT.get(mime)) is not None:
        return Sniffed(None, words)
    if any(name.startswith("xl/") for name in names):
        return Sniffed(None, "an Excel workbook")
    if any(name.startswith("ppt/") for name in names):
        return Sniffed(None, "a PowerPoint presentation")
    is_office = "[Content_Types].xml" in names
    if "word/document.xml" in names or (
        is_office and SUFFIX_KINDS.get(suffix) is DocumentKind.WORD
    ):
        return Sniffed(DocumentKind.WORD)
    return Sniffed(None, "a packed archive")


def _mime(package: zipfile.ZipFile) -> bytes:
    with package.open("mimetype") as member:
        return member.read(100).strip()
