"""The self-test and JSON actions against the real llama.cpp server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from ankita.config import ToolMode
from ankita.errors import ModelRefusedError, ModelUnreachableError
from ankita.integrations.models.json_actions import ChatOnly, JsonActions
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.integrations.models.self_test import TOOL, find_tool_mode
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Phase,
    Role,
    TextDelta,
    ToolCallReady,
    ToolSpec,
)
from ankita.protocols import ModelProvider
from tests.servers.crowded_ports import free_port
from tests.servers.llama_server import LlamaServer
from tests.servers.tiny_model import GREETING, TOOL_ARGUMENT

pytestmark = [pytest.mark.engine, pytest.mark.spec("PRV-9")]

PATH = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Which file."},
        "mode": {"enum": ["text", "bytes"]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
    },
    "required": ["path", "mode", "parts"],
    "additionalProperties": False,
    "$defs": {"Part": {"type": "object", "properties": {"number": {"type": "integer"}}}},
}
READ = ToolSpec("read_file", "Reads a text file.", PATH, Effect.READS, "files", Phase.READING)


def provider_for(base_url: str, model: str = "tiny") -> OpenAIChatProvider:
    info = ModelInfo("tiny · local", model, is_local=True)
    return OpenAIChatProvider(base_url, model, api_key=lambda: None, info=info)


class Changed:
    """A provider whose requests are changed on their way."""

    def __init__(self, provider: ModelProvider, *, must_call: bool, refuses_tools: bool) -> None:
        self._provider = provider
        self._must_call = must_call
        self._refuses_tools = refuses_tools

    def info(self) -> ModelInfo:
        return self._provider.info()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        if request.tools and self._refuses_tools:
            raise ModelRefusedError("The model tiny cannot use tools here.")
        sent = replace(request, must_call=self._must_call)
        async for event in self._provider.stream(sent):
            yield event

    async def aclose(self) -> None:
        await self._provider.aclose()


async def test_the_tiny_model_calls_tools_by_itself(llama_server: LlamaServer) -> None:
    provider = provider_for(llama_server.base_url)
    assert await find_tool_mode(provider) is ToolMode.NATIVE
    await provider.aclose()


async def test_where_tools_are_refused_it_acts_by_json(llama_server: LlamaServer) -> None:
    provider = provider_for(llama_server.base_url)
    without = Changed(provider, must_call=False, refuses_tools=True)
    # By itself the tiny model picks an answer or the call by chance.
    acting = Changed(JsonActions(provider), must_call=True, refuses_tools=False)
    mode = await find_tool_mode(without, provider_with_actions=acting)
    assert mode is ToolMode.JSON_ACTION
    await provider.aclose()


async def test_a_server_that_is_gone_is_no_inability() -> None:
    provider = provider_for(f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(ModelUnreachableError):
        await find_tool_mode(provider)
    await provider.aclose()


async def test_the_grammar_of_the_server_gives_a_valid_call(llama_server: LlamaServer) -> None:
    provider = JsonActions(provider_for(llama_server.base_url))
    question = Message(Role.USER, "Read it.")
    request = ModelRequest((question,), (READ,), must_call=True, max_tokens=400)
    events = [event async for event in provider.stream(request)]
    (call,) = (event.call for event in events if isinstance(event, ToolCallReady))
    assert call.name == READ.name
    assert call.arguments["path"] == TOOL_ARGUMENT
    assert events[-1] == Finished(FinishReason.TOOL_CALLS)

    answer = ModelRequest(
        (
            question,
            Message(Role.ASSISTANT, tool_calls=(call,)),
            Message(Role.TOOL, "milk", tool_call_id=call.id),
        ),
        (READ, TOOL),
        max_tokens=400,
    )
    events = [event async for event in provider.stream(answer)]
    assert isinstance(events[-1], Finished)
    await provider.aclose()


async def test_a_model_that_can_only_talk_talks(llama_server: LlamaServer) -> None:
    provider = ChatOnly(provider_for(llama_server.base_url))
    request = ModelRequest((Message(Role.USER, "Hello."),), (READ,))
    events = [event async for event in provider.stream(request)]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == GREETING
    await provider.aclose()
