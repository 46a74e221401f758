"""The written form of an attachment inside a user message, and the way back.

    [attachment "agreement.pdf" · PDF · 12 pages]
    Note: The last page has no text.
    ~~~~
    ...text...
    ~~~~

The name is a JSON string, so it may hold quotes and line breaks. The fence is a run of
tildes that is longer than every run inside the text, so no text can end its own block.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ankita.messages import DocumentText

MIN_FENCE_LENGTH = 4

_SEPARATOR = " · "
_HEADER_START = '[attachment "'
_NOTE_START = "Note: "
_HEADER = re.compile(r'\[attachment ("(?:[^"\\\n]|\\[^\n])*")((?: · [^\n]*)?)\]')
_FENCE = re.compile(r"~{4,}")


@dataclass(frozen=True, slots=True)
class AttachmentBlock:
    """One attachment as it stands in a message.

    `details` are the words after the name ("PDF", "12 pages"), `notes` what was cut
    or left out, `body` the text exactly as the reader gave it.
    """

    name: str
    details: tuple[str, ...]
    notes: tuple[str, ...]
    body: str


def format_attachment(document: DocumentText) -> str:
    """The block for one document, without a line break at its end."""
    details = [_one_line(document.kind).replace(_SEPARATOR, " ")]
    if document.pages is not None:
        details.append(f"{document.pages} page" + ("" if document.pages == 1 else "s"))
    name = json.dumps(document.name, ensure_ascii=False)
    fence = "~" * max(MIN_FENCE_LENGTH, _longest_run(document.text) + 1)
    header = _SEPARATOR.join([f"[attachment {name}", *details]) + "]"
    notes = [_NOTE_START + _one_line(note) for note in document.notes]
    return "\n".join([header, *notes, fence, document.text, fence])


def compose_message(text: str, documents: Sequence[DocumentText]) -> str:
    """A user message with its attachments.

    The attachments come first: a block that the user pasted into the text can then
    never swallow the fence of a real one and let a document pass for the user's words.
    """
    parts = [format_attachment(document) for document in documents]
    return "\n\n".join([*parts, text] if text else parts)


def attachment_blocks(text: str) -> tuple[str, list[AttachmentBlock]]:
    """The user's own words, and the attachments in order. Never raises.

    Something that looks like a block but is not closed stays part of the words.
    """
    lines = text.split("\n")
    closing = _fence_positions(lines)
    plain: list[str] = []
    blocks: list[AttachmentBlock] = []
    index = 0
    while index < len(lines):
        found = _block_at(lines, index, closing)
        if found is None:
            plain.append(lines[index])
            index += 1
            continue
        block, index = found
        blocks.append(block)
        # The empty line that `compose_message` puts after a block belongs to no one.
        if index < len(lines) and lines[index] == "":
            index += 1
    return "\n".join(plain), blocks


def split_attachments(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The user's own words, and (name, text) of each attachment."""
    plain, blocks = attachment_blocks(text)
    return plain, [(block.name, block.body) for block in blocks]


def _block_at(
    lines: list[str], start: int, closing: dict[str, list[int]]
) -> tuple[AttachmentBlock, int] | None:
    """The block whose header is line `start`, and the line after its end."""
    if not lines[start].startswith(_HEADER_START):
        return None
    header = _HEADER.fullmatch(lines[start])
    name = _decoded(header.group(1)) if header else None
    if header is None or name is None:
        return None
    opening = start + 1
    while opening < len(lines) and lines[opening].startswith(_NOTE_START):
        opening += 1
    if opening >= len(lines) or not _FENCE.fullmatch(lines[opening]):
        return None
    ends = closing[lines[opening]]
    after = bisect_right(ends, opening)
    if after == len(ends):
        return None
    end = ends[after]
    details = tuple(part for part in header.group(2).split(_SEPARATOR) if part)
    notes = tuple(line[len(_NOTE_START) :] for line in lines[start + 1 : opening])
    return AttachmentBlock(name, details, notes, "\n".join(lines[opening + 1 : end])), end + 1


def _fence_positions(lines: list[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if _FENCE.fullmatch(line):
            positions.setdefault(line, []).append(index)
    return positions


def _decoded(literal: str) -> str | None:
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"~+", text)), default=0)


def _one_line(text: str) -> str:
    return " ".join(text.split())
