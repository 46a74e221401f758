"""Owned doubles of a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

from ankita.errors import ModelError
from ankita.ids import CallId, new_id
from ankita.messages import (
    Finished,
    FinishReason,
    JsonObject,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolSpec,
    Usage,
)

TOOL_WORD = "#tool"
"""A message with this word makes the fake model call the first tool that it is offered."""


class FakeModelProvider:
    """Works without any server: answers, calls a tool when asked to, reads its result."""

    def __init__(self, *, label: str = "fake · local") -> None:
        self._info = ModelInfo(label=label, model="fake", is_local=True)
        self.is_closed = False

    def info(self) -> ModelInfo:
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        last = request.messages[-1]
        if last.role is Role.TOOL:
            text = f"The tool said: {last.text}"
        elif TOOL_WORD in last.text and request.tools:
            yield ToolCallReady(_simple_call(request.tools[0]))
            yield Finished(FinishReason.TOOL_CALLS)
            return
        else:
            text = f"You said: {last.text}"
        for word in text.split(" "):
            await asyncio.sleep(0)
            yield TextDelta(word + " ")
        yield Usage(prompt_tokens=len(request.messages), completion_tokens=len(text.split(" ")))
        yield Finished(FinishReason.STOP)

    async def aclose(self) -> None:
        self.is_closed = True


def _simple_call(tool: ToolSpec) -> ToolCall:
    properties = tool.parameters.get("properties", {})
    arguments = {
        name: "text"
        for name in tool.parameters.get("required", ())
        if properties.get(name, {}).get("type") == "string"
    }
    return ToolCall(CallId(new_id()), tool.name, arguments)


@dataclass(slots=True)
class Gate:
    """A place in a script where the model waits until the test opens it.

    `reached` is set when the model stands there.
    """

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        self.opened.set()


ScriptedStep = ModelEvent | ModelError | Gate


def says(*pieces: str) -> list[ScriptedStep]:
    """A reply of text."""
    return [*(TextDelta(piece) for piece in pieces), Finished(FinishReason.STOP)]


def calls(*wanted: tuple[str, JsonObject], text: str = "") -> list[ScriptedStep]:
    """A reply with tool calls, after some text if there is any."""
    before: list[ScriptedStep] = [TextDelta(text)] if text else []
    made = [ToolCallReady(ToolCall(CallId(new_id()), name, args)) for name, args in wanted]
    return [*before, *made, Finished(FinishReason.TOOL_CALLS)]


class ScriptedModelProvider:
    """Plays its replies in order and keeps every request in `requests`.

    A reply is a list of events, errors (raised) and gates (waited at). A request
    beyond the script fails the test with an AssertionError.
    """

    def __init__(
        self,
        replies: Iterable[Iterable[ScriptedStep]] = (),
        *,
        info: ModelInfo | None = None,
    ) -> None:
        self._replies = [list(reply) for reply in replies]
        self._info = info or ModelInfo(label="scripted · local", model="scripted", is_local=True)
        self.requests: list[ModelRequest] = []
        self.abandoned = 0
        """Replies that were left before their last step."""
        self.is_closed = False

    def add(self, *replies: Iterable[ScriptedStep]) -> None:
        self._replies += [list(reply) for reply in replies]

    def info(self) -> ModelInfo:
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        assert self._replies, "the model was asked more often than the script says"
        is_over = False
        try:
            for step in self._replies.pop(0):
                if isinstance(step, ModelError):
                    is_over = True
                    raise step
                if isinstance(step, Gate):
                    step.reached.set()
                    await step.opened.wait()
                else:
                    is_over = isinstance(step, Finished)
                    yield step
        finally:
            self.abandoned += not is_over

    async def aclose(self) -> None:
        self.is_closed = True
