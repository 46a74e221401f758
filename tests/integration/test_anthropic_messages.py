"""The provider for Anthropic's format over real connections to a server that plays its part."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from ankita.errors import (
    CommandRefusedError,
    ModelAuthenticationError,
    ModelContextError,
    ModelError,
    ModelInterruptedError,
    ModelProtocolError,
    ModelRateLimitError,
    ModelTimeoutError,
)
from ankita.integrations.models.anthropic_messages import AnthropicProvider
from ankita.integrations.models.anthropic_request import DEFAULT_MAX_TOKENS
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.messages import (
    Effect,
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
from tests.servers.recorded_messages import (
    ALL_SHAPES,
    HELLO,
    A,
    Recorded,
    called,
    end,
    event,
    start,
    text,
    thought,
)
from tests.servers.scripted_chat_server import (
    MODEL,
    Drop,
    Pause,
    RepeatForEver,
    ScriptedChatServer,
    ScriptedReply,
    error,
    raw,
)

pytestmark = pytest.mark.spec("PRV-1")

KEY = "sk-secret-0123456789"
READ = ToolSpec(A[0], "Reads", {"type": "object"}, Effect.READS, "files", Phase.READING)
QUESTION = Message(Role.USER, "hi")
PLAIN = ModelRequest((Message(Role.SYSTEM, "Be kind."), QUESTION))
FORCED = ModelRequest((QUESTION,), (READ,), must_call=True)


def refused(kind: str, message: str, status: int = 400) -> ScriptedReply:
    return error(status, {"type": "error", "error": {"type": kind, "message": message}})


def invalid(message: str) -> ScriptedReply:
    return refused("invalid_request_error", message)


def provider_for(base_url: str, **options: Any) -> AnthropicProvider:
    info = ModelInfo("test", MODEL, is_local=False)
    known: dict[str, Any] = {"api_key": lambda: KEY, "info": info}
    return AnthropicProvider(base_url, MODEL, **known | options)


async def collect(
    provider: AnthropicProvider, request: ModelRequest = PLAIN
) -> tuple[list[ModelEvent], ModelError | None]:
    """What came before the end, and the error that ended it."""
    events: list[ModelEvent] = []
    try:
        async with aclosing(provider.stream(request)) as stream:
            async for found in stream:
                events.append(found)
    except ModelError as failure:
        return events, failure
    return events, None


async def play(
    *script: ScriptedReply, request: ModelRequest = PLAIN, **options: Any
) -> tuple[list[ModelEvent], ModelError | None, ScriptedChatServer]:
    async with ScriptedChatServer(script) as server:
        provider = provider_for(server.base_url, **options)
        events, failure = await collect(provider, request)
        await provider.aclose()
    return events, failure, server


def said(events: list[ModelEvent]) -> str:
    return "".join(found.text for found in events if isinstance(found, TextDelta))


@pytest.mark.spec("PRV-5")
@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
async def test_a_known_shape_means_the_same_over_a_real_connection(shape: Recorded) -> None:
    events, failure, _ = await play(raw(shape.body, cut=7))
    calls = [found.call for found in events if isinstance(found, ToolCallReady)]
    assert said(events) == shape.text
    assert tuple((c.name, c.arguments) for c in calls if not c.problem) == shape.calls
    assert isinstance(failure, shape.failure or type(None))


@pytest.mark.spec("PRV-8")
async def test_the_request_goes_to_its_door_with_key_and_version() -> None:
    events, failure, server = await play(text("Hel", "lo"))
    assert (said(events), failure) == ("Hello", None)
    (asked,) = server.chats
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in asked.headers
    assert KEY.encode() not in asked.body


async def test_without_a_key_none_is_sent() -> None:
    _, _, server = await play(text("x"), api_key=lambda: None)
    assert "x-api-key" not in server.chats[0].headers


@pytest.mark.parametrize("typed", ["/anthropic", "/anthropic/", "/anthropic/v1/messages"])
async def test_an_address_behind_a_longer_path_gets_the_version(typed: str) -> None:
    async with ScriptedChatServer([text("x")]) as server:
        provider = provider_for(server.base_url.removesuffix("/v1") + typed)
        await collect(provider)
        await provider.aclose()
    assert server.chats[0].path == "/anthropic/v1/messages"


async def test_signed_thinking_goes_back_with_its_call() -> None:
    reply = raw(start() + thought(0, "Hmm") + called(1, A, "t1") + end("tool_use"))
    async with ScriptedChatServer([reply, text("done")]) as server:
        provider = provider_for(server.base_url)
        events, _ = await collect(provider, ModelRequest((QUESTION,), (READ,)))
        (call,) = (found.call for found in events if isinstance(found, ToolCallReady))
        answer = Message(Role.TOOL, "milk", tool_call_id=call.id)
        told = (QUESTION, Message(Role.ASSISTANT, tool_calls=(call,)), answer)
        events, _ = await collect(provider, ModelRequest(told, (READ,)))
        await provider.aclose()
    assert said(events) == "done"
    assert server.chats[1].json()["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hmm", "signature": "c2ln"},
        {"type": "tool_use", "id": "t1", "name": A[0], "input": A[1]},
    ]


@pytest.mark.spec("PRV-6")
async def test_a_reply_limit_that_the_server_names_is_kept_from_then_on() -> None:
    refusal = invalid(f"max_tokens: {DEFAULT_MAX_TOKENS} > 4096, which is the maximum allowed")
    async with ScriptedChatServer([refusal, text("a"), text("b")]) as server:
        provider = provider_for(server.base_url)
        for word in "ab":
            assert said((await collect(provider))[0]) == word
        await provider.aclose()
    asked = [request.json()["max_tokens"] for request in server.chats]
    assert asked == [DEFAULT_MAX_TOKENS, 4096, 4096]


@pytest.mark.spec("PRV-6")
async def test_a_reply_shortened_for_one_long_thread_is_long_again_in_the_next() -> None:
    refusal = invalid("input length and `max_tokens` exceed context limit: 195000 + 16384 > 200000")
    async with ScriptedChatServer([refusal, text("a"), text("b")]) as server:
        provider = provider_for(server.base_url)
        for word in "ab":
            assert said((await collect(provider))[0]) == word
        await provider.aclose()
    asked = [request.json()["max_tokens"] for request in server.chats]
    assert asked == [DEFAULT_MAX_TOKENS, 5000, DEFAULT_MAX_TOKENS]


@pytest.mark.spec("PRV-6")
@pytest.mark.parametrize(
    "message",
    [
        "tools.0.custom.cache_control: Extra inputs are not permitted",
        "Thinking may not be enabled when tool_choice forces tool use.",
    ],
)
async def test_an_option_that_the_server_does_not_take_is_left_out_from_then_on(
    message: str,
) -> None:
    option = "cache_control" if "cache_control" in message else "tool_choice"
    async with ScriptedChatServer([invalid(message), text("a"), text("b")]) as server:
        provider = provider_for(server.base_url)
        for word in "ab":
            assert said((await collect(provider, FORCED))[0]) == word
        await provider.aclose()
    sent = [option in request.body.decode() for request in server.chats]
    assert sent == [True, False, False]


@pytest.mark.spec("PRV-6")
async def test_a_refusal_that_repeats_itself_is_the_answer() -> None:
    limit = invalid("max_tokens: 16384 > 4096, which is the maximum")
    _, failure, server = await play(limit, limit, text("never"))
    assert failure is not None
    assert len(server.chats) == 2


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (refused("authentication_error", "invalid x-api-key", 401), ModelAuthenticationError,
         "refused the key"),
        (refused("rate_limit_error", "slow", 429), ModelRateLimitError, "no more requests"),
        (refused("overloaded_error", "Overloaded", 529), ModelError, "could not serve"),
        (refused("api_error", "Internal server error", 500), ModelError, "could not serve"),
        (refused("not_found_error", f"model: {MODEL}", 404), ModelError, "no model named"),
        (refused("not_found_error", "Not Found", 404), ModelProtocolError, "not as a model server"),
        (refused("request_too_large", "Request exceeds the maximum size", 413), ModelContextError,
         "longer than"),
        (invalid("prompt is too long: 208310 tokens > 200000 maximum"), ModelContextError,
         "longer than"),
        (invalid("input length and `max_tokens` exceed context limit: 199999 + 16384 > 200000"),
         ModelContextError, "longer than"),
        (invalid("Your credit balance is too low to access the API."), ModelError, "used up"),
        (refused("billing_error", "x", 402), ModelError, "used up"),
        (invalid("messages.1: something else"), ModelError, "refused the request"),
    ],
)  # fmt: skip
async def test_a_refusal_is_told_apart(
    reply: ScriptedReply, kind: type[ModelError], words: str
) -> None:
    events, failure, server = await play(reply)
    assert events == []
    assert isinstance(failure, kind)
    assert words in failure.message
    assert len(server.chats) == 1, "nothing is tried again"


@pytest.mark.spec("PRV-4", "PRV-5")
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("overloaded_error", "could not serve"),
        ("api_error", "could not serve"),
        ("timeout_error", "could not serve"),
        ("rate_limit_error", "no more requests"),
        ("billing_error", "used up"),
        ("authentication_error", "refused the key"),
    ],
)
async def test_an_error_in_mid_stream_keeps_the_text_and_is_told_apart(
    kind: str, words: str
) -> None:
    broken = HELLO + event("error", error={"type": kind, "message": "x"})
    events, failure, _ = await play(raw(broken))
    assert said(events) == "Hello"
    assert failure is not None
    assert words in failure.message


@pytest.mark.spec("PRV-5")
async def test_pings_do_not_put_off_the_end() -> None:
    limits = StreamLimits(between_payloads_seconds=0.2, total_seconds=20)
    events, failure, _ = await play(raw(HELLO, RepeatForEver(event("ping"))), limits=limits)
    assert said(events) == "Hello"
    assert isinstance(failure, ModelTimeoutError)


@pytest.mark.spec("PRV-5")
async def test_a_dropped_connection_keeps_the_text_and_says_so() -> None:
    events, failure, _ = await play(raw(HELLO, Pause(0.02), Drop()))
    assert said(events) == "Hello"
    assert isinstance(failure, ModelInterruptedError)


def test_a_wrong_address_is_refused_when_the_provider_is_made() -> None:
    with pytest.raises(CommandRefusedError):
        provider_for("not an address")
