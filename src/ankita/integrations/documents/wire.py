"""What passes between the reader and its child: one JSON request, JSON lines back.

The child handles hostile files and may be taken over by one, so its lines are
checked like any foreign input.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ankita.errors import (
    DocumentError,
    DocumentTooLargeError,
    UnreadableDocumentError,
    UnsupportedDocumentError,
)
from ankita.integrations.documents.limits import DocumentLimits
from ankita.messages import DocumentText

_ERRORS: Final[dict[str, type[DocumentError]]] = {
    kind.__name__: kind
    for kind in (UnsupportedDocumentError, DocumentTooLargeError, UnreadableDocumentError)
}

Reply = tuple[int, int] | DocumentText | DocumentError
"""Progress (done, total), or one of the two ends."""


class MalformedReplyError(ValueError):
    """A line that no sound child writes."""


def encode_request(path: Path, limits: DocumentLimits) -> bytes:
    # ASCII, so that names which are not valid Unicode survive as escapes.
    return json.dumps({"path": str(path), "limits": asdict(limits)}).encode("ascii")


def decode_request(data: bytes) -> tuple[Path, DocumentLimits]:
    request = json.loads(data)
    return Path(request["path"]), DocumentLimits(**request["limits"])


def encode_reply(reply: Reply) -> bytes:
    message: dict[str, Any]
    match reply:
        case (done, total):
            message = {"progress": [done, total]}
        case DocumentText():
            message = {"result": asdict(reply)}
        case DocumentError():
            message = {
                "error": type(reply).__name__,
                "message": reply.message,
                "advice": reply.advice,
            }
    return json.dumps(message).encode("ascii") + b"\n"


def decode_reply(line: bytes) -> Reply:
    """Raises MalformedReplyError."""
    try:
        message = json.loads(line)
        if "progress" in message:
            done, total = message["progress"]
            return _natural(done), _natural(total)
        if "error" in message:
            kind = _ERRORS[message["error"]]
            return kind(_text(message["message"]), advice=_text(message["advice"]))
        return _document(message["result"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise MalformedReplyError(str(error)) from error


def _document(value: Any) -> DocumentText:
    pages, encoding = value["pages"], value["encoding"]
    return DocumentText(
        name=_text(value["name"]),
        kind=_text(value["kind"]),
        text=_text(value["text"]),
        pages=None if pages is None else _natural(pages),
        encoding=None if encoding is None else _text(encoding),
        notes=tuple(_text(note) for note in value["notes"]),
    )


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise MalformedReplyError("not a count")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise MalformedReplyError("not text")
    return value
