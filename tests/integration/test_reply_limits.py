"""A model that thinks slowly lives; one that only gives signs of life does not."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from ankita.errors import ModelError, ModelTimeoutError
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.messages import (
    Finished,
    Message,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ReasoningDelta,
    Role,
    TextDelta,
)
from tests.servers.scripted_chat_server import (
    COMMENT,
    DONE,
    MODEL,
    Pause,
    RepeatForEver,
    ScriptedChatServer,
    Step,
    delta,
    frame,
    raw,
)

pytestmark = pytest.mark.spec("PRV-5")

REQUEST = ModelRequest((Message(Role.USER, "hi"),))
END = (delta("stop"), DONE)
ROLE = delta(role="assistant", content="")
EMPTY = delta(content="", reasoning_content=None, tool_calls=[])
NO_CHOICES = frame({"choices": [], "usage": None})
THOUGHT = delta(reasoning_content="Hmm. ")
SHORT = StreamLimits(first_payload_seconds=0.4, between_payloads_seconds=0.4, total_seconds=20)
"""For what has to be ended."""
LONG = StreamLimits(first_payload_seconds=20, between_payloads_seconds=2, total_seconds=40)
"""For what has to live, on a machine that is busy with other things."""


async def play(
    limits: StreamLimits, *steps: Step
) -> tuple[list[ModelEvent], ModelError | None, float]:
    """The events, the error, and the seconds that it took."""
    info = ModelInfo("test", MODEL, is_local=True)
    events: list[ModelEvent] = []
    failure = None
    loop = asyncio.get_running_loop()
    async with ScriptedChatServer([raw(*steps)]) as server:
        provider = OpenAIChatProvider(
            server.base_url, MODEL, api_key=None, limits=limits, info=info
        )
        began = loop.time()
        try:
            async with aclosing(provider.stream(REQUEST)) as stream:
                async for event in stream:
                    events.append(event)
        except ModelError as error:
            failure = error
        took = loop.time() - began
        await provider.aclose()
    return events, failure, took


@pytest.mark.parametrize("sign", [COMMENT, b":\n", ROLE, EMPTY, NO_CHOICES, b"data:\n\n"])
async def test_a_server_that_only_gives_signs_of_life_is_left(sign: bytes) -> None:
    events, failure, took = await play(SHORT, RepeatForEver(sign))
    assert isinstance(failure, ModelTimeoutError)
    assert "did not begin" in failure.message
    assert events == []
    assert took < SHORT.total_seconds / 2


@pytest.mark.parametrize("sign", [COMMENT, ROLE, EMPTY, NO_CHOICES])
@pytest.mark.parametrize("start", [THOUGHT, delta(content="Hel")])
async def test_so_is_one_that_falls_silent_behind_them(start: bytes, sign: bytes) -> None:
    events, failure, took = await play(SHORT, start, RepeatForEver(sign))
    assert isinstance(failure, ModelTimeoutError)
    assert "fell silent" in failure.message
    assert len(events) == 1
    assert took < SHORT.total_seconds / 2


async def test_a_model_that_thinks_slowly_is_waited_for() -> None:
    """Longer in all than any one wait may be."""
    slow = [step for _ in range(12) for step in (Pause(0.2), THOUGHT)]
    events, failure, took = await play(LONG, ROLE, *slow, delta(content="Hello"), *END)
    assert failure is None
    assert took > LONG.between_payloads_seconds
    assert sum(isinstance(event, ReasoningDelta) for event in events) == 12
    assert TextDelta("Hello") in events
    assert isinstance(events[-1], Finished)


async def test_a_role_in_advance_does_not_shorten_the_wait_for_the_first_word() -> None:
    waiting = [step for _ in range(12) for step in (Pause(0.2), COMMENT)]
    events, failure, took = await play(LONG, ROLE, *waiting, delta(content="Hello"), *END)
    assert failure is None
    assert took > LONG.between_payloads_seconds
    assert TextDelta("Hello") in events


async def test_one_that_thinks_for_ever_is_ended_in_all() -> None:
    limits = StreamLimits(total_seconds=0.5)
    events, failure, _ = await play(limits, RepeatForEver(THOUGHT))
    assert isinstance(failure, ModelTimeoutError)
    assert "took too long" in failure.message
    assert len(events) > 1
