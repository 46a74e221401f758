"""What an accepted server says about its model."""

from __future__ import annotations

import json

import pytest

from ankita.errors import (
    CommandRefusedError,
    ModelAuthenticationError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from ankita.integrations.models.model_metadata import ModelAbilities, describe_model
from tests.servers import model_lists
from tests.servers.crowded_ports import free_port
from tests.servers.http_answers import HttpAnswers, Listener, Manner, Reply
from tests.servers.llama_server import LlamaServer

pytestmark = pytest.mark.spec("PRV-3")

SHOWN = {
    "capabilities": ["completion", "tools", "vision"],
    "model_info": {"llama.context_length": 131_072},
}


async def described(answers: model_lists.Answers, model: str, key: str = "") -> ModelAbilities:
    async with HttpAnswers(answers) as server:
        found = await describe_model(server.base_url, model, key or None, timeout_seconds=20)
        if key:
            assert {asked.headers["authorization"] for asked in server.requests} == {
                f"Bearer {key}"
            }
        return found


async def test_ollama_tells_abilities_and_the_window_in_use_not_the_largest() -> None:
    answers = model_lists.OLLAMA | {"/api/show": SHOWN}
    assert await described(answers, "llama3.1:8b") == ModelAbilities(8192, True, True)
    idle = answers | {"/api/ps": {"models": []}}
    assert await described(idle, "llama3.1:8b") == ModelAbilities(None, True, True)
    fixed = idle | {"/api/show": SHOWN | {"parameters": "stop  x\nnum_ctx    4096"}}
    assert await described(fixed, "llama3.1:8b") == ModelAbilities(4096, True, True)


async def test_ollama_is_asked_about_this_model() -> None:
    async with HttpAnswers(model_lists.OLLAMA | {"/api/show": SHOWN}) as server:
        await describe_model(server.base_url, "llama3.1:8b", None, timeout_seconds=20)
        (shown,) = (asked for asked in server.requests if asked.path == "/api/show")
    assert (shown.method, json.loads(shown.body)) == ("POST", {"model": "llama3.1:8b"})


@pytest.mark.parametrize(
    ("answers", "model", "told"),
    [
        (model_lists.LM_STUDIO, "qwen3-vl", ModelAbilities(16_000, True, True)),
        (model_lists.LM_STUDIO_FORMER, "phi", ModelAbilities(4096, False, False)),
        (model_lists.VLLM, "org/model", ModelAbilities(32_768)),
        (model_lists.GATEWAY, "vendor/free", ModelAbilities(128_000, True, True)),
        (model_lists.UNNAMED, "some-model", ModelAbilities()),
        ({}, "gpt-4-vision-tools-128k", ModelAbilities()),
    ],
    ids=["LM Studio", "LM Studio before", "vLLM", "gateway", "says nothing", "has no list"],
)
async def test_only_what_is_advertised_is_known(
    answers: model_lists.Answers, model: str, told: ModelAbilities
) -> None:
    assert await described(answers, model, key="sk-0123456789") == told


async def test_a_figure_that_is_none_is_not_believed() -> None:
    for figure in (0, -1, True, "8192", 10**12, None):
        row = {"id": "m", "owned_by": "vllm", "max_model_len": figure}
        assert (
            await described({"/v1/models": model_lists.listed(row)}, "m")
        ).context_tokens is None


async def test_a_server_that_cannot_be_asked_raises() -> None:
    with pytest.raises(ModelUnreachableError):
        await describe_model(f"http://127.0.0.1:{free_port()}/v1", "m", None)
    with pytest.raises(CommandRefusedError):
        await describe_model("not an address", "m", None)
    refused = Reply({"error": {"message": "Invalid API Key", "code": 401}}, 401)
    with pytest.raises(ModelAuthenticationError):
        await described({"/v1/models": refused}, "m")
    async with Listener(Manner.HANGS) as silent:
        address = f"http://127.0.0.1:{silent.port}"
        with pytest.raises(ModelTimeoutError):
            await describe_model(address, "m", None, timeout_seconds=0.1)


@pytest.mark.engine
async def test_the_real_llama_cpp_server_describes_its_model(
    llama_server: LlamaServer,
) -> None:
    told = await describe_model(llama_server.base_url, llama_server.model, None)
    assert told == ModelAbilities(16_384, True, False)
