"""The Test button tells a missing, slow, wrong and locked server apart."""

from __future__ import annotations

import socket

import pytest

from ankita.config import WireFormat
from ankita.integrations.models.server_check import ServerState, check
from tests.servers.scripted_chat_server import (
    HANGS_UP,
    JSON,
    SILENT,
    RepeatForEver,
    ScriptedChatServer,
    ScriptedReply,
    error,
    raw,
)

KEY = "sk-secret-0123456789"


def listing(body: bytes) -> ScriptedReply:
    return raw(body, content_type=JSON)


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    ("reply", "state", "words"),
    [
        (listing(b'{"data": [{"id": "a"}, {"id": "b"}]}'), ServerState.READY, "2 models"),
        (listing(b'[{"id": "a"}]'), ServerState.READY, "1 model."),
        (listing(b'{"object": "list", "data": null}'), ServerState.READY, "no model"),
        (listing(b'{"data": []}'), ServerState.READY, "no model"),
        (error(401, {"error": "no"}), ServerState.NEEDS_KEY, "wants a key"),
        (error(503, {"error": {"message": "Loading model"}}), ServerState.LOADING, "loading"),
        (error(429, {}), ServerState.BUSY, "no more requests"),
        (error(404, b"no"), ServerState.WRONG, "not as a model server"),
        (error(302, b""), ServerState.WRONG, "not as a model server"),
        (error(500, b"no"), ServerState.WRONG, "could not serve"),
        (listing(b"<html>a router</html>"), ServerState.WRONG, "not as a model server"),
        (listing(b'{"status": "live"}'), ServerState.WRONG, "not as a model server"),
        (listing(b'{"data": [1, 2]}'), ServerState.WRONG, "not as a model server"),
        (listing(b'{"error": "Unexpected endpoint or method. (GET /v1/models)"}'),
         ServerState.WRONG, "not as a model server"),
        (listing(b""), ServerState.WRONG, "not as a model server"),
        (HANGS_UP, ServerState.GONE, "without an answer"),
    ],
)  # fmt: skip
async def test_an_answer_is_told_apart(
    reply: ScriptedReply, state: ServerState, words: str
) -> None:
    async with ScriptedChatServer(models_reply=reply) as server:
        found = await check(server.base_url, lambda: None)
    assert found.state is state
    assert words in found.sentence
    assert bool(found.models) is (state is ServerState.READY and words != "no model")
    assert found.is_local


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    "reply", [SILENT, raw(RepeatForEver(b" ")), raw(b"[", RepeatForEver(b" "))]
)
async def test_a_server_that_takes_too_long_is_slow(reply: ScriptedReply) -> None:
    async with ScriptedChatServer(models_reply=reply) as server:
        found = await check(server.base_url, lambda: None, timeout_seconds=0.2)
    assert found.state is ServerState.SLOW
    assert "0.2 seconds" in found.sentence


@pytest.mark.spec("PRV-4")
async def test_nobody_at_the_address_is_gone() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = await check(f"http://127.0.0.1:{taken.getsockname()[1]}", lambda: None)
    assert found.state is ServerState.GONE


async def test_a_wrong_address_is_said_without_asking_anyone() -> None:
    found = await check("localhost:8080", lambda: None)
    assert found.state is ServerState.WRONG
    assert "http://" in found.sentence


@pytest.mark.spec("PRV-8")
async def test_the_key_goes_along_and_comes_back_in_no_sentence() -> None:
    reply = error(401, {"error": {"message": f"wrong key {KEY}"}})
    async with ScriptedChatServer(models_reply=reply) as server:
        found = await check(server.base_url, lambda: KEY)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert found.state is ServerState.NEEDS_KEY
    assert KEY not in repr(found)


@pytest.mark.spec("PRV-8")
async def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    found = await check("http://192.168.1.9:8080", lambda: KEY)
    assert found.state is ServerState.NEEDS_KEY
    assert "not encrypted" in found.sentence
    assert not found.is_local


async def test_the_full_address_comes_back_so_that_it_can_be_stored() -> None:
    async with ScriptedChatServer() as server:
        found = await check(server.base_url.removesuffix("/v1") + "/", lambda: None)
    assert found.base_url == server.base_url


@pytest.mark.spec("PRV-8")
async def test_a_server_of_anthropics_format_is_asked_in_its_own_way() -> None:
    body = b'{"data": [{"type": "model", "id": "a"}, {"id": "b"}], "has_more": false}'
    async with ScriptedChatServer(models_reply=listing(body)) as server:
        there = server.base_url.removesuffix("/v1") + "/anthropic"
        found = await check(there, lambda: KEY, wire=WireFormat.ANTHROPIC)
    (asked,) = server.requests
    assert asked.path.partition("?")[0] == "/anthropic/v1/models"
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in asked.headers
    assert (found.state, found.models) == (ServerState.READY, ("a", "b"))
    assert found.base_url.endswith("/anthropic/v1")


@pytest.mark.spec("PRV-4")
async def test_a_refusal_in_anthropics_format_is_told_apart() -> None:
    refusal = {"type": "error", "error": {"type": "authentication_error", "message": "x-api-key"}}
    async with ScriptedChatServer(models_reply=error(401, refusal)) as server:
        found = await check(server.base_url, lambda: None, wire=WireFormat.ANTHROPIC)
    assert found.state is ServerState.NEEDS_KEY


@pytest.mark.spec("PRV-3")
async def test_what_must_be_paid_is_left_out_without_a_key() -> None:
    rows = b'{"data": [{"id": "free", "isFree": true}, {"id": "paid", "isFree": false}]}'
    async with ScriptedChatServer(models_reply=listing(rows)) as server:
        keyless = await check(server.base_url, lambda: None)
        with_key = await check(server.base_url, lambda: KEY)
    assert keyless.models == ("free",)
    assert with_key.models == ("free", "paid")
