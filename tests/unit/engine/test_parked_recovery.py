"""What was put off, after the process was killed at each moment around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.commands import Answer
from ankita.engine.event_bus import EventBus
from ankita.engine.gate_results import PARKED_TEXT
from ankita.engine.recovery import recover
from ankita.engine.state import EngineState, PendingApproval
from ankita.ids import CallId, ItemId, RequestId, TeammateId, ThreadId, TurnId
from ankita.memory.threads import ThreadRow, ThreadStore
from ankita.memory.transcript import CallStatus, ToolItem, Turn, TurnStatus
from ankita.messages import Effect, Phase, ToolCall
from ankita.security.acts import Act
from ankita.security.policy import Rule, Verdict
from ankita.security.tiers import RiskTier
from ankita.storage import Database
from tests.gate_lab import SECONDS, HandClock

pytestmark = pytest.mark.spec("APR-18", "ENG-4")

AT = "2026-01-01T12:00:00+00:00"
THREAD, TURN, CALL = ThreadId("thread"), TurnId("turn"), CallId("call")
ITEM = ToolItem(
    ItemId("item"),
    TURN,
    1,
    CALL,
    "delete_it",
    {},
    Effect.CHANGES,
    Phase.ACTING,
    "test: delete it",
    "",
    CallStatus.PARKED,
    AT,
    PARKED_TEXT,
)
APPROVAL = PendingApproval(
    RequestId("request"),
    THREAD,
    TURN,
    CALL,
    TeammateId("mira"),
    Act("test", "delete it", (), "Delete once", "Don't delete"),
    Verdict(RiskTier.ALWAYS_ASK, Rule.HEURISTIC, "the name says delete"),
    AT,
)
QUESTION = Question(APPROVAL, "fake", ToolCall(CALL, "delete_it", {}), "digest")


@dataclass(frozen=True)
class Profile:
    store: ThreadStore
    registry: ApprovalRegistry
    asked: asyncio.Event

    async def recovered(self) -> list[Question]:
        return list(await recover(self.store, self.registry, AT))

    async def item(self) -> ToolItem:
        (item,) = [i for i in await self.store.items(THREAD) if isinstance(i, ToolItem)]
        return item


@asynccontextmanager
async def profile(folder: Path) -> AsyncIterator[Profile]:
    database = await asyncio.to_thread(Database, folder / "ankita.db")
    bus, asked = EventBus(EngineState()), asyncio.Event()
    bus.subscribe(lambda _event: asked.set())
    try:
        yield Profile(
            ThreadStore(database, lambda value: value),
            ApprovalRegistry(database, lambda value: value, bus, HandClock()),
            asked,
        )
    finally:
        await database.aclose()


async def killed(folder: Path, item: ToolItem, *, running: bool, answer: Answer | None) -> None:
    """A profile with a question that was put off, and perhaps answered after that."""
    async with profile(folder) as at:
        await at.store.create(ThreadRow(THREAD, TeammateId("mira"), "A thread", "", AT, None))
        await at.store.start_turn(THREAD, Turn(TURN, TurnStatus.RUNNING, AT), [item], [])
        if not running:
            await at.store.set_turn_status(TURN, TurnStatus.DONE, AT)
        asking = asyncio.create_task(at.registry.ask(QUESTION))
        await asyncio.wait_for(at.asked.wait(), SECONDS)
        await at.registry.settle(APPROVAL.id, Settlement(Answer.NOT_NOW, "window"))
        await asking
        if answer is not None:
            await at.registry.settle(APPROVAL.id, Settlement(answer, "window"))


async def test_what_is_put_off_in_a_turn_that_ended_stays_as_it_is(tmp_path: Path) -> None:
    await killed(tmp_path, ITEM, running=False, answer=None)
    for _ in range(2):
        async with profile(tmp_path) as at:
            (question,) = await at.recovered()
            assert question.is_parked
            assert not question.approval.from_before
            assert await at.store.items(THREAD) == (ITEM,)


async def test_it_outlives_the_kill_of_its_running_turn(tmp_path: Path) -> None:
    await killed(tmp_path, ITEM, running=True, answer=None)
    async with profile(tmp_path) as at:
        (question,) = await at.recovered()
        assert question.is_parked
        assert await at.item() == ITEM
        notice = (await at.store.items(THREAD))[-1]
        assert "still waits" not in notice.text, "the turn itself can be tried again"


@pytest.mark.parametrize("status", [CallStatus.ASKING, CallStatus.WAITING])
async def test_a_kill_between_the_answer_and_its_result_leaves_it_put_off(
    tmp_path: Path, status: CallStatus
) -> None:
    await killed(tmp_path, replace(ITEM, status=status, output=""), running=True, answer=None)
    async with profile(tmp_path) as at:
        (question,) = await at.recovered()
        assert question.is_parked
        assert await at.item() == ITEM


async def test_a_kill_after_a_later_yes_runs_nothing_and_asks_nothing(tmp_path: Path) -> None:
    opened = replace(ITEM, status=CallStatus.WAITING, output="")
    await killed(tmp_path, opened, running=True, answer=Answer.YES_ONCE)
    async with profile(tmp_path) as at:
        assert await at.recovered() == []
        assert (await at.item()).status is CallStatus.NOT_RUN


async def test_it_is_withdrawn_where_its_call_has_another_end(tmp_path: Path) -> None:
    await killed(tmp_path, replace(ITEM, status=CallStatus.OK), running=False, answer=None)
    async with profile(tmp_path) as at:
        assert await at.recovered() == []
        assert at.registry.parked() == []
