"""The to-do list of a thread, kept by the model and shown with its progress (TOL-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ankita.engine.event_bus import EventBus
from ankita.engine.events import PlanChanged
from ankita.engine.state import PlanStep, StepStatus
from ankita.errors import ToolArgumentsError
from ankita.ids import ThreadId, TurnId
from ankita.memory.work import WorkStore
from ankita.messages import Effect, Json, JsonObject, Phase, ToolResult, ToolSpec, ToolStatus
from ankita.protocols import CallContext

MAX_STEPS = 30
MAX_STEP_CHARACTERS = 200

PLAN = ToolSpec(
    name="plan",
    description=(
        "Show the user your to-do list for a task of several steps, and keep it up to date:"
        " give all steps every time. An empty list takes it away."
    ),
    parameters={
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "maxItems": MAX_STEPS,
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": MAX_STEP_CHARACTERS,
                        },
                        "status": {"type": "string", "enum": [s.value for s in StepStatus]},
                    },
                    "required": ["text", "status"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["steps"],
        "additionalProperties": False,
    },
    # It changes nothing but what is shown of the model's own intentions.
    effect=Effect.READS,
    app="plan",
    phase=Phase.THINKING,
)


TOOLS = (PLAN,)


class Plans:
    """Implements the ToolProvider port; the one writer of plans."""

    def __init__(self, store: WorkStore, bus: EventBus) -> None:
        self._store = store
        self._bus = bus

    async def load(self) -> None:
        """Tell the state which plans are stored."""
        for thread_id, steps in (await self._store.plans()).items():
            try:
                shown = _steps({"steps": [_shortened(step) for step in steps]})
                self._bus.emit(PlanChanged(thread_id, shown))
            except ToolArgumentsError:
                # Written by another version: it stays as it is until the model writes anew.
                continue

    def tools(self) -> Sequence[ToolSpec]:
        return TOOLS

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        del name
        steps = _steps(arguments)
        await self._store.save_plan(context.thread_id, [_row(step) for step in steps])
        self._show(context.thread_id, steps)
        return ToolResult(ToolStatus.OK, in_words(steps))

    async def end_turn(self, turn_id: TurnId) -> None:
        """Nothing runs on."""

    async def aclose(self) -> None:
        """Nothing to release."""

    def _show(self, thread_id: ThreadId, steps: tuple[PlanStep, ...]) -> None:
        if self._bus.state.plans.get(thread_id, ()) != steps:
            self._bus.emit(PlanChanged(thread_id, steps))


def in_words(steps: Sequence[PlanStep]) -> str:
    """How far it is, in one line."""
    if not steps:
        return "No plan."
    done = sum(step.status in (StepStatus.DONE, StepStatus.DROPPED) for step in steps)
    now = next((step.text for step in steps if step.status is StepStatus.DOING), "")
    return f"{done} of {len(steps)} done" + (f"; now: {now}" if now else ".")


def _steps(arguments: Mapping[str, Json]) -> tuple[PlanStep, ...]:
    steps = arguments.get("steps")
    if not isinstance(steps, list | tuple):
        raise ToolArgumentsError("steps: a list is required", field="steps")
    if len(steps) > MAX_STEPS:
        raise ToolArgumentsError(f"steps: at most {MAX_STEPS}", field="steps")
    return tuple(_step(step, f"steps.{place}") for place, step in enumerate(steps))


def _step(value: Any, where: str) -> PlanStep:
    if not isinstance(value, Mapping):
        raise ToolArgumentsError(f"{where}: an object with text and status", field=where)
    text, status = value.get("text"), value.get("status")
    if not isinstance(text, str) or not 1 <= len(text.strip()) <= MAX_STEP_CHARACTERS:
        raise ToolArgumentsError(
            f"{where}.text: 1 to {MAX_STEP_CHARACTERS} characters", field=f"{where}.text"
        )
    try:
        return PlanStep(text.strip(), StepStatus(str(status)))
    except ValueError:
        words = ", ".join(s.value for s in StepStatus)
        raise ToolArgumentsError(
            f"{where}.status: one of {words}", field=f"{where}.status"
        ) from None


def _shortened(step: Json) -> Json:
    """A stored step may be longer than a new one: what stands for a secret has its own length."""
    if isinstance(step, Mapping) and isinstance(text := step.get("text"), str):
        return {**step, "text": text[:MAX_STEP_CHARACTERS]}
    return step


def _row(step: PlanStep) -> dict[str, str]:
    return {"text": step.text, "status": step.status.value}
