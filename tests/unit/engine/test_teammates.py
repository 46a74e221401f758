"""Who the teammates are: made, changed, removed, kept (ENG-8)."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from pathlib import Path

import pytest

from ankita.config import ServerSettings, ToolMode
from ankita.engine.commands import (
    ChangeTeammate,
    CreateTeammate,
    CreateThread,
    RemoveTeammate,
    SendMessage,
)
from ankita.engine.events import TeammateRemoved
from ankita.engine.limits import MAX_TEAMMATES
from ankita.engine.state import ThreadStatus
from ankita.engine.team import MIRA
from ankita.engine.teammate_rules import LOOKS, MAX_INSTRUCTIONS
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, ThreadId
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.models import Gate, ScriptedModelProvider, says

pytestmark = pytest.mark.spec("ENG-8")

KEY = "sk-proj-9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c"


async def dev(lab: EngineLab, name: str = "Dev", **more: str) -> TeammateId:
    return TeammateId(await lab.do(CreateTeammate(name, "blue", **more)))


def names(lab: EngineLab) -> list[str]:
    return [teammate.name for teammate in lab.state.teammates]


def stored(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / "ankita.db") as database:
        rows = database.execute("SELECT id, body FROM teammates ORDER BY position").fetchall()
    database.close()
    return rows


def store(folder: Path, statement: str, *values: str) -> None:
    with sqlite3.connect(folder / "ankita.db") as database:
        database.execute(statement, values)
    database.close()


async def test_a_new_profile_has_mira_and_keeps_her(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        assert [(t.id, t.name, t.look) for t in lab.state.teammates] == [
            (MIRA.id, MIRA.name, MIRA.look)
        ]
    async with engine_lab(tmp_path) as lab:
        assert names(lab) == ["Mira"]


async def test_teammates_are_there_after_a_restart_in_their_order(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        one = await dev(lab, "Zoe", instructions="Answer in French.")
        await dev(lab, "Ben")
        await lab.do(ChangeTeammate(one, "Zoë", "amber", "Answer in verse."))
    async with engine_lab(tmp_path) as lab:
        assert names(lab) == ["Mira", "Zoë", "Ben"]
        changed = lab.state.teammates[1]
        assert (changed.look, changed.instructions) == ("amber", "Answer in verse.")


async def test_there_are_at_most_four(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        for number in range(MAX_TEAMMATES - 1):
            await dev(lab, f"Number {number}")
        with pytest.raises(CommandRefusedError, match="already"):
            await dev(lab, "Too many")
        assert len(lab.state.teammates) == MAX_TEAMMATES
    assert len(stored(tmp_path)) == MAX_TEAMMATES


@pytest.mark.parametrize(
    "name",
    ["", "   ", "x" * 41, "MIRA", " mira ", "De\u202ev", "De\u200bv", "De\x00v", "De\u2066v"],
)
async def test_a_name_is_short_plain_and_its_own(tmp_path: Path, name: str) -> None:
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError):
            await dev(lab, name)
        assert names(lab) == ["Mira"]


async def test_a_teammate_may_keep_its_own_name(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        await lab.do(ChangeTeammate(MIRA.id, "mira", LOOKS[3]))
        assert names(lab) == ["mira"]


async def test_looks_and_long_instructions_are_checked(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError, match="look"):
            await lab.do(CreateTeammate("Dev", "purple"))
        with pytest.raises(CommandRefusedError, match="at most"):
            await dev(lab, instructions="x" * (MAX_INSTRUCTIONS + 1))
        await dev(lab, instructions="x" * MAX_INSTRUCTIONS)


async def test_a_secret_in_the_instructions_is_neither_stored_nor_shown(tmp_path: Path) -> None:
    async with engine_lab(tmp_path / "p") as lab:
        await dev(lab, instructions=f"Use {KEY} for the shop.")
        assert KEY not in repr(lab.state)
    for path in (tmp_path / "p").rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


async def test_removing_stops_its_turns_and_deletes_its_threads_alone(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([says("Mine."), [gate, *says("never")]])
    async with engine_lab(tmp_path, model) as lab:
        kept = await lab.thread()
        await lab.talk("hello", kept)
        leaver = await dev(lab)
        gone = ThreadId(await lab.do(CreateThread(leaver)))
        await lab.do(CreateThread(leaver))
        await lab.do(SendMessage(gone, "work"))
        await gate.reached.wait()
        await lab.do(RemoveTeammate(leaver))
        assert model.abandoned == 1
        assert list(lab.state.threads) == [kept]
        assert names(lab) == ["Mira"]
        assert TeammateRemoved(leaver) in lab.events
        with pytest.raises(CommandRefusedError):
            await lab.do(CreateThread(leaver))
    async with engine_lab(tmp_path) as lab:
        assert names(lab) == ["Mira"]
        assert list(lab.state.threads) == [kept]
        assert lab.state.threads[kept].status is ThreadStatus.IDLE


async def test_the_last_one_stays_and_the_first_may_go(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError, match="stay"):
            await lab.do(RemoveTeammate(MIRA.id))
        await dev(lab)
        await lab.do(RemoveTeammate(MIRA.id))
    async with engine_lab(tmp_path) as lab:
        assert names(lab) == ["Dev"]


async def test_unknown_teammates_are_refused(tmp_path: Path) -> None:
    nobody = TeammateId("nobody")
    async with engine_lab(tmp_path) as lab:
        for command in (
            CreateThread(nobody),
            ChangeTeammate(nobody, "X", "mint"),
            RemoveTeammate(nobody),
        ):
            with pytest.raises(CommandRefusedError, match="no such teammate"):
                await lab.do(command)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"name": 3, "look": "mint", "instructions": "", "server": null}',
        '{"name": "X", "look": "mint", "instructions": "", "server": {"base_url": 1}}',
    ],
)
async def test_a_damaged_row_is_kept_and_said(tmp_path: Path, body: str) -> None:
    async with engine_lab(tmp_path) as lab:
        await dev(lab)
    store(tmp_path, "UPDATE teammates SET body = ? WHERE id = ?", body, MIRA.id)
    async with engine_lab(tmp_path) as lab:
        assert names(lab) == ["Dev"]
        assert any("can't be read" in notice.text for notice in lab.state.notices)
    assert stored(tmp_path)[0] == (MIRA.id, body)


async def test_with_only_damaged_rows_someone_else_is_there(tmp_path: Path) -> None:
    async with engine_lab(tmp_path):
        pass
    store(tmp_path, "UPDATE teammates SET body = ? WHERE id = ?", "{", MIRA.id)
    for _ in range(2):
        async with engine_lab(tmp_path) as lab:
            (only,) = lab.state.teammates
            assert only.id != MIRA.id
            await lab.do(CreateThread(only.id))
    assert len(stored(tmp_path)) == 2


async def test_what_was_learned_of_a_server_is_stored_with_the_teammate(tmp_path: Path) -> None:
    server = ServerSettings(
        "http://127.0.0.1:9/v1", "m", tool_mode=ToolMode.JSON_ACTION, context_tokens=4096
    )
    async with engine_lab(tmp_path):
        pass
    body = {**json.loads(stored(tmp_path)[0][1]), "server": asdict(server)}
    store(tmp_path, "UPDATE teammates SET body = ? WHERE id = ?", json.dumps(body), MIRA.id)
    async with engine_lab(tmp_path) as lab:
        (mira,) = lab.state.teammates
        assert mira.server == server
        assert mira.answering is not None
        assert mira.answering.tool_mode is ToolMode.JSON_ACTION
        assert mira.answering.context_tokens == 4096
        assert lab.state.answering is not None
        assert lab.state.answering.is_built_in
