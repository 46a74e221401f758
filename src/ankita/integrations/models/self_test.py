"""Finds out how a model can act, by letting it call one harmless tool that does nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ankita.config import ToolMode
from ankita.errors import ModelRefusedError, ModelTimeoutError, ModelUnavailableError
from ankita.integrations.models.action_check import fits
from ankita.integrations.models.json_actions import JsonActions
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelRequest,
    Phase,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolSpec,
)
from ankita.protocols import ModelProvider

QUESTION_SECONDS = 60.0
"""How long one question may take; a large model on a slow machine has to be read in first."""

MAX_TOKENS = 768
"""Room for a model that thinks before it acts."""

TOOL = ToolSpec(
    name="report_number",
    description="Reports a number.",
    parameters={
        "type": "object",
        "properties": {"value": {"type": "integer"}},
        "required": ["value"],
        "additionalProperties": False,
    },
    effect=Effect.READS,
    app="self-test",
    phase=Phase.CHECKING,
)

ATTEMPTS = 2
"""A model answers with some chance in it; one miss proves little."""

_ASKED = Message(Role.USER, "Call the tool report_number with the value 7.")
_PLAIN = Message(Role.USER, "Say yes.")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one question brought. `is_cut`: it thought until there was no room for a call."""

    has_called: bool = False
    is_cut: bool = False
    is_refused: bool = False


async def find_tool_mode(
    provider: ModelProvider,
    *,
    provider_with_actions: ModelProvider | None = None,
    question_seconds: float = QUESTION_SECONDS,
) -> ToolMode:
    """NATIVE, else JSON_ACTION, else CHAT_ONLY; UNKNOWN when the model thought for too long.

    The model is asked as in a real turn and not forced: a server that forces the form of
    a reply would hide that the model never calls by itself.

    Raises ModelError when the server could not be asked at all. A refusal counts as an
    inability only where the server answers once no tool is asked for.
    """
    acting = provider_with_actions or JsonActions(provider)
    asked = ModelRequest((_ASKED,), (TOOL,), max_tokens=MAX_TOKENS)
    native = await _outcome(provider, asked, question_seconds)
    if native.has_called:
        return ToolMode.NATIVE
    action = await _outcome(acting, asked, question_seconds)
    if action.has_called:
        return ToolMode.JSON_ACTION
    if native.is_refused and action.is_refused:
        await _ask(provider, ModelRequest((_PLAIN,), max_tokens=8), question_seconds)
    return ToolMode.UNKNOWN if native.is_cut or action.is_cut else ToolMode.CHAT_ONLY


async def _outcome(provider: ModelProvider, request: ModelRequest, seconds: float) -> _Outcome:
    for _ in range(ATTEMPTS):
        outcome = await _one_outcome(provider, request, seconds)
        if outcome != _Outcome():
            break
    return outcome


async def _one_outcome(provider: ModelProvider, request: ModelRequest, seconds: float) -> _Outcome:
    try:
        events = await _ask(provider, request, seconds)
    except (ModelRefusedError, ModelUnavailableError):
        # Some servers answer 500 when the model's template knows no tools.
        return _Outcome(is_refused=True)
    calls = [event.call for event in events if isinstance(event, ToolCallReady)]
    has_thought = any(isinstance(event, ReasoningDelta) for event in events)
    has_said = any(isinstance(event, TextDelta) for event in events)
    return _Outcome(
        has_called=bool(calls) and all(_is_valid(call) for call in calls),
        is_cut=has_thought and not has_said and events[-1] == Finished(FinishReason.LENGTH),
    )


async def _ask(provider: ModelProvider, request: ModelRequest, seconds: float) -> list[ModelEvent]:
    """The events of the reply; never empty. Raises ModelError."""
    try:
        async with asyncio.timeout(seconds):
            return [event async for event in provider.stream(request)]
    except TimeoutError:
        pass
    raise ModelTimeoutError(
        f"{provider.info().label} did not answer a small test in {seconds:g} seconds.",
        advice="Try it again in Settings when the model is loaded, or choose a smaller one.",
    )


def _is_valid(call: ToolCall) -> bool:
    is_known = call.name == TOOL.name and not call.problem
    return is_known and fits(dict(call.arguments), TOOL.parameters)
