"""From an empty profile to an answer of a real model server that was found (PRV-2, PRV-9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ankita.config import ToolMode
from ankita.engine.commands import CreateTeammate, CreateThread, UseModelFile, UseServer
from ankita.engine.providers import REAL_MODELS
from ankita.engine.state import EngineState
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, ThreadId
from ankita.memory.transcript import CallStatus, ReplyItem
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.fakes.tools import FakeToolProvider, make_spec
from tests.servers.llama_server import LlamaServer
from tests.servers.recording_proxy import RecordingProxy
from tests.servers.scripted_chat_server import (
    RecordedRequest,
    ScriptedChatServer,
    ScriptedReply,
    error,
    text,
)
from tests.servers.tiny_model import GREETING

LOOK_UP = make_spec("look_up", text={"type": "string"})


def mode_of(state: EngineState) -> ToolMode:
    return state.settings.server.tool_mode if state.settings.server else ToolMode.UNKNOWN


async def tried(lab: EngineLab) -> ToolMode:
    return mode_of(await lab.until(lambda s: mode_of(s) is not ToolMode.UNKNOWN))


@pytest.mark.engine
@pytest.mark.spec("PRV-2", "PRV-3", "PRV-9")
async def test_a_real_server_is_found_accepted_tried_and_answers(
    tmp_path: Path,
    llama_server: LlamaServer,
) -> None:
    async with RecordingProxy(llama_server.base_url) as proxy:
        async with engine_lab(tmp_path, models=REAL_MODELS, look_at=(proxy.port,)) as lab:
            (offer,) = (await lab.until(lambda s: s.offers)).offers
            assert "llama.cpp" in offer.kind
            assert lab.state.answering is not None
            assert lab.state.answering.is_built_in
            assert proxy.methods == {"GET"}
            await lab.do(UseServer(offer.base_url, offer.models[0].name))
            assert lab.state.offers == ()
            assert await tried(lab) is ToolMode.NATIVE
            await lab.until(lambda s: s.answering and s.answering.context_tokens)
            assert lab.state.settings.server is not None
            assert lab.state.settings.server.context_tokens == 16_384
            reply = (await lab.talk("hello"))[-1]
            assert isinstance(reply, ReplyItem)
            assert GREETING in reply.text
        async with engine_lab(tmp_path, models=REAL_MODELS, look_at=()) as lab:
            assert mode_of(lab.state) is ToolMode.NATIVE


def without_tools(request: RecordedRequest) -> ScriptedReply:
    """A server that knows no tools, and whose replies can be held to a schema."""
    body = request.json()
    if body.get("tools"):
        return error(400, {"error": {"message": "this model does not support tools"}})
    if "response_format" not in body:
        return text("Hello.")
    schema = body["response_format"]["json_schema"]["schema"]
    has_result = "look_up done" in json.dumps(body["messages"])
    wanted = actions_of(schema)
    if "report_number" in wanted:
        return text('{"tool": "report_number", "arguments": {"value": 7}}')
    if "look_up" in wanted and not has_result:
        return text('{"tool": "look_up", ', '"arguments": {"text": "x"}}')
    return text('{"tool": "none", "reply": "It is ', 'done."}')


def actions_of(schema: Any) -> set[str]:
    """Every text constant in a schema."""
    if isinstance(schema, dict):
        own = {schema["const"]} if isinstance(schema.get("const"), str) else set()
        own |= {each for each in schema.get("enum", ()) if isinstance(each, str)}
        return own.union(*map(actions_of, schema.values()))
    return set().union(*map(actions_of, schema)) if isinstance(schema, list) else set()


@pytest.mark.spec("PRV-9")
async def test_a_server_without_tools_acts_by_json(tmp_path: Path) -> None:
    tools = FakeToolProvider([LOOK_UP])
    async with (
        ScriptedChatServer(without_tools) as server,
        engine_lab(tmp_path, models=REAL_MODELS, tools=[tools]) as lab,
    ):
        await lab.do(UseServer(server.base_url, "scripted-model"))
        assert await tried(lab) is ToolMode.JSON_ACTION
        items = await lab.talk("look it up")
        assert [call.status for call in tool_items(items)] == [CallStatus.OK]
        assert [(c.name, dict(c.arguments)) for c in tools.calls] == [("look_up", {"text": "x"})]
        assert isinstance(items[-1], ReplyItem)
        assert items[-1].text == "It is done."
        asked_before = len(server.chats)
        await lab.talk("again")
        assert not any("tools" in chat.json() for chat in server.chats[asked_before:])


@pytest.mark.engine
@pytest.mark.spec("PRV-9")
async def test_a_picked_model_file_is_run_tried_and_answers(
    tmp_path: Path,
    tiny_model_file: Path,
) -> None:
    pytest.importorskip("xllamacpp")
    async with engine_lab(tmp_path, models=REAL_MODELS) as lab:
        await lab.do(UseModelFile(str(tiny_model_file)))
        assert await tried(lab) is ToolMode.NATIVE
        assert lab.state.answering is not None
        assert lab.state.answering.is_local
        assert GREETING in repr((await lab.talk("hello"))[-1])
        with pytest.raises(CommandRefusedError):
            await lab.do(UseModelFile(str(tmp_path / "settings.json")))


@pytest.mark.engine
@pytest.mark.spec("ENG-8", "PRV-9")
async def test_two_teammates_use_two_real_servers(
    tmp_path: Path,
    llama_server: LlamaServer,
) -> None:
    async with (
        ScriptedChatServer(without_tools) as plain,
        engine_lab(tmp_path, models=REAL_MODELS) as lab,
    ):
        dev = TeammateId(await lab.do(CreateTeammate("Dev", "blue")))
        await lab.do(UseServer(llama_server.base_url, llama_server.model))
        await lab.do(UseServer(plain.base_url, "scripted-model", teammate_id=dev))
        await tried(lab)
        await lab.until(lambda s: s.teammates[1].answering.tool_mode is ToolMode.JSON_ACTION)
        mine = await lab.send("hello")
        its = await lab.send("hello", ThreadId(await lab.do(CreateThread(dev))))
        assert GREETING in repr((await lab.finished(mine))[-1])
        assert "It is done." in repr((await lab.finished(its))[-1])
