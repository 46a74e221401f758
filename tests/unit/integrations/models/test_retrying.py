"""A model is asked again only before it began to answer, and only where that helps (PRV-6)."""

from __future__ import annotations

import asyncio

import pytest

from ankita.errors import (
    ModelAuthenticationError,
    ModelClientError,
    ModelContextError,
    ModelError,
    ModelInterruptedError,
    ModelLoadingError,
    ModelNotRunnableError,
    ModelPaidError,
    ModelProtocolError,
    ModelQuotaError,
    ModelRateLimitError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from ankita.integrations.models.retrying import Retrying, RetryPolicy
from ankita.messages import (
    AskingAgain,
    Message,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Role,
    TextDelta,
)
from tests.fakes.models import ScriptedModelProvider, says

pytestmark = pytest.mark.spec("PRV-6")

REQUEST = ModelRequest((Message(Role.USER, "hello"),))


class Pauses:
    """Instead of sleeping: remembers how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def ask(
    *replies: list[ModelEvent | ModelError], chance: float = 1.0
) -> tuple[list[ModelEvent], list[float], ScriptedModelProvider, ModelError | None]:
    model, pauses = ScriptedModelProvider(replies), Pauses()
    retrying = Retrying(model, sleep=pauses, chance=lambda: chance)
    events: list[ModelEvent] = []
    try:
        async for event in retrying.stream(REQUEST):
            events.append(event)
    except ModelError as error:
        return events, pauses.seconds, model, error
    return events, pauses.seconds, model, None


@pytest.mark.parametrize(
    "error",
    [
        ModelRateLimitError("Slow down."),
        ModelUnavailableError("Down."),
        ModelLoadingError("Loading."),
        ModelUnreachableError("Closed."),
        ModelInterruptedError("Broke off."),
    ],
)
async def test_a_passing_fault_is_tried_again_and_the_wait_is_told(error: ModelError) -> None:
    events, pauses, model, failure = await ask([error], says("Hi."))
    assert failure is None
    assert len(model.requests) == 2
    assert len(pauses) == 1
    assert pauses[0] > 0
    assert events[0] == AskingAgain(pauses[0], error.message)
    assert TextDelta("Hi.") in events


@pytest.mark.parametrize(
    "error",
    [
        ModelAuthenticationError("Key."),
        ModelQuotaError("Used up."),
        ModelPaidError("Pay."),
        ModelClientError("Not you."),
        ModelContextError("Long."),
        ModelRefusedError("No."),
        ModelProtocolError("What?"),
        ModelTimeoutError("Slow."),
        ModelRateLimitError("In an hour.", retry_after_seconds=3600.0),
    ],
)
async def test_what_waiting_does_not_help_is_said_at_once(error: ModelError) -> None:
    events, pauses, model, failure = await ask([error])
    assert failure is error
    assert (events, pauses, len(model.requests)) == ([], [], 1)


@pytest.mark.parametrize("first", [TextDelta("Half"), ReasoningDelta("hm")])
async def test_nothing_is_asked_again_once_something_came(first: ModelEvent) -> None:
    error = ModelUnavailableError("Down.")
    events, pauses, _, failure = await ask([first, error])
    assert failure is error
    assert (events, pauses) == ([first], [])


async def test_the_wait_that_the_server_names_is_kept() -> None:
    error = ModelRateLimitError("Slow down.", retry_after_seconds=7.0)
    _, pauses, _, failure = await ask([error], says("Hi."), chance=0.0)
    assert failure is None
    assert pauses == [7.0]


async def test_it_waits_longer_each_time_and_then_gives_up() -> None:
    down: list[list[ModelEvent | ModelError]] = [[ModelUnavailableError("Down.")] for _ in range(9)]
    _, pauses, model, failure = await ask(*down)
    assert isinstance(failure, ModelUnavailableError)
    assert len(model.requests) == RetryPolicy().tries
    assert pauses == sorted(pauses)
    assert pauses[0] < pauses[-1]


async def test_a_model_that_loads_is_waited_for_but_not_for_ever() -> None:
    loading: list[list[ModelEvent | ModelError]] = [
        [ModelLoadingError("Loading.")] for _ in range(999)
    ]
    _, pauses, _, failure = await ask(*loading)
    assert isinstance(failure, ModelLoadingError)
    policy = RetryPolicy()
    assert policy.loading_seconds / 2 < sum(pauses) <= policy.loading_seconds


async def test_stop_ends_the_wait() -> None:
    waits = asyncio.Event()

    async def for_ever(_seconds: float) -> None:
        waits.set()
        await asyncio.Event().wait()

    model = ScriptedModelProvider([[ModelUnavailableError("Down.")]])
    retrying = Retrying(model, sleep=for_ever)

    async def read() -> None:
        async for _ in retrying.stream(REQUEST):
            pass

    task = asyncio.create_task(read())
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(model.requests) == 1


@pytest.mark.spec("PRV-9")
async def test_a_file_that_cannot_be_run_here_is_not_loaded_again_and_again() -> None:
    error = ModelNotRunnableError("There is not enough free memory.")
    events, pauses, model, failure = await ask([error], says("Hi."))
    assert failure is error
    assert (events, pauses, len(model.requests)) == ([], [], 1)


@pytest.mark.spec("PRV-9")
async def test_a_model_that_takes_long_to_load_is_waited_for() -> None:
    """The local model tells only after a minute that it still loads."""
    loading, times = ModelLoadingError("Loading."), iter(range(0, 1_000, 61))
    model = ScriptedModelProvider([[loading], [loading], says("Hi.")])
    retrying = Retrying(model, sleep=Pauses(), chance=lambda: 0.5, now=lambda: next(times))
    events = [event async for event in retrying.stream(REQUEST)]
    assert [type(event) for event in events[:2]] == [AskingAgain, AskingAgain]
    assert len(model.requests) == 3


@pytest.mark.spec("PRV-9")
async def test_a_model_that_never_loads_is_given_up_by_the_clock() -> None:
    times = iter(range(0, 10_000, 59))
    model = ScriptedModelProvider([[ModelLoadingError("Loading.")]] * 20)
    retrying = Retrying(model, sleep=Pauses(), chance=lambda: 0.5, now=lambda: next(times))
    with pytest.raises(ModelLoadingError):
        [event async for event in retrying.stream(REQUEST)]
    assert len(model.requests) * 59 <= RetryPolicy().loading_seconds + 59
