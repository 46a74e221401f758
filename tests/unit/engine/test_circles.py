"""A turn that goes in circles ends by itself and says so (ENG-11)."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from ankita.engine import Answer, NoticeItem, ThreadStatus
from ankita.engine.limits import SAME_RESULTS
from ankita.messages import Effect, ToolResult, ToolStatus
from tests.engine_lab import engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-11")

READ = make_spec("look_up", text={"type": "string"})
CHANGE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})


@pytest.mark.parametrize("period", [1, 2, 3])
async def test_a_circle_of_any_length_ends_at_its_third_round(tmp_path: Path, period: int) -> None:
    steps = [calls(("look_up", {"text": str(number % period)})) for number in range(60)]
    model = ScriptedModelProvider(steps)
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ])]) as lab:
        items = await lab.talk("look")
        assert lab.state.threads[next(iter(lab.state.threads))].status is ThreadStatus.IDLE
    assert len(tool_items(items)) == (SAME_RESULTS - 1) * period + 1
    notice = items[-1]
    assert isinstance(notice, NoticeItem)
    assert "same" in notice.text


async def test_waiting_for_something_that_changes_is_no_circle(tmp_path: Path) -> None:
    numbers = count()
    model = ScriptedModelProvider([*[calls(("look_up", {})) for _ in range(9)], says("There.")])
    tools = FakeToolProvider(
        [READ], lambda *_: ToolResult(ToolStatus.OK, f"{next(numbers)} % done")
    )
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("wait for it")
    assert len(tool_items(items)) == 9


async def test_reading_again_after_a_change_is_no_circle(tmp_path: Path) -> None:
    steps = []
    for number in range(5):
        steps += [
            calls(("look_up", {"text": "state"})),
            calls(("create_it", {"text": str(number)})),
        ]
    model = ScriptedModelProvider([*steps, says("Done.")])
    tools = FakeToolProvider([READ, CHANGE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("five of them")
        await lab.answer(Answer.YES_THIS_RUN)
        items = await lab.finished(thread)
    assert len(tool_items(items)) == 10


async def test_the_same_change_again_and_again_is_a_circle(tmp_path: Path) -> None:
    step = [calls(("look_up", {})), calls(("create_it", {"text": "it"}))]
    model = ScriptedModelProvider([*step * 5])
    tools = FakeToolProvider([READ, CHANGE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("make it")
        await lab.answer(Answer.YES_THIS_RUN)
        items = await lab.finished(thread)
    assert sum(item.name == "create_it" for item in tool_items(items)) <= SAME_RESULTS


async def test_the_order_of_arguments_does_not_hide_a_circle(tmp_path: Path) -> None:
    spec = make_spec("look_up", a={"type": "string"}, b={"type": "string"})
    turned = [{"a": "1", "b": "2"}, {"b": "2", "a": "1"}]
    model = ScriptedModelProvider([calls(("look_up", turned[n % 2])) for n in range(9)])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([spec])]) as lab:
        items = await lab.talk("look")
    assert len(tool_items(items)) == SAME_RESULTS
