"""How a model can act is found by trying."""

from __future__ import annotations

import pytest

from ankita.config import ToolMode
from ankita.errors import (
    ModelAuthenticationError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from ankita.integrations.models.self_test import TOOL, find_tool_mode
from ankita.messages import Finished, FinishReason, ReasoningDelta
from tests.fakes.models import Gate, ScriptedModelProvider, ScriptedStep, calls, says

pytestmark = pytest.mark.spec("PRV-9")

ACTION = '{"tool": "report_number", "arguments": {"value": 7}}'
REFUSED = ModelRefusedError("The model tiny cannot use tools here.")
GOOD, WRONG = calls((TOOL.name, {"value": 7})), calls((TOOL.name, {"value": "seven"}))
THINKS = [ReasoningDelta("hm"), Finished(FinishReason.LENGTH)]

Script = list[ScriptedStep]


@pytest.mark.parametrize(
    ("script", "mode"),
    [
        ([GOOD], ToolMode.NATIVE),
        ([says("Hello."), GOOD], ToolMode.NATIVE),
        ([calls((TOOL.name, {"value": 1}), text="Here: ")], ToolMode.NATIVE),
        ([says(ACTION), says(ACTION), says(ACTION)], ToolMode.JSON_ACTION),
        ([WRONG, WRONG, says(ACTION)], ToolMode.JSON_ACTION),
        ([calls(("other", {})), says("x"), says("no"), says(ACTION)], ToolMode.JSON_ACTION),
        ([[REFUSED], says(ACTION)], ToolMode.JSON_ACTION),
        ([says("a"), says("b"), says("c"), says("d")], ToolMode.CHAT_ONLY),
        ([says("a"), says("b"), [REFUSED]], ToolMode.CHAT_ONLY),
        ([[REFUSED], [REFUSED], says("Yes.")], ToolMode.CHAT_ONLY),
        ([THINKS, THINKS], ToolMode.UNKNOWN),
    ],
)
async def test_the_first_way_that_works_is_taken(script: list[Script], mode: ToolMode) -> None:
    model = ScriptedModelProvider(script)
    assert await find_tool_mode(model) is mode
    assert len(model.requests) == len(script)
    assert all(request.max_tokens for request in model.requests)
    assert not any(request.must_call for request in model.requests)


@pytest.mark.parametrize(
    "error", [ModelUnreachableError("gone"), ModelAuthenticationError("no key")]
)
async def test_a_server_that_could_not_be_asked_is_no_inability(error: ModelError) -> None:
    for before in ([], [says("a"), says("b")]):
        with pytest.raises(type(error)):
            await find_tool_mode(ScriptedModelProvider([*before, [error]]))


async def test_a_refusal_of_everything_is_no_inability() -> None:
    with pytest.raises(ModelRefusedError, match="no model named"):
        await find_tool_mode(
            ScriptedModelProvider(
                [[REFUSED], [REFUSED], [ModelRefusedError("There is no model named tiny.")]]
            )
        )


async def test_a_model_that_is_too_slow_is_no_inability() -> None:
    model = ScriptedModelProvider([[Gate()]])
    with pytest.raises(ModelTimeoutError):
        await find_tool_mode(model, question_seconds=0.05)
    assert model.abandoned == 1
