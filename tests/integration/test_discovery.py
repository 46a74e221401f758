"""Model servers of this machine are found by what they answer, and asked nothing else."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from ankita.integrations.models.discovery import (
    DEFAULT_PORTS,
    FoundModel,
    find_servers,
    offered,
    usual_ports,
)
from ankita.integrations.models.listener_owner import Listener as Account
from ankita.integrations.models.listener_owner import Owner
from ankita.integrations.models.server_kinds import FoundServer
from tests.servers import model_lists
from tests.servers.crowded_ports import crowded_ports, free_port
from tests.servers.http_answers import HttpAnswers, Listener, Manner, Reply
from tests.servers.llama_server import LlamaServer

pytestmark = pytest.mark.spec("PRV-2")

PATIENT = 20.0
"""For listeners that answer; a busy machine must not fail a test."""


async def found_at(answers: model_lists.Answers) -> FoundServer | None:
    async with HttpAnswers(answers) as server:
        found = await find_servers(ports=(server.port,), timeout_seconds=PATIENT)
        assert all(asked.method == "GET" and not asked.body for asked in server.requests)
        assert not any("authorization" in asked.headers for asked in server.requests)
        return found[0] if found else None


@pytest.mark.parametrize("kind", model_lists.KINDS)
async def test_each_kind_is_known_by_its_answer(kind: str) -> None:
    answers, model = model_lists.KINDS[kind]
    found = await found_at(answers)
    assert found is not None
    assert (found.kind, found.needs_key, found.note) == (kind, False, "")
    assert found.models[0].name == model
    path = "/engines/v1" if kind == "Docker Model Runner" else "/v1"
    assert found.base_url.startswith("http://127.0.0.1:")
    assert found.base_url.endswith(path)


@pytest.mark.parametrize("what", model_lists.NO_MODEL_SERVER)
async def test_what_is_no_model_server_is_not_offered(what: str) -> None:
    assert await found_at(model_lists.NO_MODEL_SERVER[what]) is None


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        (model_lists.JAN, "Jan"),
        (model_lists.LM_STUDIO_GUARDED, "LM Studio"),
        (model_lists.VLLM_GUARDED, "vLLM"),
    ],
    ids=["Jan", "LM Studio", "vLLM"],
)
async def test_a_server_that_wants_a_key_is_offered_as_such(
    answers: model_lists.Answers, kind: str
) -> None:
    found = await found_at(answers)
    assert found is not None
    assert (found.kind, found.needs_key, found.note) == (kind, True, "It wants a key.")


async def test_a_server_that_loads_and_one_without_a_model_say_so() -> None:
    loading = await found_at(model_lists.LLAMA_CPP_LOADING)
    empty = await found_at(model_lists.OLLAMA_EMPTY)
    assert loading is not None
    assert (loading.kind, loading.note) == ("llama.cpp", "It is still loading its model.")
    assert empty is not None
    assert (empty.kind, empty.note) == ("Ollama", "It has no model yet.")


@pytest.mark.spec("PRV-3")
async def test_abilities_come_from_what_is_advertised_and_vectors_are_left_out() -> None:
    ollama = await found_at(model_lists.OLLAMA)
    studio = await found_at(model_lists.LM_STUDIO)
    former = await found_at(model_lists.LM_STUDIO_FORMER)
    assert ollama is not None
    assert ollama.models == (FoundModel("llama3.1:8b", 8192, None, None),)
    assert studio is not None
    assert studio.models == (FoundModel("qwen3-vl", 16_000, True, True),)
    assert former is not None
    assert former.kind == "LM Studio"
    assert former.models == (FoundModel("phi", 4096, False, False),)


@pytest.mark.spec("PRV-3")
async def test_what_needs_payment_or_an_account_is_left_out() -> None:
    found = await found_at(model_lists.GATEWAY)
    assert found is not None
    assert found.models == (FoundModel("vendor/free", 128_000, True, True),)


async def test_a_redirect_is_not_followed() -> None:
    async with HttpAnswers(model_lists.UNNAMED) as other:
        to_other = Reply(b"", 307, {"Location": f"{other.base_url}/models"})
        async with HttpAnswers({"/v1/models": to_other}) as first:
            ports = (first.port,)
            assert await find_servers(ports=ports, timeout_seconds=PATIENT) == ()
        assert other.requests == []


async def test_no_proxy_gets_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async with HttpAnswers({}) as proxy, HttpAnswers(model_lists.UNNAMED) as server:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        (found,) = await find_servers(ports=(server.port,), timeout_seconds=PATIENT)
        assert found.base_url == server.base_url
        assert proxy.requests == []


async def test_bad_neighbours_hide_nobody() -> None:
    async with crowded_ports() as ports:
        assert len(ports) == len(DEFAULT_PORTS) == 10
        found = await find_servers(ports=ports, timeout_seconds=2.0)
        assert [server.kind for server in found] == ["Ollama", "LM Studio"]


@pytest.mark.parametrize("manner", Manner)
async def test_a_listener_that_does_not_answer_is_left_after_the_time(manner: Manner) -> None:
    async with Listener(manner) as listener:
        looking = asyncio.create_task(find_servers(ports=(listener.port,), timeout_seconds=0.2))
        await listener.was_met.wait()
        assert await looking == ()


async def test_a_late_detail_does_not_hide_a_server() -> None:
    slow = dict(model_lists.UNNAMED)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(HttpAnswers(slow | {"/api/tags": HOLD}))
        (found,) = await find_servers(ports=(server.port,), timeout_seconds=0.5)
        assert found.models[0].name == "some-model"


async def test_an_answer_that_is_far_too_long_is_not_read() -> None:
    rows = ({"id": "m", "owned_by": "me", "about": "x" * 1000} for _ in range(2000))
    assert await found_at({"/v1/models": model_lists.listed(*rows)}) is None


async def test_nobody_there_and_the_same_port_twice() -> None:
    assert await find_servers(ports=(free_port(),)) == ()
    async with HttpAnswers(model_lists.UNNAMED) as server:
        ports = (server.port, server.port)
        assert len(await find_servers(ports=ports, timeout_seconds=PATIENT)) == 1


def test_whose_server_it_is_is_said_or_keeps_it_out() -> None:
    server = FoundServer("http://127.0.0.1:1/v1", "Ollama", note="It has no model yet.")
    assert offered(server, None) == server
    assert offered(server, Account(Owner.OURS)) == server
    assert offered(server, Account(Owner.STRANGER, "eve")) is None
    service = offered(server, Account(Owner.SYSTEM, "ollama"))
    assert service is not None
    assert service.note == "It has no model yet. It runs under the account ollama."


@pytest.mark.engine
async def test_the_real_llama_cpp_server_is_found(llama_server: LlamaServer) -> None:
    port = int(llama_server.base_url.split(":")[2].removesuffix("/v1"))
    (found,) = await find_servers(ports=(port,), timeout_seconds=PATIENT)
    assert found.base_url == llama_server.base_url
    assert found.kind == "llama.cpp"
    assert found.models == (FoundModel(llama_server.model, 16_384, True, False),)


HOLD = Reply(b"", headers={"Content-Length": "100"})
"""Promises more than it sends."""


@pytest.mark.parametrize(
    ("place", "port"),
    [
        ("127.0.0.1:18434", 18434),
        ("http://localhost:18434", 18434),
        ("0.0.0.0:18434", 18434),
        ("", None),
        ("192.168.1.9:18434", None),
        ("127.0.0.1:port", None),
        ("example.org", None),
    ],
)
def test_ollama_is_looked_for_where_the_user_moved_it_to(place: str, port: int | None) -> None:
    ports = usual_ports({"OLLAMA_HOST": place})
    assert ports == ((port, *DEFAULT_PORTS) if port else DEFAULT_PORTS)
