"""Takes the XML parts out of a packed document, counting the bytes that really come out.

Nothing is written to disk and no name in the package is used as a path, so entries
such as `..\\x` are names like any other.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ankita.integrations.documents.limits import DocumentLimits

CHUNK_BYTES: Final = 64 * 1024
_ENCRYPTED_FLAG: Final = 0x1
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What the Office formats allow. The others would inflate without a bound for each chunk."""

_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
)


class PackageDamagedError(ValueError):
    """Not a package, or its directory is broken."""


class PackageLockedError(ValueError):
    """An entry is encrypted."""


class PackageTooLargeError(ValueError):
    """More entries or more unpacked bytes than allowed."""


@dataclass(frozen=True, slots=True)
class XmlParts:
    """`parts` by name; `damaged` names the entries that could not be unpacked."""

    parts: Mapping[str, bytes]
    damaged: tuple[str, ...]


def read_xml_parts(data: bytes, limits: DocumentLimits) -> XmlParts:
    """Unpack the `.xml` and `.rels` entries; pictures and the like are not touched."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return _unpack(package, limits)
    except _DAMAGE as error:
        if isinstance(error, PackageLockedError | PackageTooLargeError):
            raise
        raise PackageDamagedError(str(error)) from error


def pack(parts: Mapping[str, bytes]) -> io.BytesIO:
    """A clean package of exactly these parts, uncompressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content)
    packed.seek(0)
    return packed


def _unpack(package: zipfile.ZipFile, limits: DocumentLimits) -> XmlParts:
    entries = package.infolist()
    if len(entries) > limits.archive_entries:
        raise PackageTooLargeError(f"{len(entries):,} entries")
    parts: dict[str, bytes] = {}
    damaged: list[str] = []
    left = limits.unpacked_bytes
    for entry in entries:
        if not entry.filename.lower().endswith((".xml", ".rels")):
            continue
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise PackageLockedError(entry.filename)
        try:
            content = _inflate(package, entry, left)
        except _DAMAGE as error:
            if isinstance(error, PackageTooLargeError):
                raise
            damaged.append(entry.filename)
            continue
        left -= len(content)
        parts[entry.filename] = content
    return XmlParts(parts, tuple(damaged))


def _inflate(package: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """The size in the header may lie, so only what comes out counts."""
    if entry.compress_type not in _METHODS:
        raise NotImplementedError(f"compression method {entry.compress_type}")
    content = bytearray()
    with package.open(entry) as member:
        while chunk := member.read(CHUNK_BYTES):
            content += chunk
            if len(content) > left:
                raise PackageTooLargeError(f"more than {left:,} bytes")
    return bytes(content)
