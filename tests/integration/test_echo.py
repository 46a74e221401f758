"""Servers that refuse a turn without their signature, or with a thought they never asked for.

The engine runs a whole turn with a tool call against each; a mistake is a 400.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ankita.config import ServerSettings
from ankita.engine import ReplyItem, ThreadStatus, UseServer
from ankita.engine.providers import server_info
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.protocols import ModelProvider
from tests.engine_lab import UNTRIED_MODELS, engine_lab, tool_items
from tests.fakes.tools import FakeToolProvider
from tests.servers.scripted_chat_server import (
    DONE,
    RecordedRequest,
    ScriptedChatServer,
    ScriptedReply,
    call_delta,
    delta,
    error,
    raw,
    text,
)

pytestmark = pytest.mark.spec("PRV-5")

SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}
DETAILS = [{"type": "reasoning.text", "text": "Hmm", "signature": "sig", "index": 0}]
STRAYS = ("reasoning", "reasoning_content", "thinking", "reasoning_details", "extra_content")

Judge = Callable[[dict[str, Any]], bool]
"""Whether the assistant message with the calls comes back as this server wants it."""


def call_frame(**more: Any) -> dict[str, Any]:
    return {**call_delta(0, "a", "read_file", '{"path": "a.txt"}'), **more}


def gemini(message: dict[str, Any]) -> bool:
    return message["tool_calls"][0].get("extra_content") == SIGNED and _strays(message) == set()


def openrouter(message: dict[str, Any]) -> bool:
    return message.get("reasoning_details") == DETAILS and _strays(message) == {"reasoning_details"}


def deepseek(message: dict[str, Any]) -> bool:
    return not _strays(message) and not _strays(message["tool_calls"][0])


def _strays(part: dict[str, Any]) -> set[str]:
    return set(part) & set(STRAYS)


GEMINI = raw(delta(tool_calls=[call_frame(extra_content=SIGNED)]), delta("tool_calls"), DONE)
OPENROUTER = raw(
    delta(reasoning="Hmm", reasoning_details=[{**DETAILS[0], "signature": None}]),
    delta(reasoning_details=[{**DETAILS[0], "text": ""}]),
    delta(tool_calls=[call_frame()]),
    delta("tool_calls"),
    DONE,
)
DEEPSEEK = raw(
    delta(reasoning_content="Hmm"), delta(tool_calls=[call_frame()]), delta("tool_calls"), DONE
)
CASES = {
    "Gemini": (GEMINI, gemini),
    "OpenRouter": (OPENROUTER, openrouter),
    "DeepSeek": (DEEPSEEK, deepseek),
}


class StrictServer:
    """Answers the first request with a call and judges how it comes back."""

    def __init__(self, first: ScriptedReply, is_right: Judge) -> None:
        self._first = first
        self._is_right = is_right

    def reply_to(self, request: RecordedRequest) -> ScriptedReply:
        past = [m for m in request.json()["messages"] if m.get("tool_calls")]
        if not past:
            return self._first
        if all(self._is_right(message) for message in past):
            return text("It says milk.")
        return error(400, {"error": {"message": "The signature is missing or not wanted."}})


def asked_directly(server: ServerSettings, key: str | None) -> ModelProvider:
    info = server_info(server)
    return OpenAIChatProvider(server.base_url, server.model, api_key=key, info=info)


@pytest.mark.parametrize(("first", "is_right"), CASES.values(), ids=CASES.keys())
async def test_a_turn_with_a_call_satisfies_the_server(
    first: ScriptedReply, is_right: Judge, tmp_path: Path
) -> None:
    strict = StrictServer(first, is_right)
    models = replace(UNTRIED_MODELS, server=asked_directly)
    async with (
        ScriptedChatServer(strict.reply_to) as server,
        engine_lab(tmp_path, models=models, tools=[FakeToolProvider()]) as lab,
    ):
        await lab.do(UseServer(server.base_url, "the-model"))
        thread = await lab.send("Read a.txt, please.")
        items = await lab.finished(thread)
        assert lab.state.threads[thread].status is ThreadStatus.IDLE, items[-1]
    assert len(tool_items(items)) == 1
    assert [item.text for item in items if isinstance(item, ReplyItem)] == ["It says milk."]


@pytest.mark.parametrize(("first", "is_right"), list(CASES.values())[:2], ids=["Gemini", "Router"])
async def test_another_server_in_the_same_thread_never_sees_it(
    first: ScriptedReply, is_right: Judge, tmp_path: Path
) -> None:
    models = replace(UNTRIED_MODELS, server=asked_directly)
    other = StrictServer(text("Nothing to add."), deepseek)
    async with (
        ScriptedChatServer(StrictServer(first, is_right).reply_to) as server,
        ScriptedChatServer(other.reply_to) as another,
        engine_lab(tmp_path, models=models, tools=[FakeToolProvider()]) as lab,
    ):
        await lab.do(UseServer(server.base_url, "the-model"))
        thread = await lab.send("Read a.txt, please.")
        await lab.finished(thread)
        await lab.do(UseServer(another.base_url, "the-model"))
        items = await lab.talk("And?", thread)
        assert lab.state.threads[thread].status is ThreadStatus.IDLE, items[-1]
    past = [m for m in another.chats[-1].json()["messages"] if m.get("tool_calls")]
    assert past
    assert all(deepseek(message) for message in past)
