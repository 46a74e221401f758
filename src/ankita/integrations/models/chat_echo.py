"""What a chat server wants to see again beside its tool calls, and only that server. Pure.

Gemini signs each call in `extra_content`; OpenRouter gives `reasoning_details` for the
whole message. Both must come back unchanged with the calls, and another server would
refuse them. Thinking that comes in any other field is never kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ankita.messages import Json, JsonObject, ToolCall

EXTRA_CONTENT = "extra_content"
REASONING_DETAILS = "reasoning_details"

MAX_ECHO_BYTES = 1024 * 1024
"""A larger echo is not kept; the longest thinking known is well below."""

_FORMAT = "chat"
_STREAMED_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Who sent an echo: the server as the user sees it, and the model that was asked."""

    server: str
    model: str


class ReasoningDetails:
    """Puts the streamed pieces of a message's `reasoning_details` together, in order.

    Once they are more than an echo may hold, none of them are kept.
    """

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []
        self._texts: list[list[str]] = []
        """The text of each detail, in pieces."""
        self._characters = 0

    def take(self, pieces: Json) -> None:
        """The field of one delta; anything that is not a list of objects is ignored."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, Mapping):
                self._take(piece)

    def whole(self) -> list[dict[str, Any]]:
        """The details as they were before the server cut them into pieces."""
        together = zip(self._details, self._texts, strict=True)
        return [_with_text(detail, texts) for detail, texts in together]

    def _take(self, piece: Mapping[str, Any]) -> None:
        if self._characters > MAX_ECHO_BYTES:
            return
        last = self._details[-1] if self._details else {}
        name = _text_name(piece)
        if _continues(piece, last):
            text = _text(piece, name)
            told = {field: value for field, value in piece.items() if value is not None}
            self._details[-1] = {**last, **told}
            self._texts[-1].append(text)
            self._characters += len(text)
        else:
            self._details.append(dict(piece))
            self._texts.append([_text(piece, name)] if name else [])
            self._characters += sum(len(each) for each in piece.values() if isinstance(each, str))
        if self._characters > MAX_ECHO_BYTES:
            self._details, self._texts = [], []


def with_echoes(
    calls: Sequence[ToolCall], details: Sequence[JsonObject], origin: Origin
) -> list[ToolCall]:
    """The calls, whose `echo` is the bare `extra_content` so far, with echoes to be stored.

    The details of the message go with its first call.
    """
    marked = []
    for number, call in enumerate(calls):
        parts: dict[str, Any] = {EXTRA_CONTENT: dict(call.echo)} if call.echo else {}
        if number == 0 and details:
            parts[REASONING_DETAILS] = list(details)
        marked.append(replace(call, echo=_echo(parts, origin)))
    return marked


def echoed_call(call: ToolCall, origin: Origin) -> dict[str, Any]:
    """What stands beside the call when it is sent back to `origin`."""
    return _echoed(call, EXTRA_CONTENT, dict, origin)


def echoed_message(calls: Sequence[ToolCall], origin: Origin) -> dict[str, Any]:
    """What stands in the message of these calls when it is sent back to `origin`."""
    found = (_echoed(call, REASONING_DETAILS, list, origin) for call in calls)
    return next((fields for fields in found if fields), {})


def _echo(parts: Mapping[str, Any], origin: Origin) -> JsonObject:
    if not parts or not can_be_stored(parts):
        return {}
    return {_FORMAT: {"server": origin.server, "model": origin.model, **parts}}


def _echoed(call: ToolCall, name: str, kind: type, origin: Origin) -> dict[str, Any]:
    echo = call.echo.get(_FORMAT)
    if not isinstance(echo, Mapping):
        return {}
    if (echo.get("server"), echo.get("model")) != (origin.server, origin.model):
        return {}
    value = echo.get(name)
    return {name: value} if value and isinstance(value, kind) else {}


def _continues(piece: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    """The next piece of the same text, which a signature ends."""
    name = _text_name(piece)
    if not name or piece.get("type") != last.get("type"):
        return False
    ids = {each.get("id") for each in (piece, last)} - {None}
    is_signed = bool(last.get("signature")) and bool(_text(piece, name))
    return piece.get("index") == last.get("index") and len(ids) < 2 and not is_signed


def _text_name(detail: Mapping[str, Any]) -> str:
    """The field that holds the text of a detail that comes in pieces, else ""."""
    kind = detail.get("type")
    return _STREAMED_TEXTS.get(kind, "") if isinstance(kind, str) else ""


def _with_text(detail: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """A detail that came in one piece is left as it came."""
    return {**detail, _text_name(detail): "".join(texts)} if len(texts) > 1 else detail


def _text(detail: Mapping[str, Any], name: str) -> str:
    text = detail.get(name)
    return text if isinstance(text, str) else ""


def can_be_stored(value: Json) -> bool:
    """Whether an echo is JSON of a size that may be kept."""
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        return False
    return size <= MAX_ECHO_BYTES
