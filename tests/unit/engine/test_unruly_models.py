"""What models do that they should not: the turn ends well, and nothing is run by mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ankita.engine import CallStatus, NoticeItem, ThreadStatus
from ankita.engine.limits import MAX_CALLS_A_STEP, MAX_CALLS_KEPT, MAX_RESULT_CHARACTERS
from ankita.ids import CallId
from ankita.messages import Finished, FinishReason, Role, ToolCall, ToolCallReady
from tests.engine_lab import engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-2", "ENG-11", "TOL-5")

READ = make_spec("look_up", text={"type": "string"})
PRINTED = json.dumps({"name": "look_up", "arguments": {"text": "a"}})


async def test_two_hundred_calls_at_once_each_get_one_result(tmp_path: Path) -> None:
    wanted = [("look_up", {"text": str(number)}) for number in range(200)]
    model = ScriptedModelProvider([calls(*wanted), says("Enough.")])
    tools = FakeToolProvider([READ])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("go")
    assert len(tools.calls) == MAX_CALLS_A_STEP
    assert all(item.status.is_settled for item in tool_items(items))
    history = model.requests[-1].messages
    asked = [call.id for message in history for call in message.tool_calls]
    answered = [message.tool_call_id for message in history if message.role is Role.TOOL]
    assert len(asked) == 200
    assert answered == asked


async def test_a_flood_of_calls_is_cut_and_said(tmp_path: Path) -> None:
    wanted = [("look_up", {"text": str(number)}) for number in range(5_000)]
    model = ScriptedModelProvider([calls(*wanted), says("Enough.")])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ])]) as lab:
        items = await lab.talk("go")
    assert len(tool_items(items)) == MAX_CALLS_KEPT
    assert any(isinstance(i, NoticeItem) and "5,000 calls" in i.text for i in items)


async def test_a_megabyte_of_arguments_is_shown_asked_about_and_cut_for_no_one_else(
    tmp_path: Path,
) -> None:
    text = "line\n" * 200_000
    model = ScriptedModelProvider([calls(("look_up", {"text": text})), says("Read.")])
    tools = FakeToolProvider([READ])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("go")
        assert lab.state.threads[next(iter(lab.state.threads))].status is ThreadStatus.IDLE
    assert tools.calls[0].arguments["text"] == text
    assert len(tool_items(items)[0].output) <= MAX_RESULT_CHARACTERS


@pytest.mark.parametrize(
    "text",
    [
        PRINTED,
        f"```json\n{PRINTED}\n```",
        f"<tool_call>\n{PRINTED}\n</tool_call>",
        f"[TOOL_CALLS] [{PRINTED}]",
        f"<|python_tag|>{PRINTED}",
        "<function=look_up><parameter=text>a</parameter></function>",
        "look_up(text='a')",
    ],
)
async def test_a_call_that_is_printed_as_text_is_text(tmp_path: Path, text: str) -> None:
    tools = FakeToolProvider([READ])
    async with engine_lab(tmp_path, ScriptedModelProvider([says(text)]), tools=[tools]) as lab:
        items = await lab.talk("go")
    assert tools.calls == []
    assert tool_items(items) == []


async def test_unknown_tools_and_broken_arguments_are_told_and_not_run(tmp_path: Path) -> None:
    broken = ToolCall(CallId("b"), "look_up", {}, problem="the arguments are no valid JSON")
    model = ScriptedModelProvider(
        [
            [ToolCallReady(broken), Finished(FinishReason.TOOL_CALLS)],
            calls(("format_disk", {"disk": "all"})),
            says("I see."),
        ]
    )
    tools = FakeToolProvider([READ])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("go")
    assert tools.calls == []
    first, second = tool_items(items)
    assert (first.status, second.status) == (CallStatus.FAILED, CallStatus.FAILED)
    assert "JSON" in first.output
    assert "no tool named 'format_disk'" in second.output
