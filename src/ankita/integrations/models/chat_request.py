"""The body of a chat-completions request. Pure.

The model's thinking is never sent back, but for what `chat_echo` keeps: signatures that
a few servers want to see again together with their tool calls.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from ankita.integrations.models.chat_echo import Origin, echoed_call, echoed_message
from ankita.messages import Message, ModelRequest, Role, ToolCall, ToolSpec

STREAM_OPTIONS = "stream_options"
PARALLEL_TOOL_CALLS = "parallel_tool_calls"
TOOL_CHOICE = "tool_choice"
RESPONSE_FORMAT = "response_format"
MAX_TOKENS = "max_tokens"


def optional_fields(request: ModelRequest, *, is_parallel: bool = True) -> dict[str, Any]:
    """Fields that some servers do not know; the reply is whole without them."""
    fields: dict[str, Any] = {STREAM_OPTIONS: {"include_usage": True}}
    if request.tools:
        fields[PARALLEL_TOOL_CALLS] = is_parallel
    if request.tools and request.must_call:
        fields[TOOL_CHOICE] = "required"
    if request.reply_schema is not None:
        schema = {"name": "reply", "schema": dict(request.reply_schema), "strict": True}
        fields[RESPONSE_FORMAT] = {"type": "json_schema", "json_schema": schema}
    if request.max_tokens is not None:
        fields[MAX_TOKENS] = request.max_tokens
    return fields


def request_body(
    model: str,
    request: ModelRequest,
    *,
    server: str,
    is_parallel: bool,
    without: Collection[str] = (),
) -> bytes:
    """The JSON to post to `server`, which gets its own echoes back.

    `is_parallel`: the model may call several tools in one reply. `without` names
    optional fields that the server refuses.
    """
    origin = Origin(server, model)
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message, origin) for message in request.messages],
        "stream": True,
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body |= optional_fields(request, is_parallel=is_parallel)
    known = {name: value for name, value in body.items() if name not in without}
    # Half a surrogate pair in pasted text has no UTF-8 form; it must not stop a turn.
    return json.dumps(known, ensure_ascii=False).encode("utf-8", "replace")


def _message(message: Message, origin: Origin) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.role is Role.TOOL:
        wire["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        wire["tool_calls"] = [_call(call, origin) for call in message.tool_calls]
        # Several servers refuse an empty text beside calls; null is what they send.
        wire["content"] = message.text or None
        wire |= echoed_message(message.tool_calls, origin)
    return wire


def _call(call: ToolCall, origin: Origin) -> dict[str, Any]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
        **echoed_call(call, origin),
    }


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }
