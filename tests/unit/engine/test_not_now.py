"""“Not now” puts a call off: the turn goes on without it, and it can be allowed later (APR-18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine import (
    Answer,
    CallStatus,
    DecideApproval,
    DeleteThread,
    ThreadStatus,
    UserItem,
)
from ankita.errors import CommandRefusedError
from ankita.ids import ThreadId
from ankita.messages import Effect, Role, ToolResult, ToolStatus
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("APR-18")

CHANGE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})
ACT = ("create_it", {"text": "invoice"})


def maker() -> FakeToolProvider:
    return FakeToolProvider([CHANGE], lambda *_: ToolResult(ToolStatus.OK, "made no. 7"))


async def put_off(lab: EngineLab) -> ThreadId:
    thread = await lab.send("make an invoice")
    await lab.answer(Answer.NOT_NOW)
    await lab.finished(thread)
    return thread


async def test_the_turn_goes_on_and_the_model_knows_that_it_was_not_a_no(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(ACT), says("Later, then.")])
    tools = maker()
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await put_off(lab)
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.PARKED
        assert lab.state.threads[thread].status is ThreadStatus.IDLE
        assert [bool(a.parked_at) for a in lab.state.approvals] == [True]
    assert tools.calls == []
    told = model.requests[-1].messages[-1].text.lower()
    assert "later" in told
    assert "denied" not in told


async def test_a_later_yes_runs_it_once_in_a_turn_of_its_own(tmp_path: Path) -> None:
    model = ScriptedModelProvider(
        [calls(ACT), says("Later."), says("Something else."), says("It is made.")]
    )
    tools = maker()
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await put_off(lab)
        await lab.talk("tell me a joke", thread)
        approval = lab.state.approvals[0]
        await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        items = await lab.finished(thread)
        assert lab.state.approvals == ()
        with pytest.raises(CommandRefusedError):
            await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "island"))
    assert len(tools.calls) == 1
    first, second = tool_items(items)
    assert (first.status, second.status) == (CallStatus.PARKED, CallStatus.OK)
    assert tools.calls[0].context.call_id == second.call_id != first.call_id
    said = [item.text for item in items if isinstance(item, UserItem)]
    assert said[-1].startswith("Now do what you asked for before")
    roles = [message.role for message in model.requests[-1].messages[-3:]]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL]


async def test_a_later_no_ends_it_and_is_recorded(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(ACT), says("Later.")])
    tools = maker()
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        await put_off(lab)
        await lab.do(DecideApproval(lab.state.approvals[0].id, Answer.NO, "window"))
        assert lab.state.approvals == ()
        assert lab.state.gate.record[-1].outcome == "refused"
    assert tools.calls == []


async def test_it_is_still_there_after_a_restart(tmp_path: Path) -> None:
    async with engine_lab(
        tmp_path, ScriptedModelProvider([calls(ACT), says("Later.")]), tools=[maker()]
    ) as lab:
        thread = await put_off(lab)
    tools = maker()
    model = ScriptedModelProvider([says("Made.")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        approval = lab.state.approvals[0]
        assert approval.parked_at
        assert not approval.from_before
        await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        await lab.finished(thread)
    assert len(tools.calls) == 1


async def test_it_goes_with_its_thread(tmp_path: Path) -> None:
    async with engine_lab(
        tmp_path, ScriptedModelProvider([calls(ACT), says("Later.")]), tools=[maker()]
    ) as lab:
        thread = await put_off(lab)
        await lab.do(DeleteThread(thread))
        assert lab.state.approvals == ()
