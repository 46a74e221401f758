"""What every source of replies keeps to, real servers and doubles alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass

import pytest

from ankita.integrations.models.anthropic_messages import AnthropicProvider
from ankita.integrations.models.openai_chat import OpenAIChatProvider
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
    ToolCall,
    ToolCallReady,
    ToolSpec,
)
from ankita.protocols import ModelProvider
from tests.fakes import models as fakes
from tests.servers import recorded_messages, tiny_model
from tests.servers.llama_server import LlamaServer
from tests.servers.scripted_chat_server import (
    MODEL,
    RecordedRequest,
    ScriptedChatServer,
    ScriptedReply,
    text,
    tool_calls,
)

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a text file", SCHEMA, Effect.READS, "files", Phase.READING)


@dataclass(frozen=True)
class Subject:
    """A provider, and the messages to which it answers with text or with a call of READ."""

    provider: ModelProvider
    plain_message: str = "Good morning."
    tool_message: str = f"Please use the {fakes.TOOL_WORD}."


Setup = Callable[[pytest.FixtureRequest, AsyncExitStack], Awaitable[Subject]]


async def _llama(request: pytest.FixtureRequest, _: AsyncExitStack) -> Subject:
    server: LlamaServer = request.getfixturevalue("llama_server")
    return Subject(_openai_chat(server.base_url, server.model))


async def _scripted_server(_: pytest.FixtureRequest, stack: AsyncExitStack) -> Subject:
    server = await stack.enter_async_context(ScriptedChatServer(_reply_like_a_model))
    return Subject(_openai_chat(server.base_url, MODEL))


async def _llama_messages(request: pytest.FixtureRequest, _: AsyncExitStack) -> Subject:
    server: LlamaServer = request.getfixturevalue("llama_server")
    return Subject(_anthropic(server.base_url, server.model))


async def _scripted_messages(_: pytest.FixtureRequest, stack: AsyncExitStack) -> Subject:
    server = await stack.enter_async_context(ScriptedChatServer(_message_like_a_model))
    return Subject(_anthropic(server.base_url, MODEL))


async def _fake(_: pytest.FixtureRequest, __: AsyncExitStack) -> Subject:
    return Subject(fakes.FakeModelProvider())


async def _scripted(_: pytest.FixtureRequest, __: AsyncExitStack) -> Subject:
    provider = _AnsweringScript()
    return Subject(provider)


class _AnsweringScript(fakes.ScriptedModelProvider):
    """Writes its script as it is asked, so that it can take part in every test."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        wants_tool = fakes.TOOL_WORD in request.messages[-1].text and bool(request.tools)
        call = fakes.calls((READ.name, {"path": "a"}))
        self.add(call if wants_tool else fakes.says("Good", " day"))
        return super().stream(request)


def _openai_chat(base_url: str, model: str) -> OpenAIChatProvider:
    return OpenAIChatProvider(
        base_url,
        model,
        api_key=lambda: None,
        info=ModelInfo(f"{model} · local", model, is_local=True),
    )


def _anthropic(base_url: str, model: str) -> AnthropicProvider:
    info = ModelInfo(f"{model} · local", model, is_local=True)
    return AnthropicProvider(base_url, model, api_key=lambda: None, info=info)


def _message_like_a_model(request: RecordedRequest) -> ScriptedReply:
    sent = request.json()
    last = sent["messages"][-1]["content"][-1]
    said = last.get("text") or last.get("content", "")
    if fakes.TOOL_WORD in said and sent.get("tools"):
        return recorded_messages.tool_calls((READ.name, {"path": "a"}))
    return recorded_messages.text("You ", "said ", said)


def _reply_like_a_model(request: RecordedRequest) -> ScriptedReply:
    sent = request.json()
    last = sent["messages"][-1]["content"]
    if fakes.TOOL_WORD in last and sent.get("tools"):
        return tool_calls((READ.name, {"path": "a"}))
    return text("You ", "said ", last)


@pytest.fixture(
    params=[
        pytest.param(_llama, id="llama.cpp", marks=pytest.mark.engine),
        pytest.param(_scripted_server, id="scripted server"),
        pytest.param(_llama_messages, id="llama.cpp messages", marks=pytest.mark.engine),
        pytest.param(_scripted_messages, id="scripted messages"),
        pytest.param(_fake, id="fake"),
        pytest.param(_scripted, id="scripted"),
    ]
)
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    async with AsyncExitStack() as stack:
        setup: Setup = request.param
        found = await setup(request, stack)
        yield found
        await found.provider.aclose()


def user(words: str) -> Message:
    return Message(Role.USER, words)


async def collect(provider: ModelProvider, *messages: Message, tools: bool) -> list[ModelEvent]:
    request = ModelRequest(messages, (READ,) if tools else ())
    return [event async for event in provider.stream(request)]


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.spec("PRV-1")
async def test_a_reply_is_text_and_ends_with_one_finish(subject: Subject) -> None:
    events = await collect(subject.provider, user(subject.plain_message), tools=False)
    assert said(events).strip()
    assert [event for event in events if isinstance(event, Finished)] == [events[-1]]
    assert events[-1] == Finished(FinishReason.STOP)


@pytest.mark.spec("PRV-1")
async def test_a_call_is_whole_and_its_result_is_answered(subject: Subject) -> None:
    question = user(subject.tool_message)
    events = await collect(subject.provider, question, tools=True)
    (call,) = (event.call for event in events if isinstance(event, ToolCallReady))
    assert isinstance(call, ToolCall)
    assert call.id
    assert call.name == READ.name
    assert isinstance(call.arguments["path"], str)
    assert not call.problem
    assert events[-1] == Finished(FinishReason.TOOL_CALLS)

    answer = await collect(
        subject.provider,
        question,
        Message(Role.ASSISTANT, said(events), tool_calls=(call,)),
        Message(Role.TOOL, "milk and bread", tool_call_id=call.id),
        tools=True,
    )
    assert said(answer).strip()
    assert answer[-1] == Finished(FinishReason.STOP)


@pytest.mark.spec("PRV-1")
async def test_no_tool_is_called_that_was_not_offered(subject: Subject) -> None:
    events = await collect(subject.provider, user(subject.tool_message), tools=False)
    assert not [event for event in events if isinstance(event, ToolCallReady)]


async def test_two_replies_at_once_do_not_mix(subject: Subject) -> None:
    plain, other = await asyncio.gather(
        collect(subject.provider, user(subject.plain_message), tools=False),
        collect(subject.provider, user(subject.tool_message), tools=True),
    )
    assert said(plain).strip()
    assert not [event for event in plain if isinstance(event, ToolCallReady)]
    assert [event for event in other if isinstance(event, ToolCallReady)]


async def test_a_reply_that_is_left_early_does_not_disturb_the_next(subject: Subject) -> None:
    request = ModelRequest((user(subject.plain_message),))
    async with aclosing(subject.provider.stream(request)) as events:
        await anext(events)
    events = await collect(subject.provider, user(subject.plain_message), tools=False)
    assert isinstance(events[-1], Finished)


async def test_it_says_who_answers_before_and_after_it_is_closed_twice(subject: Subject) -> None:
    before = subject.provider.info()
    assert before.label
    assert before.model
    await subject.provider.aclose()
    await subject.provider.aclose()
    assert subject.provider.info() == before


def test_the_fakes_and_the_tiny_model_react_to_the_same_word() -> None:
    assert fakes.TOOL_WORD == tiny_model.TOOL_WORD
