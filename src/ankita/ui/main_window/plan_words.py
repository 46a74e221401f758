"""How far a to-do list is, in words; pure."""

from __future__ import annotations

from collections.abc import Sequence

from ankita.engine import PlanStep, StepStatus
from ankita.ui.widgets.plain_label import visible_text

SETTLED = (StepStatus.DONE, StepStatus.DROPPED)

STATUS_WORDS = {
    StepStatus.TODO: "to do",
    StepStatus.DOING: "doing now",
    StepStatus.DONE: "done",
    StepStatus.DROPPED: "dropped",
}


def settled_steps(steps: Sequence[PlanStep]) -> int:
    """How many steps need nothing more."""
    return sum(step.status in SETTLED for step in steps)


def doing_now(steps: Sequence[PlanStep]) -> str:
    """The step that is worked on; empty when none is."""
    doing = next((step.text for step in steps if step.status is StepStatus.DOING), "")
    return visible_text(doing)


def plan_line(steps: Sequence[PlanStep]) -> str:
    """ "2 of 5 · Comparing the offers"."""
    count = f"{settled_steps(steps)} of {len(steps)}"
    if settled_steps(steps) == len(steps):
        return f"{count} · All done"
    doing = doing_now(steps)
    if doing:
        return f"{count} · {doing}"
    following = next(step.text for step in steps if step.status is StepStatus.TODO)
    return f"{count} · Next: {visible_text(following)}"
