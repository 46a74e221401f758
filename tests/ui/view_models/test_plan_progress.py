"""A plan's figures and words follow from its steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.engine import PlanStep, StepStatus
from ankita.ui.view_models.plan_progress import SETTLED, progress_of

pytestmark = pytest.mark.spec("ISL-2")

STEPS = st.lists(
    st.builds(PlanStep, st.text(min_size=1, max_size=20), st.sampled_from(StepStatus)), max_size=8
)


def plan(*statuses: StepStatus) -> list[PlanStep]:
    return [PlanStep(f"step {n}", status) for n, status in enumerate(statuses, 1)]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (plan(StepStatus.DONE, StepStatus.DONE, StepStatus.DOING), "2 of 3 · step 3"),
        (plan(StepStatus.DONE, StepStatus.TODO, StepStatus.TODO), "1 of 3 · Next: step 2"),
        (plan(StepStatus.TODO, StepStatus.DOING), "0 of 2 · step 2"),
        (plan(StepStatus.DONE, StepStatus.DROPPED), "2 of 2 · All done"),
    ],
)
def test_a_plan_is_said_in_one_line(steps: list[PlanStep], words: str) -> None:
    progress = progress_of(steps)
    assert progress is not None
    assert progress.words == words


def test_without_steps_there_is_nothing_to_say() -> None:
    assert progress_of(()) is None


@given(STEPS)
def test_all_is_done_exactly_when_every_step_is_settled(steps: list[PlanStep]) -> None:
    progress = progress_of(steps)
    if progress is None:
        assert steps == []
        return
    assert 0 <= progress.settled <= progress.total == len(steps)
    is_finished = all(step.status in SETTLED for step in steps)
    assert (progress.settled == progress.total) == is_finished
    assert "\n" not in progress.words
