"""Which model answers for whom, and what is found out about it (PRV-2, PRV-9, ENG-8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ankita.config import ServerSettings, ToolMode, WireFormat
from ankita.engine.commands import (
    ChangeTeammate,
    CreateTeammate,
    CreateThread,
    DeclineServer,
    GivePassphrase,
    LookForServers,
    RemoveKey,
    RemoveTeammate,
    SendMessage,
    TryModel,
    UseBuiltInAssistant,
    UseServer,
)
from ankita.engine.events import OffersChanged
from ankita.engine.server_places import is_same_server, key_name_for
from ankita.engine.state import EngineState, ServerOffer, TeammateState
from ankita.engine.team import MIRA
from ankita.errors import CommandRefusedError, ModelUnreachableError
from ankita.ids import TeammateId, ThreadId
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.model_servers import FakeModels
from tests.fakes.models import Gate, ScriptedModelProvider, says

A, B = "http://127.0.0.1:1001/v1", "http://127.0.0.1:1002/v1"
KEY = "planted-9f8e7d6c5b4a-key-value"


def server(state: EngineState) -> ServerSettings:
    assert state.settings.server is not None
    return state.settings.server


def teammate(state: EngineState, teammate_id: TeammateId) -> TeammateState:
    return next(t for t in state.teammates if t.id == teammate_id)


async def dev(lab: EngineLab) -> TeammateId:
    return TeammateId(await lab.do(CreateTeammate("Dev", "blue")))


async def tried(lab: EngineLab, mode: ToolMode = ToolMode.NATIVE) -> None:
    await lab.until(lambda s: s.settings.server and s.settings.server.tool_mode is mode)


# the self-test


@pytest.mark.spec("PRV-9")
@pytest.mark.parametrize("mode", [ToolMode.NATIVE, ToolMode.JSON_ACTION, ToolMode.CHAT_ONLY])
async def test_what_the_self_test_finds_is_stored_told_and_kept(
    tmp_path: Path, mode: ToolMode
) -> None:
    models = FakeModels(modes={"m": mode}, contexts={"m": 8192})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "m"))
        await tried(lab, mode)
        assert server(lab.state).context_tokens == 8192
        await lab.until(lambda s: s.answering and s.answering.tool_mode is mode)
        assert lab.state.teammates[0].answering == lab.state.answering
    again = FakeModels()
    async with engine_lab(tmp_path, models=again.factory()) as lab:
        assert server(lab.state).tool_mode is mode
        await lab.do(CreateThread(MIRA.id))
    assert again.tried == []


@pytest.mark.spec("PRV-9")
async def test_the_self_test_keeps_nobody_waiting(tmp_path: Path) -> None:
    models = FakeModels({A: ScriptedModelProvider([says("Hello.")])}, gate=Gate())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "m"))
        assert models.gate is not None
        await models.gate.reached.wait()
        await lab.talk("hello")
        assert len(models.providers[A].requests) == 1
        assert server(lab.state).tool_mode is ToolMode.UNKNOWN
        models.gate.open()
        await tried(lab)


@pytest.mark.spec("PRV-9")
async def test_a_result_for_a_model_that_is_not_used_any_more_goes_nowhere(tmp_path: Path) -> None:
    models = FakeModels(modes={"old": ToolMode.CHAT_ONLY}, contexts={"old": 99}, gate=Gate())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "old"))
        assert models.gate is not None
        await models.gate.reached.wait()
        await lab.do(UseServer(A, "new"))
        models.gate.open()
        await tried(lab)
        assert (server(lab.state).model, server(lab.state).context_tokens) == ("new", None)


@pytest.mark.spec("PRV-9")
async def test_a_server_that_could_not_be_asked_is_tried_again_later(tmp_path: Path) -> None:
    models = FakeModels(modes={"m": ModelUnreachableError("Nothing answers.")})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "m"))
        with pytest.raises(ModelUnreachableError):
            await lab.do(TryModel())
        assert server(lab.state).tool_mode is ToolMode.UNKNOWN
        models.modes["m"] = ToolMode.JSON_ACTION
        assert await lab.do(TryModel()) is ToolMode.JSON_ACTION
        assert server(lab.state).tool_mode is ToolMode.JSON_ACTION
        models.modes["m"] = ModelUnreachableError("Nothing answers.")
        with pytest.raises(ModelUnreachableError):
            await lab.do(TryModel())
        assert server(lab.state).tool_mode is ToolMode.JSON_ACTION


@pytest.mark.spec("PRV-9")
async def test_an_untried_model_is_tried_at_the_next_start(tmp_path: Path) -> None:
    models = FakeModels(modes={"m": ModelUnreachableError("Nothing answers.")})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "m"))
    async with engine_lab(tmp_path, models=FakeModels().factory()) as lab:
        await tried(lab)


async def test_without_a_model_there_is_nothing_to_try(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, models=FakeModels().factory()) as lab:
        with pytest.raises(CommandRefusedError, match="no model"):
            await lab.do(TryModel())


async def test_the_wire_format_is_remembered_and_shown_addresses_fit_it(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, models=FakeModels().factory()) as lab:
        await lab.do(UseServer(A, "m", wire=WireFormat.ANTHROPIC))
        await tried(lab)
        assert server(lab.state).wire is WireFormat.ANTHROPIC
    stored = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    assert stored["server"]["wire"] == "anthropic"


# one connection a place and key


@pytest.mark.spec("ENG-8")
async def test_teammates_on_one_server_share_its_connection(tmp_path: Path) -> None:
    models = FakeModels({A: ScriptedModelProvider([says("One."), says("Two.")])})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        other = await dev(lab)
        await lab.do(UseServer(A, "m"))
        await lab.do(UseServer(A, "m", teammate_id=other))
        await tried(lab)
        await lab.talk("hello")
        await lab.talk("hello", ThreadId(await lab.do(CreateThread(other))))
    assert len(models.made) == 1
    assert models.providers[A].is_closed


@pytest.mark.spec("PRV-2")
async def test_a_connection_closes_when_nobody_uses_it_but_not_under_a_reply(
    tmp_path: Path,
) -> None:
    gate = Gate()
    models = FakeModels({A: ScriptedModelProvider([[gate, *says("Late.")]])})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(UseServer(A, "m"))
        await tried(lab)
        thread = await lab.send("hello")
        await gate.reached.wait()
        await lab.do(UseBuiltInAssistant())
        assert not models.providers[A].is_closed
        gate.open()
        await lab.finished(thread)
        assert models.providers[A].is_closed


@pytest.mark.spec("ENG-8")
async def test_a_teammate_has_its_own_model_or_the_one_of_the_settings(tmp_path: Path) -> None:
    models = FakeModels()
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        other = await dev(lab)
        await lab.do(UseServer(A, "everyones"))
        await lab.do(UseServer(B, "devs", teammate_id=other))
        await lab.until(lambda s: teammate(s, other).server)
        labels = [t.answering.label for t in lab.state.teammates if t.answering]
        assert labels == ["everyones · local", "devs · local"]
        assert lab.state.answering is not None
        assert lab.state.answering.model == "everyones"
        assert await lab.do(TryModel(other)) is ToolMode.NATIVE
        assert models.tried[-1] == "devs"
        assert teammate(lab.state, other).server is not None
    async with engine_lab(tmp_path, models=FakeModels().factory()) as lab:
        own = teammate(lab.state, other).server
        assert own is not None
        assert (own.model, own.tool_mode) == ("devs", ToolMode.NATIVE)
        await lab.do(UseBuiltInAssistant(other))
        assert teammate(lab.state, other).server is None
        assert teammate(lab.state, other).answering == lab.state.answering


@pytest.mark.spec("ENG-8")
async def test_two_teammates_on_two_servers_answer_at_the_same_time(tmp_path: Path) -> None:
    gates = {A: Gate(), B: Gate()}
    models = FakeModels(
        {at: ScriptedModelProvider([[gate, *says(f"From {at}.")]]) for at, gate in gates.items()}
    )
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        other = await dev(lab)
        await lab.do(UseServer(A, "m"))
        await lab.do(UseServer(B, "m", teammate_id=other))
        mine = await lab.thread()
        its = ThreadId(await lab.do(CreateThread(other)))
        await lab.do(SendMessage(mine, "hello"))
        await lab.do(SendMessage(its, "hello"))
        for gate in gates.values():
            await gate.reached.wait()
        for gate in gates.values():
            gate.open()
        assert f"From {A}." in repr((await lab.finished(mine))[-1])
        assert f"From {B}." in repr((await lab.finished(its))[-1])


async def test_changing_a_teammate_keeps_what_is_known_of_its_model(tmp_path: Path) -> None:
    models = FakeModels(modes={"m": ToolMode.JSON_ACTION}, contexts={"m": 4096})
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        other = await dev(lab)
        await lab.do(UseServer(A, "m", teammate_id=other))
        await lab.do(TryModel(other))
        known = teammate(lab.state, other).server
        await lab.do(ChangeTeammate(other, "Dev", "amber", "", ServerSettings(A, "m")))
        assert teammate(lab.state, other).server == known
        assert models.tried == ["m"]


# keys


@pytest.mark.spec("PRV-8")
async def test_a_shared_key_is_deleted_only_when_nobody_uses_it(tmp_path: Path) -> None:
    models = FakeModels()
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(GivePassphrase("a long enough passphrase"))
        other = await dev(lab)
        await lab.do(UseServer(A, "m", KEY))
        await tried(lab)
        await lab.do(UseServer(A, "m", teammate_id=other))
        assert teammate(lab.state, other).server == server(lab.state)
        await lab.do(RemoveKey())
        assert server(lab.state).key_name == ""
        models.providers[A].add(says("Hello."))
        await lab.talk("hello", ThreadId(await lab.do(CreateThread(other))))
        assert models.made[-1][1] == KEY
        vault = tmp_path / "vault-passphrase.json"
        with_key = vault.read_text(encoding="utf-8")
        await lab.do(RemoveTeammate(other))
        assert len(vault.read_text(encoding="utf-8")) < len(with_key)


@pytest.mark.spec("PRV-8")
async def test_a_key_is_never_taken_to_another_address(tmp_path: Path) -> None:
    models = FakeModels()
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(GivePassphrase("a long enough passphrase"))
        other = await dev(lab)
        await lab.do(UseServer(A, "m", KEY))
        elsewhere = ServerSettings(B, "m", key_name=key_name_for(A))
        await lab.do(ChangeTeammate(other, "Dev", "blue", "", elsewhere))
        own = teammate(lab.state, other).server
        assert own is not None
        assert own.key_name == ""
        with pytest.raises(CommandRefusedError):
            await lab.do(CreateTeammate("X", "mint", "", ServerSettings("ftp://x", "m")))


# offers

OLLAMA = ServerOffer("http://127.0.0.1:11434", "Ollama")
OTHER = ServerOffer("http://127.0.0.1:1234", "LM Studio")


@pytest.mark.spec("PRV-2")
async def test_the_first_start_looks_and_offers_and_asks_nothing_of_models(tmp_path: Path) -> None:
    models = FakeModels(found=[OLLAMA])
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.until(lambda s: s.offers == (OLLAMA,))
        told = [e for e in lab.events if isinstance(e, OffersChanged)]
        assert [(e.is_looking, len(e.offers)) for e in told] == [(True, 0), (False, 1)]
        assert lab.state.answering is not None
        assert lab.state.answering.is_built_in
    assert (models.made, models.tried) == ([], [])
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(CreateThread(MIRA.id))
        assert lab.state.offers == ()
        assert await lab.do(LookForServers()) == 1
    assert models.looks == 2


@pytest.mark.spec("PRV-2")
async def test_with_a_server_of_the_users_nothing_is_looked_for(tmp_path: Path) -> None:
    settings = {"version": 1, "server": {"base_url": A, "model": "m", "tool_mode": "native"}}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    models = FakeModels(found=[OLLAMA])
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(CreateThread(MIRA.id))
    assert models.looks == 0


@pytest.mark.spec("PRV-2")
async def test_declined_and_used_servers_are_not_offered(tmp_path: Path) -> None:
    models = FakeModels(found=[OLLAMA, OTHER])
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.until(lambda s: s.offers == (OLLAMA, OTHER))
        await lab.do(DeclineServer(OTHER.base_url))
        assert lab.state.offers == (OLLAMA,)
        await lab.do(UseServer("http://localhost:11434/v1", "m"))
        assert lab.state.offers == ()
        await lab.do(UseBuiltInAssistant())
        assert lab.state.offers == (OLLAMA,)
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        assert await lab.do(LookForServers()) == 1
        assert lab.state.offers == (OLLAMA,)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("http://127.0.0.1:11434", "http://localhost:11434/v1/", True),
        ("http://127.0.0.1:80", "http://127.0.0.1", True),
        ("http://127.0.0.1:1", "http://127.0.0.1:2", False),
        ("http://127.0.0.1:1/engines/v1", "http://127.0.0.1:1", False),
        ("http://127.0.0.1:99999", "http://127.0.0.1:99999/", True),
        ("https://a.example", "https://b.example", False),
    ],
)
def test_when_two_addresses_are_one_server(one: str, other: str, is_same: bool) -> None:
    assert is_same_server(one, other) is is_same
