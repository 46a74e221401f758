"""The body of a request in Anthropic's messages format. Pure.

The format wants the system text apart, the roles in turn with the user first and
last, every result of one step in one message, and no block of blank text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ankita.integrations.models.anthropic_echo import reply_blocks
from ankita.integrations.models.chat_echo import Origin
from ankita.messages import Message, ModelRequest, Role, ToolSpec

DEFAULT_MAX_TOKENS = 16_384
"""The longest reply that is asked for; the format has no "as long as it takes"."""

CACHE_CONTROL = "cache_control"
TOOL_CHOICE = "tool_choice"

_CACHED = {"type": "ephemeral"}
_OPENING = "(The beginning of this conversation is left out.)"
_GO_ON = "Go on."
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

Block = dict[str, Any]


def request_body(
    model: str,
    request: ModelRequest,
    *,
    server: str,
    is_parallel: bool,
    without: Collection[str] = (),
) -> bytes:
    """The JSON to post to `server`, as the user sees its name.

    `is_parallel`: the model may call several tools in one reply. `without` names
    optional fields that the server refuses.
    """
    cache = {} if CACHE_CONTROL in without else {CACHE_CONTROL: _CACHED}
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
        "stream": True,
        "messages": _turns(Origin(server, model), request.messages),
    }
    if system := _system(request.messages):
        body["system"] = [{"type": "text", "text": system, **cache}]
    if request.tools:
        *tools, last = (_tool(tool) for tool in request.tools)
        body["tools"] = [*tools, last | cache]
    choice = _tool_choice(request, is_parallel=is_parallel)
    if choice and TOOL_CHOICE not in without:
        body[TOOL_CHOICE] = choice
    # Half a surrogate pair in pasted text has no UTF-8 form; it must not stop a turn.
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def optional_fields(request: ModelRequest, *, is_parallel: bool) -> set[str]:
    """Fields of this request that some servers do not know and that it can do without."""
    fields = {CACHE_CONTROL}
    if _tool_choice(request, is_parallel=is_parallel):
        fields.add(TOOL_CHOICE)
    return fields


def _system(messages: Sequence[Message]) -> str:
    texts = (message.text for message in messages if message.role is Role.SYSTEM)
    return "\n\n".join(text for text in texts if text.strip())


def _tool(tool: ToolSpec) -> dict[str, Any]:
    schema = {"type": "object", **tool.parameters}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _tool_choice(request: ModelRequest, *, is_parallel: bool) -> dict[str, Any]:
    """Empty where the format's own default is meant."""
    if not request.tools or (is_parallel and not request.must_call):
        return {}
    choice: dict[str, Any] = {"type": "any" if request.must_call else "auto"}
    return choice if is_parallel else choice | {"disable_parallel_tool_use": True}


def _turns(origin: Origin, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages with the roles in turn, the user first and last."""
    turns: list[dict[str, Any]] = []
    for role, blocks in _spoken(origin, messages):
        if not turns and role != "user":
            turns.append({"role": "user", "content": [_text(_OPENING)]})
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    if not turns or turns[-1]["role"] != "user":
        # Newer models do not continue a reply of their own.
        turns.append({"role": "user", "content": [_text(_GO_ON)]})
    return turns


def _spoken(origin: Origin, messages: Sequence[Message]) -> Iterator[tuple[str, list[Block]]]:
    """Role and blocks of every message that says something."""
    for message in messages:
        if message.role is Role.TOOL:
            yield "user", [_result(message)]
        elif message.role is Role.ASSISTANT:
            if blocks := reply_blocks(message, origin, wire_id):
                yield "assistant", blocks
        elif message.role is Role.USER and message.text.strip():
            yield "user", [_text(message.text)]


def _result(message: Message) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": wire_id(message.tool_call_id or "")}
    return block | ({"content": message.text} if message.text.strip() else {})


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def wire_id(call_id: str) -> str:
    """The id of a call as the format takes it; calls from other formats may have any."""
    if _ID.fullmatch(call_id):
        return call_id
    return "call_" + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:32]
