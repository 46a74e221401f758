"""The gate alone, on real files and a real database, with tools that only remember."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ankita.durable import DurableFiles
from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.commands import Answer
from ankita.engine.decisions import DecisionDesk
from ankita.engine.event_bus import EventBus
from ankita.engine.events import Event
from ankita.engine.fence import TurnFence
from ankita.engine.gate import Admission, Caller, CallHooks, Gate
from ankita.engine.state import EngineState, PendingApproval
from ankita.engine.toolbox import OfferedTool
from ankita.ids import CallId, TeammateId, ThreadId, TurnId, new_id
from ankita.messages import Effect, JsonObject, Phase, ToolCall, ToolResult, ToolSpec
from ankita.security.audit import AuditLog
from ankita.security.grants import SessionGrants
from ankita.security.policy import Verdict
from ankita.security.tier_store import TierStore
from ankita.storage import Database
from tests.fakes.tools import FakeToolProvider

SECONDS = 20.0
RUN = ToolSpec(
    "run_command",
    "Run a command.",
    {"type": "object"},
    Effect.CHANGES,
    "shell",
    Phase.ACTING,
    key_arguments=("command", "folder"),
)


class HandClock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self.ticks = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.ticks

    def pass_days(self, days: float) -> None:
        self.wall += timedelta(days=days)
        self.ticks += days * 86400


@dataclass
class GateLab:
    """Calls go in; questions are answered by the test."""

    gate: Gate
    registry: ApprovalRegistry
    rules: TierStore
    bus: EventBus
    clock: HandClock
    provider: FakeToolProvider
    caller: Caller
    database: Database
    events: list[Event] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(
        self, spec: ToolSpec, arguments: JsonObject, caller: Caller | None = None
    ) -> ToolResult:
        """One call to its result; waits as long as nobody answers."""
        self.provider.specs = [spec]
        call = ToolCall(CallId(new_id()), spec.name, arguments)
        tool = OfferedTool(spec, self.provider)
        return await self.gate.call(tool, call, caller or self.caller, _hooks(self.database))

    async def asked(self) -> PendingApproval:
        """Wait for a question that is not put off."""
        async with asyncio.timeout(SECONDS):
            while True:
                open_now = [a for a in self.bus.state.approvals if not a.parked_at]
                if open_now:
                    return open_now[0]
                self.changed.clear()
                await self.changed.wait()

    async def answered(
        self,
        spec: ToolSpec,
        arguments: JsonObject,
        answer: Answer | None,
        days: int | None = None,
    ) -> ToolResult:
        """A call that must ask, with its answer."""
        running = asyncio.create_task(self.call(spec, arguments))
        approval = await self.asked()
        if answer is not None:
            self.gate.check_answer(approval.id, answer, days)
        await self.registry.settle(approval.id, Settlement(answer, "window", days))
        return await asyncio.wait_for(running, SECONDS)

    async def asks(self, spec: ToolSpec, arguments: JsonObject) -> PendingApproval:
        """A call that must ask and gets a no; the question."""
        running = asyncio.create_task(self.call(spec, arguments))
        approval = await self.asked()
        await self.registry.settle(approval.id, Settlement(Answer.NO, "window"))
        await asyncio.wait_for(running, SECONDS)
        return approval

    async def later(self, question: Question, spec: ToolSpec, answer: Answer) -> ToolResult:
        """Answer what was put off, as a turn of its own does."""
        self.provider.specs = [spec]
        settlement = Settlement(answer, "window")
        settled = await self.registry.settle(question.approval.id, settlement)
        tool = OfferedTool(spec, self.provider)
        return await self.gate.after_answer(
            tool, settled, settlement, self.caller, _hooks(self.database)
        )

    def other_turn(self) -> Caller:
        return replace(self.caller, turn_id=TurnId(new_id()), fence=TurnFence())


def _hooks(database: Database) -> CallHooks:
    async def asking(_verdict: Verdict) -> None:
        return

    async def admitted(admission: Admission) -> None:
        await database.write(admission.record)

    return CallHooks(asking, admitted, lambda _line: None)


@asynccontextmanager
async def gate_lab(
    folder: Path,
    *,
    clock: HandClock | None = None,
    find_folder: Callable[[str], Path] | None = None,
) -> AsyncIterator[GateLab]:
    """A gate on the profile in `folder`, with a folder in it for commands."""
    clock = clock or HandClock()
    bus = EventBus(EngineState())
    database = await asyncio.to_thread(Database, folder / "ankita.db")
    registry = ApprovalRegistry(database, lambda value: value, bus, clock)
    rules = TierStore(DurableFiles(folder), folder / "mcp-tiers.json", clock)
    await asyncio.to_thread(rules.load)
    grants = SessionGrants(clock)
    desk = DecisionDesk(AuditLog(database, lambda value: value), rules, grants, bus, clock)
    find = find_folder or (lambda text: (folder / "work" / text).resolve())
    gate = Gate(rules, grants, registry, desk, clock, find)
    caller = Caller(ThreadId("thread"), TurnId("turn"), TeammateId("mira"), TurnFence())
    lab = GateLab(gate, registry, rules, bus, clock, FakeToolProvider(), caller, database)

    def hear(numbered: object) -> None:
        lab.events.append(numbered.event)  # type: ignore[attr-defined]
        lab.changed.set()

    bus.subscribe(hear)
    try:
        await registry.restore()
        yield lab
    finally:
        await database.aclose()
