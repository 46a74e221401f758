"""Tells an event stream from an answer that is one document. Pure."""

from __future__ import annotations

from enum import Enum

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class AnswerForm(Enum):
    UNKNOWN = "unknown"
    STREAM = "stream"
    JSON = "json"


def form_of(document: bytearray) -> AnswerForm:
    """Judged by the first byte: no line of an event stream begins with these."""
    first = bytes(document).removeprefix(_BYTE_ORDER_MARK).lstrip()[:1]
    if not first or _BYTE_ORDER_MARK.startswith(bytes(document)):
        return AnswerForm.UNKNOWN
    return AnswerForm.JSON if first in b"{[<" else AnswerForm.STREAM
