"""A connection that several use closes when nobody does (ENG-8)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import pytest

from ankita.config import ToolMode
from ankita.integrations.models.shared_model import DescribedModel, SharedModel
from ankita.messages import Message, ModelEvent, ModelInfo, ModelRequest, Role
from tests.fakes.models import Gate, ScriptedModelProvider, says

pytestmark = pytest.mark.spec("ENG-8")

REQUEST = ModelRequest((Message(Role.USER, "hello"),))


class Made:
    """Makes scripted providers and remembers them."""

    def __init__(self, *scripts: list[list[object]]) -> None:
        self._scripts = list(scripts)
        self.providers: list[ScriptedModelProvider] = []

    def __call__(self) -> ScriptedModelProvider:
        script = self._scripts.pop(0) if self._scripts else [says("Hello.")]
        self.providers.append(ScriptedModelProvider(script))  # type: ignore[arg-type]
        return self.providers[-1]


async def read(model: SharedModel) -> list[ModelEvent]:
    return [event async for event in model.stream(REQUEST)]


async def test_it_closes_at_once_when_nothing_streams() -> None:
    made = Made()
    model = SharedModel(made)
    await model.retire()
    assert made.providers[0].is_closed


async def test_it_closes_behind_the_last_reply() -> None:
    one, other = Gate(), Gate()
    made = Made([[one, *says("One.")], [other, *says("Two.")]])
    model = SharedModel(made)
    replies = [asyncio.create_task(read(model)) for _ in range(2)]
    await one.reached.wait()
    await other.reached.wait()
    await model.retire()
    one.open()
    await replies[0]
    assert not made.providers[0].is_closed
    other.open()
    await replies[1]
    assert made.providers[0].is_closed


async def test_who_still_holds_it_may_ask_again_and_it_closes_again() -> None:
    made = Made()
    model = SharedModel(made)
    await model.retire()
    assert len(await read(model)) == 2
    assert [provider.is_closed for provider in made.providers] == [True, True]


async def test_a_reply_that_is_left_counts_no_more() -> None:
    made = Made()
    model = SharedModel(made)
    events = cast(AsyncGenerator[ModelEvent, None], model.stream(REQUEST))
    await anext(events)
    await events.aclose()
    assert made.providers[0].abandoned == 1
    await model.retire()
    assert made.providers[0].is_closed


async def test_a_description_adds_what_the_model_itself_knows() -> None:
    inner = ScriptedModelProvider(info=ModelInfo("x", "x", is_local=True, context_tokens=4096))
    info = ModelInfo("shown", "x", is_local=True, tool_mode=ToolMode.JSON_ACTION)
    described = DescribedModel(inner, info)
    assert described.info().label == "shown"
    assert described.info().tool_mode is ToolMode.JSON_ACTION
    assert described.info().context_tokens == 4096
    await described.aclose()
    assert inner.is_closed
