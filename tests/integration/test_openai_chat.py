"""The provider over real connections to a server that plays every fault."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import traceback
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from ankita.errors import (
    CommandRefusedError,
    ModelAuthenticationError,
    ModelError,
    ModelInterruptedError,
    ModelLoadingError,
    ModelProtocolError,
    ModelRateLimitError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
    VaultLockedError,
)
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Phase,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCallReady,
    ToolSpec,
    Usage,
)
from tests.servers.recorded_replies import ALL_SHAPES, Recorded
from tests.servers.scripted_chat_server import (
    DONE,
    HANGS_UP,
    MODEL,
    SILENT,
    Drop,
    Hold,
    Pause,
    RepeatForEver,
    ScriptedChatServer,
    ScriptedReply,
    delta,
    error,
    raw,
    scripted_server_thread,
    slow,
    text,
    usage,
)

KEY = "sk-secret-0123456789"
READ = ToolSpec("read", "Reads", {"type": "object"}, Effect.READS, "files", Phase.READING)
PLAIN = ModelRequest((Message(Role.USER, "hi"),))
WITH_TOOL = ModelRequest((Message(Role.USER, "hi"),), (READ,))
WITH_ALL = replace(WITH_TOOL, reply_schema={"type": "object"}, must_call=True, max_tokens=9)
FIRST = StreamLimits(first_payload_seconds=0.3, total_seconds=20)
BETWEEN = StreamLimits(between_payloads_seconds=0.2, total_seconds=20)
ENDING = StreamLimits(after_finish_seconds=0.2, after_done_seconds=0.1)
"""Each shortens one wait only, so that a loaded machine cannot run into another."""


def provider_for(base_url: str, **options: Any) -> OpenAIChatProvider:
    info = ModelInfo("test", MODEL, is_local=options.pop("is_local", True))
    known: dict[str, Any] = {"api_key": lambda: None, "info": info}
    return OpenAIChatProvider(base_url, MODEL, **known | options)


async def collect(
    provider: OpenAIChatProvider, request: ModelRequest = PLAIN
) -> tuple[list[ModelEvent], ModelError | None]:
    """What came before the end, and the error that ended it."""
    events: list[ModelEvent] = []
    try:
        async with aclosing(provider.stream(request)) as stream:
            async for event in stream:
                events.append(event)
    except ModelError as failure:
        return events, failure
    finally:
        await provider.aclose()
    return events, None


async def play(
    *script: ScriptedReply, request: ModelRequest = PLAIN, **options: Any
) -> tuple[list[ModelEvent], ModelError | None, ScriptedChatServer]:
    async with ScriptedChatServer(script) as server:
        events, failure = await collect(provider_for(server.base_url, **options), request)
    return events, failure, server


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.spec("PRV-5")
@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.name)
async def test_a_known_shape_means_the_same_over_a_real_connection(shape: Recorded) -> None:
    events, failure, _ = await play(raw(shape.body, cut=7))
    thoughts = [event.text for event in events if isinstance(event, ReasoningDelta)]
    calls = [event.call for event in events if isinstance(event, ToolCallReady)]
    assert said(events) == shape.text
    assert "".join(thoughts) == shape.reasoning
    assert tuple((c.name, c.arguments) for c in calls if not c.problem) == shape.calls
    assert type(failure) is (shape.failure or type(None))


@pytest.mark.spec("PRV-5")
@pytest.mark.parametrize(
    ("limits", "reply", "text_before"),
    [
        (FIRST, SILENT, ""),
        (FIRST, raw(RepeatForEver()), ""),
        (FIRST, raw(RepeatForEver(b"data: {}\n\n")), ""),
        (BETWEEN, raw(delta(content="x"), Hold()), "x"),
        (BETWEEN, raw(delta(content="x"), RepeatForEver()), "x"),
        (BETWEEN, raw(delta(content="x"), RepeatForEver(b":\n")), "x"),
    ],
)
async def test_signs_of_life_do_not_put_off_the_end(
    limits: StreamLimits, reply: ScriptedReply, text_before: str
) -> None:
    events, failure, _ = await play(reply, limits=limits)
    assert isinstance(failure, ModelTimeoutError)
    assert ("fell silent" if text_before else "did not begin") in failure.message
    assert said(events) == text_before


@pytest.mark.spec("PRV-5")
async def test_a_reply_that_never_ends_is_ended() -> None:
    limits = StreamLimits(total_seconds=0.3)
    events, failure, _ = await play(raw(RepeatForEver(delta(content="x"))), limits=limits)
    assert isinstance(failure, ModelTimeoutError)
    assert "took too long" in failure.message
    assert said(events).startswith("xx")


@pytest.mark.spec("PRV-5")
async def test_a_slow_server_is_waited_for_as_long_as_it_keeps_writing() -> None:
    limits = StreamLimits(first_payload_seconds=2, between_payloads_seconds=2)
    events, failure, _ = await play(slow(text("a", "b", "c"), 0.02), limits=limits)
    assert failure is None
    assert said(events) == "abc"


async def test_a_slow_reader_does_not_use_up_the_servers_time() -> None:
    async with ScriptedChatServer([text("a", "b")]) as server:
        provider = provider_for(server.base_url, limits=BETWEEN)
        kinds = []
        async for event in provider.stream(PLAIN):
            kinds.append(type(event))
            await asyncio.sleep(1.2 * BETWEEN.between_payloads_seconds)
        await provider.aclose()
    assert kinds == [TextDelta, TextDelta, Usage, Finished]


@pytest.mark.spec("PRV-5")
@pytest.mark.parametrize(
    "ending", [(Hold(),), (RepeatForEver(),), (DONE, Hold()), (usage(), DONE, Hold()), (Drop(),)]
)
async def test_a_finished_reply_is_whole_whatever_follows(ending: tuple[Any, ...]) -> None:
    events, failure, _ = await play(raw(delta(content="x"), delta("stop"), *ending), limits=ENDING)
    assert failure is None
    assert said(events) == "x"
    assert events[-1] == Finished(FinishReason.STOP)


@pytest.mark.spec("PRV-5")
async def test_a_dropped_connection_keeps_the_text_and_says_so() -> None:
    events, failure, _ = await play(raw(delta(content="half"), Pause(0.02), Drop()))
    assert said(events) == "half"
    assert isinstance(failure, ModelInterruptedError)
    assert "broke in the middle" in failure.message


@pytest.mark.spec("PRV-4")
async def test_a_server_that_hangs_up_is_told_apart() -> None:
    _, failure, _ = await play(HANGS_UP)
    assert isinstance(failure, ModelUnreachableError)
    assert "without an answer" in failure.message


@pytest.mark.spec("PRV-4")
async def test_nobody_at_the_address_is_told_apart() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: every connection is refused
        port = taken.getsockname()[1]
        _, failure = await collect(provider_for(f"http://127.0.0.1:{port}"))
    assert isinstance(failure, ModelUnreachableError)
    assert f"127.0.0.1:{port}" in failure.message


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(401, {"error": "no"}), ModelAuthenticationError),
        (error(429, {"error": "no"}, retry_after="3"), ModelRateLimitError),
        (error(503, {"error": {"message": "Loading model"}}), ModelLoadingError),
        (error(404, b"<html>not here</html>"), ModelProtocolError),
        (error(500, b"x" * 1_000_000), ModelUnavailableError),
        (ScriptedReply((b'{"error"', Drop()), status=400), ModelRefusedError),
        (ScriptedReply((RepeatForEver(b"x" * 9000),), status=400), ModelRefusedError),
    ],
)
async def test_a_refusal_is_told_apart(reply: ScriptedReply, kind: type[ModelError]) -> None:
    events, failure, server = await play(reply)
    assert events == []
    assert type(failure) is kind
    assert len(server.chats) == 1, "nothing is tried again"
    if isinstance(failure, ModelRateLimitError):
        assert failure.retry_after_seconds == 3


@pytest.mark.spec("PRV-6")
@pytest.mark.parametrize(
    "option",
    ["stream_options", "parallel_tool_calls", "tool_choice", "response_format", "max_tokens"],
)
async def test_an_option_that_the_server_does_not_know_is_left_out_from_then_on(
    option: str,
) -> None:
    refusal = error(400, {"error": {"message": f"Unknown field: {option}"}})
    async with ScriptedChatServer([refusal, text("a"), text("b")]) as server:
        provider = provider_for(server.base_url)
        for word in "ab":
            events = [event async for event in provider.stream(WITH_ALL)]
            assert said(events) == word
        await provider.aclose()
    first, second, third = (request.json() for request in server.chats)
    assert option in first
    assert option not in second
    assert first == second | {option: first[option]}
    assert third == second


@pytest.mark.spec("PRV-6")
async def test_a_server_that_names_one_option_after_the_other_gets_none_of_them() -> None:
    names = ("response_format", "tool_choice")
    refusals = [error(422, {"error": {"message": f"no {name} here"}}) for name in names]
    events, failure, server = await play(*refusals, text("x"), request=WITH_ALL)
    assert (said(events), failure) == ("x", None)
    assert not server.chats[-1].json().keys() & set(names)


async def test_a_refusal_that_names_an_option_that_was_not_sent_is_the_answer() -> None:
    refusal = error(400, {"error": {"message": "tool_choice is wrong"}})
    _, failure, server = await play(refusal, text("never"))
    assert isinstance(failure, ModelRefusedError)
    assert len(server.chats) == 1


async def test_the_second_refusal_is_the_answer() -> None:
    refusal = error(400, {"error": {"message": "Unknown field: stream_options"}})
    _, failure, server = await play(refusal, refusal, text("never"))
    assert isinstance(failure, ModelRefusedError)
    assert len(server.chats) == 2


@pytest.mark.spec("PRV-8")
async def test_a_redirect_is_not_followed_and_takes_no_key_along() -> None:
    async with ScriptedChatServer([text("stolen")]) as other:
        there = f"{other.base_url}/chat/completions"
        moved = ScriptedReply(status=307, headers={"Location": there})
        _, failure, _ = await play(moved, api_key=lambda: KEY)
        assert isinstance(failure, ModelProtocolError)
        assert other.requests == []


@pytest.mark.spec("PRV-8")
async def test_the_key_is_asked_for_each_time_and_sent_only_in_its_header() -> None:
    keys = iter(["sk-first-1234567", "sk-second-1234567\n", None])
    threads = []

    def next_key() -> str | None:
        threads.append(threading.current_thread())
        return next(keys)

    async with ScriptedChatServer([text("x")], repeats_last=True) as server:
        provider = provider_for(server.base_url, api_key=next_key)
        assert threads == []
        for _ in range(3):
            assert [event async for event in provider.stream(PLAIN)]
        await provider.aclose()
    sent = [request.headers.get("authorization") for request in server.chats]
    assert sent == ["Bearer sk-first-1234567", "Bearer sk-second-1234567", None]
    assert all(b"sk-" not in request.body + request.path.encode() for request in server.chats)
    # A keychain may ask the user, so it must not hold up the event loop.
    assert threading.main_thread() not in threads


@pytest.mark.spec("PRV-8")
@pytest.mark.parametrize(
    "reply",
    [
        text("fine"),
        error(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
        error(418, {"error": {"message": f"what is {KEY}"}}),
        HANGS_UP,
        SILENT,
        raw(delta(content="x"), Drop()),
        raw(f'data: {{"error": "{KEY}"}}\n\n'.encode()),
    ],
)
async def test_the_key_is_in_no_log_error_or_kept_object(
    reply: ScriptedReply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with ScriptedChatServer([reply]) as server:
        provider = provider_for(server.base_url, api_key=lambda: KEY, limits=FIRST)
        _, failure = await collect(provider)
    assert server.chats[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text
    assert KEY not in repr(vars(provider))
    while failure is not None:
        assert KEY not in "".join(traceback.format_exception(failure))
        assert KEY not in repr(vars(failure))
        assert not hasattr(failure, "request")
        failure = failure.__cause__ or failure.__context__  # type: ignore[assignment]


@pytest.mark.spec("PRV-8")
@pytest.mark.parametrize("host", ["192.168.1.9", "203.0.113.7", "models.test"])
async def test_a_key_is_never_sent_unencrypted_to_another_machine(host: str) -> None:
    _, failure = await collect(provider_for(f"http://{host}:8080", api_key=lambda: KEY))
    assert isinstance(failure, ModelAuthenticationError)
    assert "not encrypted" in failure.message
    assert KEY not in failure.sentence()


@pytest.mark.spec("PRV-8")
@pytest.mark.parametrize("key", ["sk-a\nX-Evil: 1", "schlüssel", "sk\x00key"])
async def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(key: str) -> None:
    _, failure, server = await play(text("x"), api_key=lambda: key)
    assert isinstance(failure, ModelAuthenticationError)
    assert key not in failure.sentence()
    assert server.requests == []


@pytest.mark.spec("PRV-8")
async def test_a_locked_keychain_is_said_plainly() -> None:
    def locked() -> str:
        raise VaultLockedError("The keychain is locked.", advice="Unlock it.")

    _, failure, server = await play(text("x"), api_key=locked)
    assert isinstance(failure, ModelAuthenticationError)
    assert "The keychain is locked." in failure.message
    assert failure.advice == "Unlock it."
    assert server.requests == []


async def test_a_proxy_of_the_environment_sees_nothing_of_a_local_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ScriptedChatServer() as proxy:
        for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        events, failure, _ = await play(text("direct"))
        assert (said(events), failure) == ("direct", None)
        assert proxy.requests == []


@pytest.mark.spec("ENG-3")
async def test_leaving_or_cancelling_a_reply_hangs_up_at_once() -> None:
    endless = raw(RepeatForEver(delta(content="x")))
    async with ScriptedChatServer([endless, endless]) as server:
        provider = provider_for(server.base_url)
        async with aclosing(provider.stream(PLAIN)) as events:
            await anext(events)
        await asyncio.wait_for(server.departures.acquire(), 5)

        began = asyncio.Event()
        task = asyncio.create_task(_read(provider, began.set))
        await asyncio.wait_for(began.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.departures.acquire(), 5)
        await provider.aclose()


async def _read(provider: OpenAIChatProvider, on_event: Callable[[], None]) -> None:
    async with aclosing(provider.stream(PLAIN)) as events:
        async for _ in events:
            on_event()


async def test_several_calls_in_one_reply_are_offered_only_to_hosted_models() -> None:
    for is_local in (True, False):
        _, _, server = await play(text("x"), request=WITH_TOOL, is_local=is_local)
        assert server.chats[0].json()["parallel_tool_calls"] is not is_local


def test_a_wrong_address_is_refused_when_the_provider_is_made() -> None:
    with pytest.raises(CommandRefusedError):
        provider_for("not an address")


def test_the_scripted_server_also_runs_in_a_thread_of_its_own() -> None:
    with scripted_server_thread([text("hello")]) as server:
        events, failure = asyncio.run(collect(provider_for(server.base_url)))
    assert (said(events), failure) == ("hello", None)
