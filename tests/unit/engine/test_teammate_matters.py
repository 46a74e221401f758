"""What belongs to a teammate stays with it: files, questions, permissions, models (ENG-8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine.commands import (
    Answer,
    AttachFile,
    ChangeTeammate,
    CreateTeammate,
    CreateThread,
    DecideApproval,
    SendMessage,
    UseServer,
)
from ankita.engine.state import Activity, AttachmentStatus, TeammateState
from ankita.engine.team import MIRA
from ankita.ids import TeammateId, ThreadId
from ankita.memory.transcript import UserItem
from ankita.messages import Effect
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.model_servers import FakeModels
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-8")

A, B = "http://127.0.0.1:1001/v1", "http://127.0.0.1:1002/v1"
SEND = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})


async def two(lab: EngineLab) -> tuple[ThreadId, ThreadId, TeammateId]:
    """A thread of Mira, on the settings' server, and one of Dev, on a server of its own."""
    dev = TeammateId(await lab.do(CreateTeammate("Dev", "blue", "Be brief.")))
    await lab.do(UseServer(A, "m"))
    await lab.do(UseServer(B, "m", teammate_id=dev))
    return await lab.thread(), ThreadId(await lab.do(CreateThread(dev))), dev


def shown(lab: EngineLab, teammate_id: TeammateId) -> TeammateState:
    return next(t for t in lab.state.teammates if t.id == teammate_id)


async def test_questions_of_two_at_once_carry_their_own_teammate(tmp_path: Path) -> None:
    asks = calls(("create_it", {"text": "x"}))
    models = FakeModels({at: ScriptedModelProvider([asks, says("Done.")]) for at in (A, B)})
    tools = FakeToolProvider([SEND])
    async with engine_lab(tmp_path, tools=[tools], models=models.factory()) as lab:
        mine, its, dev = await two(lab)
        await lab.do(SendMessage(mine, "go"))
        await lab.do(SendMessage(its, "go"))
        await lab.until(lambda s: len(s.approvals) == 2)
        owners = {a.thread_id: a.teammate_id for a in lab.state.approvals}
        assert owners == {mine: MIRA.id, its: dev}
        assert [t.activity for t in lab.state.teammates] == [Activity.ASKING] * 2
        for approval in lab.state.approvals:
            answer = Answer.YES_ONCE if approval.thread_id == its else Answer.NO
            await lab.do(DecideApproval(approval.id, answer, "island"))
        await lab.finished(mine)
        await lab.finished(its)
        assert [call.context.thread_id for call in tools.calls] == [its]
        assert {d.teammate_id for d in lab.state.gate.record if d.outcome == "refused"} == {MIRA.id}


async def test_a_file_goes_to_the_model_of_its_teammate_alone(tmp_path: Path) -> None:
    models = FakeModels({at: ScriptedModelProvider([says("Read.")]) for at in (A, B)})
    reader = FakeDocumentReader()
    reader.hold()
    file = tmp_path / "note.txt"
    file.write_text("Rent is due on Friday.", encoding="utf-8")
    async with engine_lab(tmp_path / "p", models=models.factory(), reader=reader) as lab:
        mine, its, dev = await two(lab)
        await lab.do(AttachFile(its, str(file)))
        await lab.until(lambda _: shown(lab, dev).activity is Activity.READING)
        assert shown(lab, MIRA.id).activity is Activity.IDLE
        reader.release()
        await lab.until(lambda s: s.attachments[its][0].status is AttachmentStatus.READY)
        await lab.talk("hello", mine)
        items = await lab.talk("hello", its)
        assert isinstance(items[0], UserItem)
        assert [ref.name for ref in items[0].attachments] == ["note.txt"]
    assert "Friday" not in repr(models.providers[A].requests)
    assert "Friday" in repr(models.providers[B].requests)


async def test_one_thread_that_ends_leaves_the_other_at_work(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("Late.")], says("Quick.")])
    async with engine_lab(tmp_path, model) as lab:
        slow = await lab.send("slow")
        await gate.reached.wait()
        await lab.talk("quick")
        assert shown(lab, MIRA.id).activity is Activity.THINKING
        assert shown(lab, MIRA.id).thread_id == slow
        gate.open()
        await lab.finished(slow)
        await lab.until(lambda _: shown(lab, MIRA.id).activity is Activity.DONE)


async def test_a_running_turn_keeps_the_model_it_began_with(tmp_path: Path) -> None:
    gate = Gate()
    look = make_spec("look_up", text={"type": "string"})
    first = ScriptedModelProvider([[gate, *calls(("look_up", {}))], says("From A.")])
    models = FakeModels({A: first, B: ScriptedModelProvider([says("From B.")])})
    async with engine_lab(
        tmp_path, tools=[FakeToolProvider([look])], models=models.factory()
    ) as lab:
        await lab.do(UseServer(A, "m"))
        thread = await lab.send("go")
        await gate.reached.wait()
        await lab.do(UseServer(B, "m"))
        await lab.do(ChangeTeammate(MIRA.id, "Mira", "violet", "Be brief."))
        gate.open()
        assert "From A." in repr((await lab.finished(thread))[-1])
        assert "From B." in repr((await lab.talk("again", thread))[-1])
    assert len(first.requests) == 2
