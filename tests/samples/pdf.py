"""Writes small PDFs, sound and hostile, byte by byte."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PICTURE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
    b"/BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"
)
_UNKNOWN_KEY = b"<" + b"41" * 32 + b">"


def assemble(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF whose objects are numbered from 1; object 1 is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def packed_stream(content: bytes, entries: bytes = b"") -> bytes:
    return stream(zlib.compress(content, 9), b"/Filter /FlateDecode " + entries)


def shown(text: str) -> bytes:
    """A content stream that writes the lines of the text; Latin letters only."""
    lines = re.sub(rb"([\\()])", rb"\\\1", text.encode("latin-1"))
    moves = b" T* ".join(b"(%s) Tj" % line for line in lines.split(b"\n"))
    return b"BT /F1 12 Tf 14 TL 40 780 Td %s ET" % moves


def pdf_of(
    contents: Sequence[bytes],
    *,
    annotations: Sequence[bytes] = (),
    claimed_pages: int | None = None,
    trailer: bytes = b"",
    more: Sequence[bytes] = (),
) -> bytes:
    """One page for each content stream. `more` are objects from number 5 on."""
    first_page = 5 + len(more)
    count = len(contents) if claimed_pages is None else claimed_pages
    kids = b" ".join(b"%d 0 R" % (first_page + 2 * index) for index in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        _FONT,
        _PICTURE,
        *more,
    ]
    boxes = b" ".join(annotations)
    resources = b"/Font << /F1 3 0 R >> /XObject << /Im 4 0 R /X0 5 0 R >>"
    for index, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << %s >> "
            b"/Contents %d 0 R /Annots [%s] >>" % (resources, first_page + 2 * index + 1, boxes)
        )
        objects.append(stream(content))
    return assemble(objects, trailer)


def text_pdf(*pages: str) -> bytes:
    return pdf_of([shown(page) for page in pages])


def scanned_pdf(pages: int = 2) -> bytes:
    return pdf_of([b"q 500 0 0 700 40 40 cm /Im Do Q"] * pages)


def locked_pdf() -> bytes:
    """Encrypted with a password that nobody knows."""
    guard = b"/Filter /Standard /V 1 /R 2 /P -4 /O %s /U %s" % (_UNKNOWN_KEY, _UNKNOWN_KEY)
    return pdf_of([shown("secret")], trailer=b"/Encrypt << %s >> /ID [<00><00>]" % guard)


def endless_pdf(width: int = 60, depth: int = 12) -> bytes:
    """A page that draws a form which draws the next one many times over, and so on."""
    forms = []
    for level in range(depth):
        resources = b"<< /XObject << /X0 %d 0 R >> /Font << /F1 3 0 R >> >>" % (6 + level)
        drawn = b"/X0 Do " * width if level < depth - 1 else shown("x")
        entries = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources " + resources
        forms.append(stream(drawn, entries))
    return pdf_of([b"/X0 Do"], more=forms)
