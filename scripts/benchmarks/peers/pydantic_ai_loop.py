"""The loop with pydantic-ai, streaming."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from steps import ASKED, Folder, serve

MODEL = OpenAIChatModel("mock", provider=OpenAIProvider(base_url=sys.argv[1], api_key="none"))


async def run() -> int:
    folder = Folder()
    agent = Agent(MODEL, tools=[folder.list_folder])
    # With a handler of events every request is streamed.
    await agent.run(ASKED, event_stream_handler=drain)
    return folder.calls


async def drain(_context: Any, events: AsyncIterable[Any]) -> None:
    async for _ in events:
        pass


serve(run)
