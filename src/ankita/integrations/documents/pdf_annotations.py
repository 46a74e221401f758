"""Reads what people put on top of PDF pages: form fields that are filled in, and notes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Final

MAX_ANNOTATIONS: Final = 500
"""For each page."""

MAX_VALUE_BYTES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Overlay:
    """`lines` to put under the page's text; `unread` is true when something had no text."""

    lines: tuple[str, ...]
    unread: bool


def read_overlay(page: Any) -> Overlay:
    """Fields without a value are empty boxes and are not mentioned."""
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    lines: list[str] = []
    count = pdfium.FPDFPage_GetAnnotCount(page)
    unread = count > MAX_ANNOTATIONS
    for index in range(min(count, MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            value = _string(annotation, b"V")
            if value and value != "Off":
                lines.append(f"[field {_string(annotation, b'T')}: {value}]".replace(" :", ":"))
        elif kind not in {pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP}:
            contents = _string(annotation, b"Contents")
            if contents:
                lines.append(f"[note: {contents}]")
            unread = unread or (kind == pdfium.FPDF_ANNOT_STAMP and not contents)
        pdfium.FPDFPage_CloseAnnot(annotation)
    return Overlay(tuple(lines), unread)


def _string(annotation: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if not 2 < size <= MAX_VALUE_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    target = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
    pdfium.FPDFAnnot_GetStringValue(annotation, key, target, size)
    return " ".join(buffer.raw[: size - 2].decode("utf-16-le", errors="replace").split())
