"""Reads the text layer of PDFs, page by page."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from ankita.errors import UnreadableDocumentError
from ankita.integrations.documents.encodings import odd_share
from ankita.integrations.documents.extracted import Extracted, Progress
from ankita.integrations.documents.limits import DocumentLimits
from ankita.integrations.documents.pdf_annotations import read_overlay

SOFT_SHARE: Final = 0.8
"""Share of the time limit after which no new page is begun, so that what was read is kept."""

PICTURE_SEARCH: Final = 50
"""Objects of a page without text that are looked at for a picture."""

GARBLED_SHARE: Final = 0.1
LISTED_PAGES: Final = 12

_BROKEN_WORD: Final = re.compile("[\x02\ufffe]\r?\n?")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


@dataclass
class _Findings:
    """Page numbers, from 1."""

    pictures: list[int] = field(default_factory=list)
    bare: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    stamped: list[int] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)


def read(data: bytes, name: str, limits: DocumentLimits, progress: Progress) -> Extracted:
    """The text with a `[page n]` line before each page. Raises UnreadableDocumentError."""
    started = time.monotonic()
    document = _open(data, name)
    total = len(document)
    if total <= 0:
        raise _damaged(name)
    found = _Findings()
    pages: list[str] = []
    characters = 0
    wanted = min(total, limits.pages)
    for number in range(1, wanted + 1):
        text = _page_text(document, number, found)
        if text.strip():
            pages.append(f"[page {number}]\n{text.strip()}")
            characters += len(text)
        progress(number, wanted)
        if number < wanted and characters > limits.characters:
            found.stopped.append(f"The text is long, so only pages 1 to {number} were read.")
            break
        if number < wanted and time.monotonic() - started > SOFT_SHARE * limits.seconds:
            found.stopped.append(
                f"Reading took too long and stopped after page {number} of {total}."
            )
            break
    if len(found.broken) == number:
        raise _damaged(name)
    if not found.stopped and total > wanted:
        found.stopped.append(f"Only the first {wanted} of {total} pages were read.")
    return Extracted("\n\n".join(pages), pages=total, notes=_notes(found, bool(pages)))


def _open(data: bytes, name: str) -> Any:
    import pypdfium2  # type: ignore[import-untyped]
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}:
            raise UnreadableDocumentError(
                f"{name} is locked with a password.",
                advice="Save a copy without the password and attach that.",
            ) from None
        raise _damaged(name) from None


def _damaged(name: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"{name} is damaged or not really a PDF.",
        advice="Open it in its own program and save it again.",
    )


def _page_text(document: Any, number: int, found: _Findings) -> str:
    import pypdfium2

    try:
        page = document[number - 1]
        layer = page.get_textpage()
        text = tidy(layer.get_text_bounded())
        overlay = read_overlay(page)
        if overlay.unread:
            found.stamped.append(number)
        if not text.strip():
            (found.pictures if _has_picture(page) else found.bare).append(number)
        elif odd_share(text) > GARBLED_SHARE:
            found.garbled.append(number)
        layer.close()
        page.close()
    except pypdfium2.PdfiumError:
        found.broken.append(number)
        return ""
    return "\n".join([text.strip(), *overlay.lines])


def _has_picture(page: Any) -> bool:
    import pypdfium2.raw as pdfium

    objects = islice(page.get_objects(max_depth=3), PICTURE_SEARCH)
    return any(item.type == pdfium.FPDF_PAGEOBJ_IMAGE for item in objects)


def tidy(text: str) -> str:
    """Join words broken at a line's end and drop control characters. Pure."""
    return _CONTROLS.sub("", _BROKEN_WORD.sub("", text).replace("\r\n", "\n"))


def _notes(found: _Findings, has_text: bool) -> tuple[str, ...]:
    notes = list(found.stopped)
    if found.pictures and not has_text:
        notes.insert(0, "There is no text in this PDF: its pages are pictures, as from a scanner.")
    elif not has_text:
        notes.insert(0, "There is no text in this PDF, only drawings or empty pages.")
    elif found.pictures:
        notes.append(f"{_pages(found.pictures)}: only pictures, as from a scanner, without text.")
    if found.garbled:
        notes.append(
            f"{_pages(found.garbled)}: the fonts do not say which letters they draw, "
            "so much of the text is wrong."
        )
    if found.broken:
        notes.append(f"{_pages(found.broken)}: damaged and left out.")
    if found.stamped:
        notes.append(f"{_pages(found.stamped)}: stamps or notes without text were left out.")
    return tuple(notes)


def _pages(numbers: list[int]) -> str:
    """`[3]` -> "Page 3"; `[1, 2]` -> "Pages 1, 2"."""
    listed = ", ".join(str(number) for number in numbers[:LISTED_PAGES])
    more = " and more" if len(numbers) > LISTED_PAGES else ""
    return f"Page{'s' if len(numbers) > 1 else ''} {listed}{more}"
