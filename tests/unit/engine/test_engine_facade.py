"""The facade: commands before, while and after the engine lives (APP-1, ENG-5)."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from ankita.app import make_engine
from ankita.composition import Wanted
from ankita.engine import CreateThread, Engine, EngineState, NumberedEvent, SendMessage
from ankita.engine.event_bus import EventBus
from ankita.engine.team import MIRA
from ankita.errors import CommandRefusedError, ProfileError, ProfileInUseError
from ankita.paths import ProfilePaths
from tests.engine_lab import answering_with
from tests.fakes.models import Gate, ScriptedModelProvider, says

SECONDS = 20.0


def made(folder: Path, model: ScriptedModelProvider | None = None) -> Engine:
    wanted = Wanted(models=answering_with(model or ScriptedModelProvider()))
    return make_engine(ProfilePaths(folder), wanted)


@pytest.mark.spec("APP-1")
def test_commands_given_before_it_is_ready_are_carried_out(tmp_path: Path) -> None:
    engine = made(tmp_path)
    engine.start()
    thread = engine.submit(CreateThread(MIRA.id)).result(SECONDS)
    assert thread in engine.state.threads
    assert engine.stop(SECONDS)


@pytest.mark.spec("ENG-5")
def test_a_subscriber_from_the_start_follows_every_number(tmp_path: Path) -> None:
    engine = made(tmp_path, ScriptedModelProvider([says("Hi.")]))
    numbers: list[int] = []

    def hear(event: NumberedEvent) -> None:
        numbers.append(event.sequence)

    state, _ = engine.subscribe(hear)
    engine.start()
    thread = engine.submit(CreateThread(MIRA.id)).result(SECONDS)
    engine.submit(SendMessage(thread, "hello")).result(SECONDS)
    engine.stop(SECONDS)
    assert numbers == list(range(state.sequence + 1, engine.state.sequence + 1))


def test_stop_in_the_middle_of_a_reply_ends_the_thread(tmp_path: Path) -> None:
    engine = made(tmp_path, ScriptedModelProvider([[Gate()]]))
    engine.start()
    thread = engine.submit(CreateThread(MIRA.id)).result(SECONDS)
    engine.submit(SendMessage(thread, "hello")).result(SECONDS)
    assert engine.stop(SECONDS)
    assert "engine" not in {t.name for t in threading.enumerate()}
    late: Future[Any] = engine.submit(CreateThread(MIRA.id))
    assert isinstance(late.exception(SECONDS), CommandRefusedError)


def test_a_stopped_engine_lets_the_next_one_have_the_profile(tmp_path: Path) -> None:
    for _ in range(2):
        engine = made(tmp_path)
        engine.start()
        engine.ready.result(SECONDS)
        assert engine.stop(SECONDS)


def test_an_engine_that_cannot_be_built_says_why_and_refuses_commands(tmp_path: Path) -> None:
    first, second = made(tmp_path), made(tmp_path)
    first.start()
    first.ready.result(SECONDS)
    second.start()
    with pytest.raises(ProfileInUseError):
        second.ready.result(SECONDS)
    refusal = second.submit(CreateThread(MIRA.id)).exception(SECONDS)
    assert isinstance(refusal, CommandRefusedError)
    assert "already running" in str(refusal)
    assert any("already running" in notice.text for notice in second.state.notices)
    assert second.stop(SECONDS)
    assert first.stop(SECONDS)


def test_a_profile_that_is_a_file_is_said_and_left_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "profile"
    blocked.write_text("mine", encoding="utf-8")
    engine = made(blocked)
    engine.start()
    with pytest.raises(ProfileError):
        engine.ready.result(SECONDS)
    assert engine.stop(SECONDS)
    assert blocked.read_text(encoding="utf-8") == "mine"


def test_a_bug_while_building_is_told_without_its_details(tmp_path: Path) -> None:
    async def build(_bus: EventBus) -> Any:
        raise KeyError("internal words")

    engine = Engine(build, EngineState())
    engine.start()
    with pytest.raises(KeyError):
        engine.ready.result(SECONDS)
    (notice,) = engine.state.notices
    assert "internal words" not in notice.text
    assert engine.stop(SECONDS)
    del tmp_path
