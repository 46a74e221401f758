"""What goes back to the server with a tool call: the model's signed thinking before it. Pure.

The server checks that thinking comes back unchanged and at its place. `ToolCall.echo`
therefore keeps what stood before the call: thinking as it came, and for text only how
many characters, since the text itself is part of the thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ankita.integrations.models.chat_echo import Origin, can_be_stored
from ankita.messages import Json, JsonObject, Message, ToolCall

MAX_NAME = 128
"""The longest name that the format takes."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_NAMELESS = "unnamed"
_FORMAT = "anthropic"
_CHARACTERS = "characters"

Block = dict[str, Any]


def echo_of(origin: Origin, before: Sequence[Block]) -> JsonObject:
    """The echo of a call. `before` stands between it and the call before, in order.

    Empty when none of it is thinking, and when there is more of it than may be kept.
    """
    if all(block["type"] == "text" for block in before) or not can_be_stored(list(before)):
        return {}
    return {_FORMAT: {"server": origin.server, "model": origin.model, "before": list(before)}}


def text_mark(characters: int) -> Block:
    """Stands for so many characters of the message's text."""
    return {"type": "text", _CHARACTERS: characters}


def reply_blocks(message: Message, origin: Origin, wire_id: Callable[[str], str]) -> list[Block]:
    """The blocks of an assistant message for `origin`; none when it says nothing.

    Thinking of another server or model is left out: it would be refused there.
    """
    echoes = [_before(call, origin) for call in message.tool_calls]
    marked = sum(_characters(block) for before in echoes for block in before)
    is_placed = marked <= len(message.text)
    rest = message.text[marked:] if is_placed else message.text
    at = 0
    blocks: list[Block] = []
    for number, (call, before) in enumerate(zip(message.tool_calls, echoes, strict=True)):
        for block in before:
            if block.get("type") != "text":
                blocks.append(block)
            elif is_placed:
                at, start = at + _characters(block), at
                blocks += _text_block(message.text[start:at])
        if number == 0:
            # Text that nothing places stood before the calls, as it nearly always does.
            blocks += _text_block(rest)
        blocks.append(_call(call, wire_id))
    return blocks or _text_block(rest)


def _before(call: ToolCall, origin: Origin) -> list[Block]:
    """What the echo of this format holds, or nothing when it is not of this origin."""
    echo = call.echo.get(_FORMAT)
    if not isinstance(echo, Mapping):
        return []
    # The first echoes that were stored did not name their server.
    if (echo.get("server", origin.server), echo.get("model")) != (origin.server, origin.model):
        return []
    return list(_usable(echo.get("before")))


def _usable(before: Json) -> Iterator[Block]:
    for block in before if isinstance(before, list) else ():
        if isinstance(block, Mapping):
            yield dict(block)


def _characters(block: Block) -> int:
    count = block.get(_CHARACTERS, 0) if block.get("type") == "text" else 0
    return count if isinstance(count, int) and count > 0 else 0


def _text_block(text: str) -> list[Block]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _call(call: ToolCall, wire_id: Callable[[str], str]) -> Block:
    return {
        "type": "tool_use",
        "id": wire_id(call.id),
        "name": _NOT_IN_NAMES.sub("_", call.name)[:MAX_NAME] or _NAMELESS,
        "input": dict(call.arguments),
    }
