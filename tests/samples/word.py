"""Writes small Word files, sound and hostile, part by part."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def document_xml(body: str, prologue: str = "") -> str:
    return f"{prologue}<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>"


def part_xml(root: str, content: str) -> str:
    return f"<w:{root} {NAMESPACES}>{content}</w:{root}>"


def zip_of(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return packed.getvalue()


def docx(body: str, more: Mapping[str, str | bytes] | None = None, prologue: str = "") -> bytes:
    """A Word file with this body; `more` adds or replaces parts."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": RELATIONS,
        "word/document.xml": document_xml(body, prologue),
    }
    return zip_of({**parts, **(more or {})})


def bomb_docx(unpacked_bytes: int) -> bytes:
    """A small file with one part that unpacks to this size."""
    filler = document_xml(paragraph("x" * unpacked_bytes))
    return docx("", {"word/document.xml": filler})


def with_lying_size(package: bytes, name: str, claimed: int) -> bytes:
    """The same package, whose headers claim another unpacked size for one entry."""
    changed = bytearray(package)
    encoded = name.encode()
    for signature, size_at, name_at in ((b"PK\3\4", 22, 30), (b"PK\1\2", 24, 46)):
        at = changed.find(signature)
        while at >= 0:
            if changed[at + name_at : at + name_at + len(encoded)] == encoded:
                changed[at + size_at : at + size_at + 4] = struct.pack("<I", claimed)
            at = changed.find(signature, at + 4)
    return bytes(changed)
