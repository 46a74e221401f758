"""Reads one file in this process: checks, decides the kind, runs its reader, applies the limits."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ankita.errors import UnreadableDocumentError
from ankita.integrations.documents import intake, sniff
from ankita.integrations.documents.encodings import NotTextError
from ankita.integrations.documents.extracted import Extracted, Progress
from ankita.integrations.documents.kinds import DocumentKind
from ankita.integrations.documents.limits import DocumentLimits
from ankita.messages import DocumentText


def read_document(path: Path, limits: DocumentLimits, progress: Progress) -> DocumentText:
    """Raises DocumentError, MemoryError. Has no time limit of its own: run it in the child."""
    name = intake.display_name(path)
    data = _load(path, limits)
    suffix = path.suffix.lower()
    sniffed = sniff.sniff(data, suffix)
    if sniffed.kind is None:
        if sniffed.words == sniff.LOCKED_OFFICE:
            raise UnreadableDocumentError(
                f"{name} is locked with a password.",
                advice="Save a copy without the password and attach that.",
            )
        raise intake.unsupported(path, sniffed.words)
    extracted = _extract(sniffed.kind, data, path, limits, progress)
    notes = list(extracted.notes)
    if (note := sniff.name_note(sniffed.kind, suffix)) is not None:
        notes.insert(0, note)
    text, cut = _fit(extracted.text, limits)
    return DocumentText(
        name=name,
        kind=str(sniffed.kind),
        text=text,
        pages=extracted.pages,
        encoding=extracted.encoding,
        notes=(*notes, *cut),
    )


def _load(path: Path, limits: DocumentLimits) -> bytes:
    if (problem := intake.file_problem(path, limits)) is not None:
        raise problem
    try:
        with path.open("rb") as file:
            # The file may have been replaced since it was looked at.
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableDocumentError(f"{intake.display_name(path)} is not a file.")
            data = file.read(limits.file_bytes + 1)
    except PermissionError:
        raise intake.not_permitted(path) from None
    except OSError:
        raise UnreadableDocumentError(f"{intake.display_name(path)} cannot be read.") from None
    if len(data) > limits.file_bytes:
        raise intake.too_large(path, len(data), limits)
    return data


def _extract(
    kind: DocumentKind, data: bytes, path: Path, limits: DocumentLimits, progress: Progress
) -> Extracted:
    # Each reader is imported only when a file needs it: the child starts anew each time.
    name = intake.display_name(path)
    match kind:
        case DocumentKind.PDF:
            from ankita.integrations.documents import pdf_text

            return pdf_text.read(data, name, limits, progress)
        case DocumentKind.WORD:
            from ankita.integrations.documents import word_text

            return word_text.read(data, name, limits, progress)
    try:
        if kind is DocumentKind.HTML:
            from ankita.integrations.documents import html_text

            return html_text.read(data, limits, progress)
        from ankita.integrations.documents import plain_text

        return plain_text.read(data, progress)
    except NotTextError:
        raise intake.unsupported(path, "not text but data for a program") from None


def _fit(text: str, limits: DocumentLimits) -> tuple[str, tuple[str, ...]]:
    """Lines end in `\\n`, nothing is unpaired, and no more characters than allowed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
    if len(text) <= limits.characters:
        return text, ()
    note = f"Only the first {limits.characters:,} of {len(text):,} characters were kept."
    return text[: limits.characters], (note,)
