"""The loop with openai-agents, streaming, without its tracing."""

from __future__ import annotations

import sys

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from steps import ASKED, Folder, serve

set_tracing_disabled(True)
CLIENT = AsyncOpenAI(base_url=sys.argv[1], api_key="none")
MODEL = OpenAIChatCompletionsModel(model="mock", openai_client=CLIENT)


async def run() -> int:
    folder = Folder()

    def list_folder(path: str) -> str:
        """List a folder."""
        return folder.list_folder(path)

    agent = Agent(name="peer", model=MODEL, tools=[function_tool(list_folder)])
    result = Runner.run_streamed(agent, ASKED, max_turns=30)
    async for _ in result.stream_events():
        pass
    return folder.calls


serve(run)
