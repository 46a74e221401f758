"""The provider for Anthropic's format against the real llama.cpp server, which speaks it too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from ankita.config import WireFormat
from ankita.errors import ModelAuthenticationError, ModelContextError, ModelInterruptedError
from ankita.integrations.models.anthropic_messages import AnthropicProvider
from ankita.integrations.models.server_check import ServerState, check
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
    Usage,
)
from tests.servers.llama_server import LlamaServer, start_llama_server
from tests.servers.tiny_model import CLOSING, ENDLESS_WORD, GREETING, TOOL_ARGUMENT, TOOL_WORD

pytestmark = [pytest.mark.engine, pytest.mark.spec("PRV-1")]

KEY = "sk-tiny-0123456789"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a text file", SCHEMA, Effect.READS, "files", Phase.READING)
SYSTEM = Message(Role.SYSTEM, "Be kind.")


@asynccontextmanager
async def provider_for(
    server: LlamaServer, key: str | None = None
) -> AsyncIterator[AnthropicProvider]:
    info = ModelInfo("tiny · local", server.model, is_local=True)
    provider = AnthropicProvider(server.base_url, server.model, api_key=lambda: key, info=info)
    yield provider
    await provider.aclose()


def ask(words: str, *more: Message, max_tokens: int | None = None) -> ModelRequest:
    """A request with all that the format can carry: system, tools and marks for the cache."""
    told = (SYSTEM, Message(Role.USER, words), *more)
    return ModelRequest(told, (READ,), max_tokens=max_tokens)


async def collect(provider: AnthropicProvider, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in provider.stream(request)]


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.fixture(scope="module")
def guarded_server(tiny_model_file: Path) -> Iterator[LlamaServer]:
    """A server that wants a key."""
    server = start_llama_server(tiny_model_file, api_key=KEY)
    yield server
    server.stop()


async def test_text_streams_word_by_word_and_the_second_prompt_comes_from_the_cache(
    llama_server: LlamaServer,
) -> None:
    async with provider_for(llama_server) as provider:
        events = await collect(provider, ask("Hello."))
        *_, again, _ = await collect(provider, ask("Hello."))
    assert said(events) == GREETING
    assert sum(isinstance(event, TextDelta) for event in events) > 4
    *_, usage, finished = events
    assert isinstance(usage, Usage)
    assert isinstance(again, Usage)
    assert usage.prompt_tokens == again.prompt_tokens > 100
    assert usage.completion_tokens > 4
    assert again.cached_tokens > 100
    assert finished == Finished(FinishReason.STOP)


async def test_a_tool_is_called_and_its_result_answered(llama_server: LlamaServer) -> None:
    question = f"Read it with a {TOOL_WORD}."
    async with provider_for(llama_server) as provider:
        events = await collect(provider, ask(question))
        (call,) = (event.call for event in events if isinstance(event, ToolCallReady))
        answer = await collect(
            provider,
            ask(
                question,
                Message(Role.ASSISTANT, tool_calls=(call,)),
                Message(Role.TOOL, "milk", tool_call_id=call.id),
            ),
        )
    assert (call.name, call.arguments, call.problem) == ("read_file", {"path": TOOL_ARGUMENT}, "")
    assert events[-1] == Finished(FinishReason.TOOL_CALLS)
    assert said(answer) == CLOSING


@pytest.mark.spec("PRV-5")
async def test_a_call_that_is_cut_by_the_length_never_runs(llama_server: LlamaServer) -> None:
    whole = 0
    async with provider_for(llama_server) as provider:
        for tokens in range(4, 80, 4):
            events = await collect(provider, ask(TOOL_WORD, max_tokens=tokens))
            calls = [event.call for event in events if isinstance(event, ToolCallReady)]
            ran = [call for call in calls if not call.problem]
            assert all(call.arguments == {"path": TOOL_ARGUMENT} for call in ran)
            whole += len(ran)
    assert whole, "with enough tokens the call is whole"


@pytest.mark.spec("PRV-4")
async def test_a_thread_over_the_context_is_told_apart(llama_server: LlamaServer) -> None:
    async with provider_for(llama_server) as provider:
        with pytest.raises(ModelContextError, match=r"[\d,]+ of 16,384 tokens"):
            await collect(provider, ask("word " * 9000))


@pytest.mark.spec("PRV-4", "PRV-8")
@pytest.mark.parametrize("key", [None, "sk-wrong-0123456789"])
async def test_a_missing_or_wrong_key_is_told_apart(
    guarded_server: LlamaServer, key: str | None
) -> None:
    async with provider_for(guarded_server, key) as provider:
        with pytest.raises(ModelAuthenticationError) as refusal:
            await collect(provider, ask("Hello."))
    assert ("wants a key" if key is None else "refused the key") in refusal.value.message
    assert (key or KEY) not in refusal.value.sentence()


async def test_the_right_key_opens_the_door(guarded_server: LlamaServer) -> None:
    async with provider_for(guarded_server, KEY) as provider:
        assert said(await collect(provider, ask("Hello."))) == GREETING
    found = await check(guarded_server.base_url, lambda: KEY, wire=WireFormat.ANTHROPIC)
    assert (found.state, found.models) == (ServerState.READY, (guarded_server.model,))


@pytest.mark.spec("PRV-5")
async def test_a_server_that_is_killed_in_mid_reply_leaves_its_text_and_an_error(
    tiny_model_file: Path,
) -> None:
    server = start_llama_server(tiny_model_file)
    events: list[ModelEvent] = []

    async def read_and_kill(provider: AnthropicProvider) -> None:
        async with aclosing(provider.stream(ask(ENDLESS_WORD))) as stream:
            async for event in stream:
                events.append(event)
                if len(events) == 20:
                    server.kill()

    try:
        async with provider_for(server) as provider:
            with pytest.raises(ModelInterruptedError):
                await read_and_kill(provider)
    finally:
        server.stop()
    assert said(events)
