"""Tool providers for tests: one that does what it is told, one that remembers its calls."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ankita.errors import ToolError
from ankita.ids import CallId, ThreadId, TurnId
from ankita.messages import Effect, Json, JsonObject, Phase, ToolResult, ToolSpec, ToolStatus
from ankita.protocols import CallContext, ToolProvider

Handler = Callable[[str, JsonObject, CallContext], ToolResult | Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call as it arrived."""

    name: str
    arguments: JsonObject
    context: CallContext


def make_spec(
    name: str = "look_up",
    *,
    effect: Effect = Effect.READS,
    app: str = "test",
    phase: Phase = Phase.READING,
    key_arguments: tuple[str, ...] = (),
    **properties: Json,
) -> ToolSpec:
    """A tool whose arguments are the given JSON schema properties, none of them required."""
    schema = {"type": "object", "properties": properties}
    return ToolSpec(name, f"Test tool {name}.", schema, effect, app, phase, "fake", key_arguments)


def make_context(
    report: Callable[[str], None] = lambda _line: None,
    *,
    thread: str = "thread",
    turn: str = "turn",
    call: str = "call",
) -> CallContext:
    """A context for calling a provider without an engine."""
    return CallContext(ThreadId(thread), TurnId(turn), CallId(call), report)


class FakeToolProvider:
    """Offers `specs` (may be changed at any time) and answers with `handler`.

    The handler may be plain or a coroutine function, may raise ToolError, and may wait
    for ever to play a tool that hangs. `calls` lists what arrived, also what failed.
    """

    def __init__(self, specs: Sequence[ToolSpec] = (), handler: Handler | None = None) -> None:
        self.specs = list(specs)
        self.handler = handler
        self.calls: list[RecordedCall] = []
        self.is_closed = False
        self.ended_turns: list[TurnId] = []

    def tools(self) -> Sequence[ToolSpec]:
        return tuple(self.specs)

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        self.calls.append(RecordedCall(name, arguments, context))
        if name not in {spec.name for spec in self.specs}:
            raise ToolError(f"There is no tool {name}.")
        if self.handler is None:
            return ToolResult(ToolStatus.OK, f"{name} done")
        answer = self.handler(name, arguments, context)
        return await answer if inspect.isawaitable(answer) else answer

    async def end_turn(self, turn_id: TurnId) -> None:
        self.ended_turns.append(turn_id)

    async def aclose(self) -> None:
        self.is_closed = True


class RecordingToolProvider:
    """Passes everything to another provider and remembers the calls."""

    def __init__(self, inner: ToolProvider) -> None:
        self._inner = inner
        self.calls: list[RecordedCall] = []
        self.close_count = 0

    def tools(self) -> Sequence[ToolSpec]:
        return self._inner.tools()

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        self.calls.append(RecordedCall(name, arguments, context))
        return await self._inner.call(name, arguments, context)

    async def end_turn(self, turn_id: TurnId) -> None:
        await self._inner.end_turn(turn_id)

    async def aclose(self) -> None:
        self.close_count += 1
        await self._inner.aclose()
