"""How a turn ends: its questions withdrawn, its calls settled, its end said and shown."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Iterator

from ankita.engine.approval_registry import ApprovalRegistry
from ankita.engine.event_bus import EventBus
from ankita.engine.fence import TurnFence
from ankita.engine.gate import Caller, Gate
from ankita.engine.receipts import stopped_words
from ankita.engine.state import Activity
from ankita.engine.team import Team
from ankita.engine.tool_loop import ToolLoop
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.ids import ThreadId, TurnId
from ankita.memory.transcript import NoticeLevel, ToolItem, TurnStatus
from ankita.messages import Effect

log = logging.getLogger(__name__)


class TurnEnd:
    """Every step is tried, whatever became of the one before: a turn always ends."""

    def __init__(
        self,
        loop: ToolLoop,
        gate: Gate,
        registry: ApprovalRegistry,
        toolbox: Toolbox,
        transcripts: Transcripts,
        team: Team,
        bus: EventBus,
    ) -> None:
        self._loop = loop
        self._gate = gate
        self._registry = registry
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._team = team
        self._bus = bus

    async def settle(self, caller: Caller, status: TurnStatus) -> None:
        """End what the turn left running, and give every open call its result."""
        if status is TurnStatus.STOPPED:
            await tried(self._toolbox.end_turn(caller.turn_id))
        if status is not TurnStatus.INTERRUPTED:
            why = "stopped" if status is TurnStatus.STOPPED else "ended"
            await tried(self._gate.withdraw(caller, f"the turn was {why}"))
            await tried(self._settle_open_calls(caller))
        if status is TurnStatus.STOPPED:
            changes = [i for i in self._calls_of(caller) if i.effect is Effect.CHANGES]
            await self.say(caller, stopped_words(changes), NoticeLevel.INFO)

    async def store(self, caller: Caller, status: TurnStatus) -> None:
        await tried(self._transcripts.end_turn(caller.thread_id, caller.turn_id, status))

    def show(self, caller: Caller, status: TurnStatus) -> None:
        summary = self._bus.state.threads.get(caller.thread_id)
        name = summary.title if summary else "a deleted thread"
        activity, words = {
            TurnStatus.DONE: (Activity.DONE, f"finished {name}"),
            TurnStatus.STOPPED: (Activity.IDLE, f"stopped {name}"),
            TurnStatus.INTERRUPTED: (Activity.IDLE, ""),
        }.get(status, (Activity.FAILED, f"could not finish {name}"))
        self._team.show(caller.teammate_id, activity, words, thread_id=caller.thread_id, log=True)

    async def say(
        self, caller: Caller, text: str, level: NoticeLevel, *, can_retry: bool = False
    ) -> None:
        """Add a sentence of the product's own to the thread; a full disk ends no turn."""
        where = (caller.thread_id, caller.turn_id)
        await tried(self._transcripts.say(*where, text, level, can_retry=can_retry))

    def old_questions(self, thread_id: ThreadId) -> list[tuple[TurnId, str]]:
        """The turns and calls of questions from before a restart, which no turn awaits."""
        return [
            (approval.turn_id, approval.call_id)
            for approval in self._bus.state.approvals
            if approval.thread_id == thread_id
            and not approval.parked_at
            and not self._registry.is_awaited(approval.id)
        ]

    async def withdraw_old(self, thread_id: ThreadId, why: str) -> None:
        """Old questions die when the user goes on without answering. The thread is claimed."""
        old = self.old_questions(thread_id)
        for item in self._transcripts.items(thread_id):
            if (
                isinstance(item, ToolItem)
                and (item.turn_id, item.call_id) in old
                and not item.status.is_settled
            ):
                await self._transcripts.save(thread_id, item.not_run("you went on without it"))
        teammate_id = self._transcripts.summary(thread_id).teammate_id
        for turn_id in {turn_id for turn_id, _ in old}:
            await self._gate.withdraw(Caller(thread_id, turn_id, teammate_id, TurnFence()), why)

    def _calls_of(self, caller: Caller) -> Iterator[ToolItem]:
        for item in self._transcripts.items(caller.thread_id):
            if isinstance(item, ToolItem) and item.turn_id == caller.turn_id:
                yield item

    async def _settle_open_calls(self, caller: Caller) -> None:
        for item in list(self._calls_of(caller)):
            if not item.status.is_settled:
                await self._loop.tool_run(caller, item).settle_if_open()


async def tried(step: Awaitable[object]) -> None:
    """Do a step of a turn's end; its failure is logged."""
    try:
        await step
    except Exception:
        # The turn ends all the same; what could not be stored, recovery makes true later.
        log.exception("a step of a turn's end failed")
