"""The provider against the real llama.cpp server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from ankita.errors import (
    ModelAuthenticationError,
    ModelContextError,
    ModelInterruptedError,
    ModelUnreachableError,
)
from ankita.integrations.models.openai_chat import OpenAIChatProvider
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
from tests.servers.tiny_model import (
    CLOSING,
    ENDLESS_WORD,
    GREETING,
    TICK,
    TOOL_ARGUMENT,
    TOOL_WORD,
    write_tiny_model,
)

pytestmark = [pytest.mark.engine, pytest.mark.spec("PRV-1")]

KEY = "sk-tiny-0123456789"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a text file", SCHEMA, Effect.READS, "files", Phase.READING)


def provider_for(server: LlamaServer, key: str | None = None) -> OpenAIChatProvider:
    return OpenAIChatProvider(
        server.base_url,
        server.model,
        api_key=lambda: key,
        info=ModelInfo("tiny · local", server.model, is_local=True),
    )


def ask(words: str, *more: Message, tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    return ModelRequest((Message(Role.USER, words), *more), tools)


async def collect(provider: OpenAIChatProvider, request: ModelRequest) -> list[ModelEvent]:
    try:
        return [event async for event in provider.stream(request)]
    finally:
        await provider.aclose()


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.fixture(scope="module")
def guarded_server(tiny_model_file: Path) -> Iterator[LlamaServer]:
    """A server that wants a key."""
    server = start_llama_server(tiny_model_file, api_key=KEY)
    yield server
    server.stop()


async def test_text_streams_word_by_word_with_usage(llama_server: LlamaServer) -> None:
    events = await collect(provider_for(llama_server), ask("Hello."))
    assert said(events) == GREETING
    assert sum(isinstance(event, TextDelta) for event in events) > 4
    *_, usage, finished = events
    assert isinstance(usage, Usage)
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 4
    assert finished == Finished(FinishReason.STOP)


async def test_a_tool_is_called_and_its_result_answered(llama_server: LlamaServer) -> None:
    provider = provider_for(llama_server)
    question = f"Read it with a {TOOL_WORD}."
    events = await collect(provider, ask(question, tools=(READ,)))
    (call,) = (event.call for event in events if isinstance(event, ToolCallReady))
    assert (call.name, call.arguments, call.problem) == ("read_file", {"path": TOOL_ARGUMENT}, "")
    assert events[-1] == Finished(FinishReason.TOOL_CALLS)

    follow_up = ask(
        question,
        Message(Role.ASSISTANT, tool_calls=(call,)),
        Message(Role.TOOL, "milk", tool_call_id=call.id),
        tools=(READ,),
    )
    assert said(await collect(provider, follow_up)) == CLOSING


async def test_a_reply_of_a_schema_and_of_a_length(llama_server: LlamaServer) -> None:
    provider = provider_for(llama_server)
    schema = {"enum": ["yes", "no"]}
    shaped = replace(ask("Hello."), reply_schema=schema)
    assert json.loads(said(await collect(provider, shaped))) in schema["enum"]
    *_, finished = await collect(provider, replace(ask("Hello."), max_tokens=3))
    assert finished == Finished(FinishReason.LENGTH)


@pytest.mark.spec("PRV-4")
async def test_a_thread_over_the_context_is_told_apart(llama_server: LlamaServer) -> None:
    with pytest.raises(ModelContextError, match=r"[\d,]+ of 16,384 tokens"):
        await collect(provider_for(llama_server), ask("word " * 9000))


@pytest.mark.spec("PRV-4", "PRV-8")
@pytest.mark.parametrize("key", [None, "sk-wrong-0123456789"])
async def test_a_missing_or_wrong_key_is_told_apart(
    guarded_server: LlamaServer, key: str | None
) -> None:
    with pytest.raises(ModelAuthenticationError) as refusal:
        await collect(provider_for(guarded_server, key), ask("Hello."))
    assert ("wants a key" if key is None else "refused the key") in refusal.value.message
    assert (key or KEY) not in refusal.value.sentence()


async def test_the_right_key_opens_the_door(guarded_server: LlamaServer) -> None:
    assert said(await collect(provider_for(guarded_server, KEY), ask("Hello."))) == GREETING


@pytest.mark.spec("PRV-5")
async def test_a_server_that_is_killed_in_mid_reply_leaves_its_text_and_an_error(
    tiny_model_file: Path,
) -> None:
    server = start_llama_server(tiny_model_file)
    provider = provider_for(server)
    pieces: list[str] = []

    async def read_and_kill() -> None:
        async with aclosing(provider.stream(ask(ENDLESS_WORD))) as events:
            async for event in events:
                assert isinstance(event, TextDelta)
                pieces.append(event.text)
                if len(pieces) == 20:
                    await asyncio.to_thread(server.kill)

    try:
        with pytest.raises(ModelInterruptedError):
            await read_and_kill()
        assert "".join(pieces).startswith(TICK * 20)
        with pytest.raises(ModelUnreachableError):
            await collect(provider, ask("Hello."))
        found = await check(server.base_url, lambda: None)
        assert found.state is ServerState.GONE
    finally:
        await provider.aclose()
        server.stop()


async def test_leaving_an_endless_reply_frees_the_server(llama_server: LlamaServer) -> None:
    provider = provider_for(llama_server)
    async with aclosing(provider.stream(ask(ENDLESS_WORD))) as events:
        await anext(events)
    # The server has one slot: this is answered only if the endless reply was ended.
    assert said(await collect(provider, ask("Hello."))) == GREETING


async def test_the_check_lists_the_model_or_asks_for_the_key(
    llama_server: LlamaServer,
    guarded_server: LlamaServer,
) -> None:
    open_one = await check(llama_server.base_url, lambda: None)
    assert (open_one.state, open_one.models) == (ServerState.READY, (llama_server.model,))
    assert open_one.is_local
    # llama.cpp gives its list to everyone, so a wrong key shows only with the first reply.
    guarded = await check(guarded_server.base_url, lambda: None)
    assert guarded.state in (ServerState.READY, ServerState.NEEDS_KEY)


def test_the_tiny_model_is_the_same_on_every_run(tmp_path: Path) -> None:
    first = write_tiny_model(tmp_path / "a.gguf").read_bytes()
    assert write_tiny_model(tmp_path / "b.gguf").read_bytes() == first
