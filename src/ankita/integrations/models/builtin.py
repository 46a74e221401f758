"""The built-in assistant: a model provider made of rules, for when there is no model.

It speaks the same protocol as any model, so its calls pass the same loop, gate and
record. A user message gives at most one call; a tool's result is quoted and never read
for orders. It keeps nothing between requests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

from ankita.ids import CallId, new_id
from ankita.integrations.models import builtin_words as words
from ankita.integrations.models.builtin_arguments import Act
from ankita.integrations.models.builtin_replies import outcome_of
from ankita.integrations.models.builtin_thread import newest_user, trailing_results
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolCallReady,
    Usage,
)

LABEL = "Built-in assistant"
MODEL = "built-in rules"


class BuiltInAssistant:
    """Answers without a model, key or network. Safe to share between threads."""

    def __init__(self, new_call_id: Callable[[], str] = new_id) -> None:
        self._new_call_id = new_call_id

    def info(self) -> ModelInfo:
        """Who answers: plainly not a language model."""
        return ModelInfo(label=LABEL, model=MODEL, is_local=True, is_built_in=True)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One reply: text, at most one call, then Usage of zero and Finished. Never raises."""
        for event in self._reply(request):
            yield event

    async def aclose(self) -> None:
        """Nothing to release."""

    def _reply(self, request: ModelRequest) -> Iterator[ModelEvent]:
        reason = FinishReason.STOP
        past = trailing_results(request.messages)
        index = newest_user(request.messages)
        if past:
            yield TextDelta(words.results(past))
        elif index is None:
            yield TextDelta(words.did_nothing(()))
        else:
            tools = {tool.name: tool for tool in request.tools}
            outcome = outcome_of(request.messages, index, tools)
            if isinstance(outcome, Act):
                if outcome.tool.effect is not Effect.READS:
                    yield TextDelta(words.understood(outcome.tool, outcome.arguments))
                call_id = CallId(self._new_call_id())
                yield ToolCallReady(ToolCall(call_id, outcome.tool.name, outcome.arguments))
                reason = FinishReason.TOOL_CALLS
            else:
                yield TextDelta(outcome.text)
        yield Usage(0, 0)
        yield Finished(reason)
