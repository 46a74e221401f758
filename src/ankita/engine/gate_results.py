"""The results of calls that a provider never answered, as the model reads them."""

from __future__ import annotations

from ankita.engine.approval_registry import Settlement
from ankita.engine.toolbox import OfferedTool
from ankita.messages import Effect, ToolResult, ToolStatus

REFUSED_ADVICE = "Do not try it again in another way; ask the user what they want instead."
PARKED_TEXT = (
    "Not run: the user wants to decide about this later. It was neither allowed nor refused."
    " Do not repeat it and do not work around it; go on with what does not need it, and tell"
    " the user what is left open."
)


def denied(reason: str) -> ToolResult:
    """The blocklist said no."""
    return ToolResult(ToolStatus.DENIED, f"Denied: {reason}. {REFUSED_ADVICE}")


def refused(settlement: Settlement) -> ToolResult:
    """A person said no, or the request was withdrawn."""
    said = f"the user said no on the {settlement.by}. Nothing was done."
    if settlement.answer is None:
        said = f"the request was withdrawn ({settlement.by})."
    return ToolResult(ToolStatus.DENIED, f"Denied: {said} {REFUSED_ADVICE}")


def parked() -> ToolResult:
    """A person said "not now"."""
    return ToolResult(ToolStatus.PARKED, PARKED_TEXT)


def not_launched(reason: str) -> ToolResult:
    """It was allowed, or asked for, and could not be run as it was."""
    return ToolResult(ToolStatus.FAILED, f"Error: {reason.rstrip('.')}; it was not run.")


def broke(tool: OfferedTool, error: Exception) -> ToolResult:
    """The provider itself failed; of a change nobody knows whether it happened."""
    kind = type(error).__name__
    if tool.spec.effect is Effect.READS:
        return ToolResult(ToolStatus.FAILED, f"Error: the tool broke ({kind}).")
    return ToolResult(
        ToolStatus.UNCERTAIN,
        f"Error: tool outcome is uncertain, the tool broke ({kind}); check before doing it again.",
    )
