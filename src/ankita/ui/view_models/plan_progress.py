"""How far a thread's to-do list is, in figures and in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ankita.engine import PlanStep, StepStatus
from ankita.ui.widgets.plain_label import visible_text

SETTLED = (StepStatus.DONE, StepStatus.DROPPED)


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """`settled` of `total` steps need nothing more. `step` says what is worked on."""

    settled: int
    total: int
    step: str

    @property
    def words(self) -> str:
        """ "2 of 5 · Comparing the offers"."""
        return f"{self.settled} of {self.total} · {self.step}"


def progress_of(steps: Sequence[PlanStep]) -> PlanProgress | None:
    """None for a plan with nothing in it."""
    if not steps:
        return None
    settled = sum(step.status in SETTLED for step in steps)
    return PlanProgress(settled, len(steps), _step_words(steps))


def _step_words(steps: Sequence[PlanStep]) -> str:
    """What is done now, else what comes next, else that nothing is left."""
    for status, words in ((StepStatus.DOING, "{}"), (StepStatus.TODO, "Next: {}")):
        found = next((step.text for step in steps if step.status is status), None)
        if found is not None:
            return words.format(visible_text(" ".join(found.split())))
    return "All done"


def doing_now(steps: Sequence[PlanStep]) -> str:
    """The step that is worked on, as it may be shown; empty when none is."""
    doing = next((step.text for step in steps if step.status is StepStatus.DOING), "")
    return visible_text(doing)
