"""The to-do list: kept by the model, shown with its progress, there after a restart (TOL-4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine import CallStatus, DeleteThread
from ankita.engine.state import PlanStep, StepStatus
from ankita.messages import JsonObject
from tests.engine_lab import engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says

pytestmark = pytest.mark.spec("TOL-4")

STEPS = [{"text": "Read the offers", "status": "done"}, {"text": "Compare ☂", "status": "doing"}]


async def test_a_plan_is_shown_without_a_question_and_outlives_the_app(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(("plan", {"steps": STEPS})), says("On it.")])
    wanted = (PlanStep("Read the offers", StepStatus.DONE), PlanStep("Compare ☂", StepStatus.DOING))
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("compare")
        items = await lab.finished(thread)
        assert lab.state.plans == {thread: wanted}
    call = tool_items(items)[0]
    assert call.output == "1 of 2 done; now: Compare ☂"
    assert call.target == "", "a list is no name for what the call is about"
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        assert lab.state.plans == {thread: wanted}
        await lab.do(DeleteThread(thread))
        assert lab.state.plans == {}


async def test_an_empty_plan_takes_it_away(tmp_path: Path) -> None:
    model = ScriptedModelProvider(
        [calls(("plan", {"steps": STEPS})), calls(("plan", {"steps": []})), says("Done.")]
    )
    async with engine_lab(tmp_path, model) as lab:
        await lab.talk("go")
        assert lab.state.plans == {}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "steps"),
        ({"steps": "all"}, "steps"),
        ({"steps": [STEPS[0]] * 31}, "steps"),
        ({"steps": ["read"]}, "steps.0"),
        ({"steps": [{"text": " ", "status": "todo"}]}, "steps.0.text"),
        ({"steps": [STEPS[0], {"text": "x", "status": "later"}]}, "steps.1.status"),
    ],
)
async def test_a_wrong_plan_names_the_field_and_changes_nothing(
    tmp_path: Path, arguments: JsonObject, field: str
) -> None:
    model = ScriptedModelProvider([calls(("plan", arguments)), says("Oh.")])
    async with engine_lab(tmp_path, model) as lab:
        items = await lab.talk("plan")
        assert lab.state.plans == {}
    call = tool_items(items)[0]
    assert call.status is CallStatus.FAILED
    assert field in call.output
