"""What is on the disk when a call is let run: the decision and the call, in one commit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ankita.engine import Answer
from ankita.messages import Effect
from ankita.storage import Connection, Database
from tests.engine_lab import engine_lab
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-4", "APR-10")

READ = make_spec("look_up")
CHANGE = make_spec("delete_it", effect=Effect.CHANGES)


@dataclass(frozen=True, slots=True)
class Commit:
    """What stood in the database after a commit."""

    durable: bool
    decisions: int
    call: str


def _look(connection: Connection) -> tuple[int, str]:
    count = connection.execute("SELECT COUNT(*) FROM decisions").fetchone()[0]
    row = connection.execute("SELECT body FROM items WHERE kind = 'tool'").fetchone()
    return count, json.loads(row[0])["status"] if row else ""


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[Commit]:
    """Every commit of an engine that is opened later, in order."""
    made: list[Commit] = []
    write = Database.write

    async def watched(
        self: Database, work: Callable[[Connection], Any], *, durable: bool = True
    ) -> Any:
        value = await write(self, work, durable=durable)
        made.append(Commit(durable, *await self.read(_look)))
        return value

    monkeypatch.setattr(Database, "write", watched)
    return made


async def test_a_change_and_the_decision_on_it_are_one_durable_commit(
    tmp_path: Path, commits: list[Commit]
) -> None:
    await _run(tmp_path, "delete_it", answer=Answer.YES_ONCE)
    assert [c for c in commits if (c.decisions, c.call) == (1, "asking")] == []
    assert [c for c in commits if (c.decisions, c.call) == (0, "running")] == []
    assert Commit(True, 1, "running") in commits
    assert next(c for c in commits if c.call == "ok").durable


async def test_a_read_waits_for_no_disk(tmp_path: Path, commits: list[Commit]) -> None:
    await _run(tmp_path, "look_up", answer=None)
    of_the_call = [c for c in commits if c.call in ("waiting", "running")]
    assert [(c.decisions, c.call, c.durable) for c in of_the_call] == [
        (0, "waiting", False),
        (1, "running", False),
    ]
    assert not next(c for c in commits if c.call == "ok").durable


async def _run(folder: Path, name: str, *, answer: Answer | None) -> None:
    tools = FakeToolProvider([READ, CHANGE])
    model = ScriptedModelProvider([calls((name, {})), says("Done.")])
    async with engine_lab(folder, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        if answer is not None:
            await lab.answer(answer)
        await lab.finished(thread)
    assert [call.name for call in tools.calls] == [name]
