"""What the user sends while a turn runs is queued, steers it, and is never lost (ENG-12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine import (
    Answer,
    AttachFile,
    OpenThread,
    ReplyItem,
    SendMessage,
    StopTurn,
    ThreadStatus,
    UnqueueMessage,
    UserItem,
)
from ankita.engine.limits import MAX_QUEUED
from ankita.engine.state import AttachmentStatus
from ankita.errors import CommandRefusedError, ModelUnreachableError
from ankita.ids import ThreadId
from ankita.messages import Effect, Role
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-12")

READ = make_spec("look_up", text={"type": "string"})
CHANGE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})


def waiting(lab: EngineLab, thread: ThreadId) -> list[str]:
    return [message.text for message in lab.state.queued.get(thread, ())]


def said(lab: EngineLab, thread: ThreadId) -> list[str]:
    return [i.text for i in lab.state.items[thread] if isinstance(i, UserItem | ReplyItem)]


async def test_a_message_goes_in_at_the_next_step_and_is_shown_until_then(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *calls(("look_up", {}))], says("In blue, then.")])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ])]) as lab:
        thread = await lab.send("paint it")
        await gate.reached.wait()
        assert await lab.do(SendMessage(thread, "in blue")) is None
        assert waiting(lab, thread) == ["in blue"]
        gate.open()
        await lab.finished(thread)
        assert waiting(lab, thread) == []
        assert said(lab, thread) == ["paint it", "in blue", "In blue, then."]
    last = model.requests[-1].messages
    assert [m.role for m in last[-2:]] == [Role.TOOL, Role.USER]
    assert last[-1].text == "in blue"


async def test_a_message_after_the_last_step_is_answered_in_the_same_turn(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("First.")], says("Second.")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "two"))
        await lab.do(SendMessage(thread, "three"))
        gate.open()
        await lab.finished(thread)
        assert said(lab, thread) == ["one", "First.", "two", "three", "Second."]
    assert model.requests[-1].messages[-1].text == "two\n\nthree"


async def test_a_message_while_a_question_waits_does_not_answer_it(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(("create_it", {})), says("Made.")])
    tools = FakeToolProvider([CHANGE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("make it")
        await lab.asked()
        await lab.do(SendMessage(thread, "and be quick"))
        assert len(lab.state.approvals) == 1
        assert tools.calls == []
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
    assert model.requests[-1].messages[-1].text == "and be quick"


async def test_stop_returns_what_waited_to_the_composer(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("never")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "two"))
        await lab.do(SendMessage(thread, "three"))
        await lab.do(StopTurn(thread))
        await lab.until(lambda s: not s.queued)
        assert lab.state.threads[thread].draft == "two\n\nthree"
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
        assert said(lab, thread) == ["one"]


async def test_a_failed_turn_returns_what_waited_to_the_composer(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, ModelUnreachableError("Nobody is there.")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "two"))
        gate.open()
        await lab.until(lambda s: not s.queued and s.threads[thread].draft)
        assert lab.state.threads[thread].draft == "two"


async def test_a_message_can_be_taken_back_until_it_went_in(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("Done.")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "oh, and"))
        queued = lab.state.queued[thread][0]
        await lab.do(UnqueueMessage(thread, queued.id))
        assert waiting(lab, thread) == []
        assert lab.state.threads[thread].draft == "oh, and"
        gate.open()
        await lab.finished(thread)
        with pytest.raises(CommandRefusedError, match="gone into"):
            await lab.do(UnqueueMessage(thread, queued.id))
        assert said(lab, thread) == ["one", "Done."]


async def test_files_go_with_the_message_they_were_sent_with(tmp_path: Path) -> None:
    gate = Gate()
    paper = tmp_path / "paper.txt"
    paper.write_text("the paper", "utf-8")
    model = ScriptedModelProvider([[gate, *calls(("look_up", {}))], says("Read.")])
    async with engine_lab(tmp_path / "home", model, tools=[FakeToolProvider([READ])]) as lab:
        thread = await lab.send("wait")
        await gate.reached.wait()
        await lab.do(AttachFile(thread, str(paper)))
        ready = AttachmentStatus.READY
        await lab.until(lambda s: [a.status for a in s.attachments.get(thread, ())] == [ready])
        await lab.do(SendMessage(thread, "use this"))
        assert lab.state.queued[thread][0].attachments == ("paper.txt",)
        assert not lab.state.attachments[thread]
        gate.open()
        items = await lab.finished(thread)
    users = [item for item in items if isinstance(item, UserItem)]
    assert [ref.name for ref in users[-1].attachments] == ["paper.txt"]
    assert "paper.txt" in model.requests[-1].messages[-1].text


async def test_what_waited_when_the_app_ended_is_in_the_composer_at_the_next_start(
    tmp_path: Path,
) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("never")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "two"))
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        assert lab.state.threads[thread].draft == "two"
        await lab.do(OpenThread(thread))
        assert said(lab, thread) == ["one"]
        assert waiting(lab, thread) == []


async def test_a_flood_is_refused_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("Phew.")], says("All of it.")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await gate.reached.wait()
        for number in range(MAX_QUEUED):
            await lab.do(SendMessage(thread, f"more {number}"))
        with pytest.raises(CommandRefusedError, match="wait here already"):
            await lab.do(SendMessage(thread, "one too many"))
        gate.open()
        await lab.finished(thread)
        assert len(said(lab, thread)) == MAX_QUEUED + 3
