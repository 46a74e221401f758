"""Reads Word documents (.docx) as Markdown and says what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from ankita.errors import DocumentError, DocumentTooLargeError, UnreadableDocumentError
from ankita.integrations.documents.extracted import Extracted, Progress
from ankita.integrations.documents.limits import DocumentLimits, size_in_words
from ankita.integrations.documents.word_survey import (
    HostileXmlError,
    MalformedXmlError,
    Survey,
    survey,
)
from ankita.integrations.documents.zip_parts import (
    PackageDamagedError,
    PackageLockedError,
    PackageTooLargeError,
    XmlParts,
    pack,
    read_xml_parts,
)

STEPS: Final = 3
_OFFICE_DOCUMENT: Final = re.compile(
    rb"<[^>]*Type\s*=\s*[\"'][^\"']*/relationships/officeDocument[\"'][^>]*>"
)
_TARGET: Final = re.compile(rb"\bTarget\s*=\s*[\"']/?([^\"']+)[\"']")
_WRAPPERS: Final = re.compile(rb"<(/?)w:(?:fldSimple|dir|bdo)\b[^>]*?(/?)>")
"""Elements that the library skips together with the text in them; smart tags it reads."""

_BACK_ARROW: Final = re.compile(r"\s*<a href=\"#[^\"]*\">↑</a>")


def read(data: bytes, name: str, limits: DocumentLimits, progress: Progress) -> Extracted:
    """Raises DocumentError; `name` is the one shown to the user."""
    parts = _unpack(data, name, limits)
    main = _main_part(parts.parts)
    if main is None:
        raise damaged(name)
    progress(1, STEPS)
    surveys, broken = _survey_all(parts.parts, name, limits)
    if main in broken:
        raise damaged(name)
    progress(2, STEPS)
    sound = {part: content for part, content in parts.parts.items() if part not in broken}
    text, notes = _convert(sound, main, name, limits)
    progress(STEPS, STEPS)
    notes = (*notes, *_losses(surveys, main), *_broken_note([*broken, *parts.damaged]))
    if not text.strip():
        notes = ("There is no text in this document.", *notes)
    return Extracted(text, notes=notes)


def damaged(name: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"{name} is damaged or not really a Word document.",
        advice="Open it in its own program and save it again.",
    )


def _unpack(data: bytes, name: str, limits: DocumentLimits) -> XmlParts:
    try:
        return read_xml_parts(data, limits)
    except PackageDamagedError:
        raise damaged(name) from None
    except PackageLockedError:
        raise locked(name) from None
    except PackageTooLargeError:
        raise DocumentTooLargeError(
            f"{name} unpacks to more than {size_in_words(limits.unpacked_bytes)} "
            f"or {limits.archive_entries:,} parts; reading was stopped."
        ) from None


def locked(name: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"{name} is locked with a password.",
        advice="Save a copy without the password and attach that.",
    )


def _main_part(parts: Mapping[str, bytes]) -> str | None:
    relation = _OFFICE_DOCUMENT.search(parts.get("_rels/.rels", b""))
    target = _TARGET.search(relation[0]) if relation else None
    named = target[1].decode("utf-8", "replace") if target else ""
    return next((part for part in (named, "word/document.xml") if part in parts), None)


def _survey_all(
    parts: Mapping[str, bytes], name: str, limits: DocumentLimits
) -> tuple[dict[str, Survey], list[str]]:
    surveys: dict[str, Survey] = {}
    broken: list[str] = []
    for part, content in parts.items():
        try:
            surveys[part] = survey(content, limits.xml_depth)
        except HostileXmlError as error:
            raise UnreadableDocumentError(
                f"{name} was not read: it contains {error}, which no Word document needs."
            ) from None
        except MalformedXmlError:
            broken.append(part)
    return surveys, broken


def _convert(
    parts: Mapping[str, bytes], main: str, name: str, limits: DocumentLimits
) -> tuple[str, tuple[str, ...]]:
    if len(parts[main]) > limits.rich_word_bytes:
        from ankita.integrations.documents.word_plain import plain_word_text

        note = "This document is very long, so its layout and its notes were left out."
        return plain_word_text(parts[main]), (note,)
    from ankita.integrations.documents.markup import to_markdown

    try:
        return to_markdown(_to_html(parts), limits)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # the library raises whatever broken input leads it to
        raise damaged(name) from error


def _to_html(parts: Mapping[str, bytes]) -> str:
    import mammoth  # type: ignore[import-untyped]
    from mammoth import html

    def picture(image: Any) -> list[Any]:
        return [html.text(f"[picture: {image.alt_text}]" if image.alt_text else "[picture]")]

    converted = mammoth.convert_to_html(
        pack({part: _unwrap(content) for part, content in parts.items()}),
        convert_image=picture,
        style_map="comment-reference => sup",
        include_embedded_style_map=False,
        external_file_access=False,
    )
    return _BACK_ARROW.sub("", str(converted.value))


def _unwrap(content: bytes) -> bytes:
    return _WRAPPERS.sub(rb"<\1w:smartTag\2>", content)


def _losses(surveys: Mapping[str, Survey], main: str) -> Iterable[str]:
    body = surveys[main]
    if body.counts["del"] or body.counts["moveFrom"]:
        yield "There are tracked changes: insertions are in the text, deletions were left out."
    if body.counts["oMath"]:
        yield f"Formulas were left out ({body.counts['oMath']})."
    if body.boxes_lost:
        yield f"Text boxes were left out ({body.boxes_lost})."
    if any(
        found.counts["t"]
        for part, found in surveys.items()
        if PurePosixPath(part).name.startswith(("header", "footer"))
    ):
        yield "Page headers and footers were left out."
    written = sum(found.counts["comment"] for found in surveys.values())
    if written > body.counts["commentReference"]:
        yield f"Comments without a place in the text were left out ({written})."
    if body.counts["altChunk"]:
        yield f"Documents inserted into this one were left out ({body.counts['altChunk']})."
    if body.counts["object"]:
        yield f"Embedded objects were left out ({body.counts['object']})."


def _broken_note(parts: list[str]) -> Iterable[str]:
    if parts:
        yield f"Damaged parts of the file were left out: {', '.join(sorted(parts)[:5])}."
