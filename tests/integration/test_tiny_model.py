"""The tiny model calls a tool that asks, when it has the choice."""

from __future__ import annotations

import pytest

from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.messages import (
    Effect,
    Message,
    ModelInfo,
    ModelRequest,
    Phase,
    Role,
    ToolCallReady,
    ToolSpec,
)
from tests.servers.llama_server import LlamaServer
from tests.servers.tiny_model import FAVOURITE_TOOL, TOOL_ARGUMENT, TOOL_WORD

TEXT = {"type": "string"}


def tool(name: str, *fields: str) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": dict.fromkeys(fields, TEXT),
        "required": list(fields),
        "additionalProperties": False,
    }
    return ToolSpec(name, "A tool", schema, Effect.READS, "files", Phase.READING)


@pytest.mark.engine
async def test_of_several_tools_the_favourite_is_called_with_all_its_arguments(
    llama_server: LlamaServer,
) -> None:
    provider = OpenAIChatProvider(
        llama_server.base_url,
        llama_server.model,
        api_key=lambda: None,
        info=ModelInfo("t", llama_server.model, is_local=True),
    )
    tools = (tool("list_notes"), tool("read_file", "path"), tool(FAVOURITE_TOOL, "path", "content"))
    request = ModelRequest((Message(Role.USER, f"{TOOL_WORD} now"),), tools)
    events = [event async for event in provider.stream(request)]
    await provider.aclose()
    (call,) = [event.call for event in events if isinstance(event, ToolCallReady)]
    assert call.name == FAVOURITE_TOOL
    assert call.arguments == {"path": TOOL_ARGUMENT, "content": TOOL_ARGUMENT}
