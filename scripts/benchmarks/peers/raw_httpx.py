"""The loop with httpx alone: what the requests cost before any framework."""

from __future__ import annotations

import json
import sys
from typing import Any

import httpx
from steps import ASKED, Folder, serve

TOOL = {
    "type": "function",
    "function": {
        "name": "list_folder",
        "description": "List a folder.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    },
}

CLIENT = httpx.AsyncClient(base_url=sys.argv[1], timeout=30)


async def run() -> int:
    folder = Folder()
    messages: list[dict[str, Any]] = [{"role": "user", "content": ASKED}]
    while calls := await reply(messages):
        messages.append({"role": "assistant", "tool_calls": calls})
        for call in calls:
            text = folder.list_folder(**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return folder.calls


async def reply(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls of one streamed reply, put together from their pieces."""
    body = {"model": "mock", "messages": messages, "tools": [TOOL], "stream": True}
    calls: dict[int, dict[str, Any]] = {}
    async with CLIENT.stream("POST", "/chat/completions", json=body) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                add_pieces(calls, json.loads(line[6:]))
    return list(calls.values())


def add_pieces(calls: dict[int, dict[str, Any]], event: dict[str, Any]) -> None:
    for choice in event["choices"]:
        for piece in choice["delta"].get("tool_calls") or ():
            empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            call = calls.setdefault(piece["index"], empty)
            call["id"] += piece.get("id") or ""
            for key, text in piece["function"].items():
                call["function"][key] += text or ""


serve(run)
