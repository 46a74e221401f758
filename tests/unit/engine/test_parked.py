""" "Not now": the call is told apart from a no, waits on, and is answered exactly once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ankita.engine.approval_registry import Question, Settlement
from ankita.engine.commands import Answer
from ankita.engine.events import ApprovalParked, ApprovalSettled
from ankita.engine.gate_results import PARKED_TEXT
from ankita.errors import CommandRefusedError
from ankita.ids import ThreadId
from ankita.messages import Effect, ToolStatus
from tests.fakes.tools import make_spec
from tests.gate_lab import GateLab, gate_lab

pytestmark = pytest.mark.spec("APR-18")

DELETE = make_spec("delete_it", effect=Effect.CHANGES, text={"type": "string"})
ARGUMENTS = {"text": "x"}


async def park(lab: GateLab) -> Question:
    result = await lab.answered(DELETE, ARGUMENTS, Answer.NOT_NOW)
    assert (result.status, result.text) == (ToolStatus.PARKED, PARKED_TEXT)
    (question,) = lab.registry.parked()
    return question


async def test_not_now_runs_nothing_is_told_apart_from_a_no_and_stays_listed(
    tmp_path: Path,
) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        (approval,) = lab.bus.state.approvals
        assert approval == question.approval
        assert approval.parked_at == lab.clock.now().isoformat()
        assert [e for e in lab.events if isinstance(e, ApprovalParked | ApprovalSettled)] == [
            ApprovalParked(approval)
        ]
        assert lab.bus.state.gate.record[-1].outcome == "parked"
        assert "later" in PARKED_TEXT
        assert "Denied" not in PARKED_TEXT
        assert not lab.registry.is_awaited(approval.id)
    assert lab.provider.calls == []


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("answer", [Answer.YES_ONCE, Answer.NO])
async def test_it_can_be_answered_later_also_after_a_restart_and_only_once(
    tmp_path: Path, restart: bool, answer: Answer
) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        if not restart:
            await check_later(lab, question, answer)
    if restart:
        async with gate_lab(tmp_path) as lab:
            (restored,) = lab.registry.parked()
            assert restored.approval == question.approval
            assert not restored.approval.from_before
            await check_later(lab, restored, answer)


async def check_later(lab: GateLab, question: Question, answer: Answer) -> None:
    result = await lab.later(question, DELETE, answer)
    ran = answer is Answer.YES_ONCE
    assert result.status is (ToolStatus.OK if ran else ToolStatus.DENIED)
    assert len(lab.provider.calls) == ran
    assert lab.bus.state.gate.record[-1].outcome == ("asked" if ran else "refused")
    assert lab.registry.parked() == []
    for again in (Answer.YES_ONCE, Answer.NO, Answer.NOT_NOW):
        with pytest.raises(CommandRefusedError, match="answered already"):
            await lab.registry.settle(question.approval.id, Settlement(again, "island"))


async def test_the_end_of_its_turn_leaves_it(tmp_path: Path) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        await lab.gate.withdraw(lab.caller, "the turn was stopped")
        assert lab.registry.parked() == [question]


async def test_it_goes_with_its_thread_and_that_is_recorded(tmp_path: Path) -> None:
    async with gate_lab(tmp_path) as lab:
        await park(lab)
        await lab.gate.withdraw_parked(ThreadId("another"), "no")
        assert len(lab.registry.parked()) == 1
        await lab.gate.withdraw_parked(lab.caller.thread_id, "its conversation was deleted")
        assert lab.registry.parked() == []
        line = lab.bus.state.gate.record[-1]
        assert (line.outcome, line.answered_by) == ("refused", "its conversation was deleted")


async def test_a_no_to_what_is_parked_is_recorded(tmp_path: Path) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        await lab.gate.refuse_parked(question, Settlement(Answer.NO, "window"))
        assert lab.bus.state.approvals == ()
        line = lab.bus.state.gate.record[-1]
        assert (line.outcome, line.answered_by) == ("refused", "window")


async def test_putting_it_off_twice_is_refused(tmp_path: Path) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        with pytest.raises(CommandRefusedError, match="put off already"):
            await lab.registry.settle(question.approval.id, Settlement(Answer.NOT_NOW, "island"))


@pytest.mark.parametrize("other", [Answer.YES_ONCE, Answer.NO, Answer.NOT_NOW])
async def test_of_two_answers_at_once_one_counts(tmp_path: Path, other: Answer) -> None:
    async with gate_lab(tmp_path) as lab:
        running = asyncio.create_task(lab.call(DELETE, ARGUMENTS))
        approval = await lab.asked()
        first, second = await asyncio.gather(
            lab.registry.settle(approval.id, Settlement(Answer.NOT_NOW, "island")),
            lab.registry.settle(approval.id, Settlement(other, "window")),
            return_exceptions=True,
        )
        assert isinstance(first, Question)
        assert isinstance(second, CommandRefusedError)
        assert (await running).status is ToolStatus.PARKED
        assert len(lab.registry.parked()) == 1
    assert lab.provider.calls == []


@pytest.mark.spec("APR-2")
async def test_a_tool_that_was_blocked_meanwhile_is_denied_in_spite_of_the_yes(
    tmp_path: Path,
) -> None:
    async with gate_lab(tmp_path) as lab:
        question = await park(lab)
        lab.rules.block("fake", "delete_it", lab.clock.now())
        result = await lab.later(question, DELETE, Answer.YES_ONCE)
        assert result.status is ToolStatus.DENIED
    assert lab.provider.calls == []


async def test_another_call_leaves_a_waiting_question_alone(tmp_path: Path) -> None:
    async with gate_lab(tmp_path) as lab:
        running = asyncio.create_task(lab.call(DELETE, ARGUMENTS))
        first = await lab.asked()
        other = asyncio.create_task(lab.call(DELETE, {"text": "y"}, lab.other_turn()))
        async with asyncio.timeout(20):
            while len(lab.bus.state.approvals) < 2:
                lab.changed.clear()
                await lab.changed.wait()
        second = lab.bus.state.approvals[1]
        await lab.registry.settle(second.id, Settlement(Answer.NO, "window"))
        await other
        assert lab.bus.state.approvals == (first,)
        assert not running.done()
        await lab.registry.settle(first.id, Settlement(Answer.NO, "window"))
        await running
