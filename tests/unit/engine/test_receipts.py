"""A retry after a broken connection does nothing twice (ENG-9), and Stop says what was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine import (
    Answer,
    CallStatus,
    NoticeItem,
    ReplyItem,
    RetryTurn,
    SendMessage,
    StopTurn,
)
from ankita.errors import ModelInterruptedError
from ankita.messages import Effect, TextDelta, ToolResult, ToolStatus
from tests.engine_lab import engine_lab, tool_items
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

READ = make_spec("look_up", text={"type": "string"})
CHANGE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})
LOST = ModelInterruptedError("The connection broke.", advice="Try again.")


@pytest.mark.spec("ENG-9")
async def test_a_retry_keeps_the_text_and_runs_no_act_again_that_has_a_receipt(
    tmp_path: Path,
) -> None:
    act = ("create_it", {"text": "invoice"})
    model = ScriptedModelProvider(
        [calls(act), [TextDelta("I have made the "), LOST], calls(act), says("It is made.")]
    )
    tools = FakeToolProvider([CHANGE], lambda *_: ToolResult(ToolStatus.OK, "made no. 7"))
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("make an invoice")
        await lab.answer(Answer.YES_ONCE)
        items = await lab.finished(thread)
        assert isinstance(items[-1], NoticeItem)
        assert items[-1].can_retry
        await lab.do(RetryTurn(thread))
        items = await lab.finished(thread)
        assert not lab.state.approvals
    assert len(tools.calls) == 1, "the act happened once"
    assert "I have made the " in [i.text for i in items if isinstance(i, ReplyItem)]
    again = tool_items(items)[-1]
    assert again.status is CallStatus.NOT_RUN
    assert "made no. 7" in again.output
    assert "made no. 7" in model.requests[-1].messages[-1].text


@pytest.mark.spec("ENG-9")
async def test_a_retry_may_read_again_and_do_other_things(tmp_path: Path) -> None:
    model = ScriptedModelProvider(
        [
            calls(("look_up", {"text": "a"}), ("create_it", {"text": "one"})),
            [LOST],
            calls(("look_up", {"text": "a"}), ("create_it", {"text": "two"})),
            says("Done."),
        ]
    )
    tools = FakeToolProvider([READ, CHANGE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_THIS_RUN)
        await lab.finished(thread)
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
    did = [(call.name, call.arguments["text"]) for call in tools.calls]
    assert did == [("look_up", "a"), ("create_it", "one"), ("look_up", "a"), ("create_it", "two")]


@pytest.mark.spec("ENG-9")
async def test_an_uncertain_act_is_not_repeated_by_a_retry(tmp_path: Path) -> None:
    def breaks(*_: object) -> ToolResult:
        raise RuntimeError("the line went dead")

    act = ("create_it", {"text": "payment"})
    model = ScriptedModelProvider([calls(act), [LOST], calls(act), says("I can't tell.")])
    tools = FakeToolProvider([CHANGE], breaks)
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("pay")
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
        await lab.do(RetryTurn(thread))
        items = await lab.finished(thread)
    assert len(tools.calls) == 1
    assert "uncertain" in tool_items(items)[-1].output


@pytest.mark.spec("ENG-9", "ENG-12")
async def test_a_message_in_between_hides_no_receipt(tmp_path: Path) -> None:
    gate = Gate()
    act = ("create_it", {"text": "invoice"})
    model = ScriptedModelProvider(
        [calls(act), [gate, *calls(("look_up", {}))], [LOST], calls(act), says("It is made.")]
    )
    tools = FakeToolProvider([READ, CHANGE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("make an invoice")
        await lab.answer(Answer.YES_ONCE)
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "in euros"))
        gate.open()
        await lab.finished(thread)
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
    assert [call.name for call in tools.calls] == ["create_it", "look_up"]


@pytest.mark.spec("ENG-3")
async def test_stop_says_what_had_happened_already(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([calls(("create_it", {"text": "first"})), [gate, *says("never")]])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([CHANGE])]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_ONCE)
        await gate.reached.wait()
        await lab.do(StopTurn(thread))
        notice = lab.state.items[thread][-1]
    assert isinstance(notice, NoticeItem)
    assert notice.text.startswith("Stopped. Done before that: test: create it")
