"""How long is waited, whatever the dice say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import ModelLoadingError, ModelRateLimitError, ModelUnavailableError
from ankita.integrations.models.retrying import Retrying, RetryPolicy
from ankita.messages import Message, ModelRequest, Role
from tests.fakes.models import ScriptedModelProvider, says

pytestmark = pytest.mark.spec("PRV-6")

POLICY = RetryPolicy()
REQUEST = ModelRequest((Message(Role.USER, "hello"),))
chances = st.floats(0, 1)


@given(chances, chances, st.integers(1, POLICY.tries - 2))
def test_every_wait_is_longer_than_the_one_before(first: float, second: float, tries: int) -> None:
    down = ModelUnavailableError("Down.")
    before = POLICY.pause(down, tries, 0.0, first)
    after = POLICY.pause(down, tries + 1, 0.0, second)
    assert before is not None
    assert after is not None
    assert 0.5 < before * 1.15 < after


@given(st.floats(0, POLICY.longest_hint), chances, st.integers(1, POLICY.tries - 1))
def test_nobody_comes_before_the_server_said(hint: float, chance: float, tries: int) -> None:
    error = ModelRateLimitError("Slow down.", retry_after_seconds=hint)
    pause = POLICY.pause(error, tries, 0.0, chance)
    assert pause is not None
    assert hint <= pause <= hint + 1.0


@given(chances, st.floats(0, 400))
def test_a_model_that_loads_is_waited_for_within_its_bound(chance: float, waited: float) -> None:
    pause = POLICY.pause(ModelLoadingError("Loading."), 1, waited, chance)
    assert (pause is None) or 0 < pause + waited <= POLICY.loading_seconds


@pytest.mark.parametrize(("seconds", "requests"), [(59.0, 2), (61.0, 1)])
async def test_a_model_that_may_have_worked_for_minutes_is_not_asked_again(
    seconds: float, requests: int
) -> None:
    model = ScriptedModelProvider([[ModelUnavailableError("Gateway timeout.")], says("Hi.")])
    times = iter([0.0, seconds, 100.0, 100.0])

    async def at_once(_seconds: float) -> None:
        return None

    retrying = Retrying(model, sleep=at_once, now=lambda: next(times))
    try:
        async for _ in retrying.stream(REQUEST):
            pass
    except ModelUnavailableError:
        assert requests == 1
    assert len(model.requests) == requests
