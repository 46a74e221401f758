"""The running turns, at most one a thread: start, stop, go on after an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ankita.clock import Clock
from ankita.config import Settings
from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.event_bus import EventBus
from ankita.engine.fence import TurnFence, TurnStoppedError
from ankita.engine.gate import Caller, Gate
from ankita.engine.limits import MAX_TOOL_STEPS, STOP_SECONDS
from ankita.engine.prompt import build_history, system_prompt
from ankita.engine.state import Activity, AttachmentStatus
from ankita.engine.team import Team
from ankita.engine.tool_loop import LoopEnd, ToolLoop
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.errors import AnkitaError, CommandRefusedError, ModelError
from ankita.ids import ThreadId, TurnId
from ankita.memory.transcript import NoticeLevel, ToolItem, TurnStatus, UserItem
from ankita.messages import Message, Role
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)

ModelSource = Callable[[], Awaitable[ModelProvider]]


@dataclass(slots=True)
class RunningTurn:
    caller: Caller
    task: asyncio.Task[None]


class Turns:
    """The only starter of turns. `model` gives the provider that answers now."""

    def __init__(
        self,
        loop: ToolLoop,
        gate: Gate,
        registry: ApprovalRegistry,
        toolbox: Toolbox,
        transcripts: Transcripts,
        team: Team,
        bus: EventBus,
        model: ModelSource,
        clock: Clock,
    ) -> None:
        self._loop = loop
        self._gate = gate
        self._registry = registry
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._team = team
        self._bus = bus
        self._model = model
        self._clock = clock
        self._running: dict[ThreadId, RunningTurn] = {}
        self._starting: set[ThreadId] = set()

    async def send(self, thread_id: ThreadId, text: str) -> TurnId:
        """Start a turn with a user message. Raises CommandRefusedError."""
        await self._transcripts.open(thread_id)
        attachments = self._bus.state.attachments.get(thread_id, ())
        if any(a.status is AttachmentStatus.READING for a in attachments):
            raise CommandRefusedError("A file is still being read.", advice="Wait a moment.")
        ready = [a for a in attachments if a.status is AttachmentStatus.READY]
        if not text.strip() and not ready:
            raise CommandRefusedError("There is nothing to send.")
        with self._claim(thread_id):
            await self._withdraw_old(thread_id)
            turn = await self._transcripts.start_turn(thread_id, text, ready)
            self._start(thread_id, turn.id, 1)
        return turn.id

    async def retry(self, thread_id: ThreadId) -> TurnId:
        """Ask the model again with what the thread holds; no call is run again."""
        await self._transcripts.open(thread_id)
        if not any(isinstance(i, UserItem) for i in self._transcripts.items(thread_id)):
            raise CommandRefusedError("There is no message to answer yet.")
        with self._claim(thread_id):
            await self._withdraw_old(thread_id)
            turn = await self._transcripts.continue_turn(thread_id)
            self._start(thread_id, turn.id, 1)
        return turn.id

    async def go_on(self, question: Question, settlement: Settlement) -> None:
        """Answer a question from before a restart: run its call, finish its turn."""
        approval = question.approval
        thread_id, turn_id = approval.thread_id, approval.turn_id
        await self._transcripts.open(thread_id)
        with self._claim(thread_id):
            # Running first, answered second: a crash in between leaves a turn that recovery
            # looks at, never an answer whose call nobody settles.
            await self._transcripts.reopen_turn(thread_id, turn_id)
            try:
                await self._registry.settle(approval.id, settlement)
            except AnkitaError:
                await self._transcripts.end_turn(thread_id, turn_id, TurnStatus.INTERRUPTED)
                raise
            self._start(thread_id, turn_id, 1, (question, settlement))

    async def stop(self, thread_id: ThreadId) -> None:
        """Returns once nothing of the turn runs any more."""
        running = self._running.get(thread_id)
        if running is None:
            await self._withdraw_old(thread_id)
            return
        running.caller.fence.stop()
        running.task.cancel()
        await asyncio.wait([running.task])

    async def aclose(self) -> None:
        """Stop every turn; what was waiting for a person stays pending for the next start."""
        turns = list(self._running.values())
        for turn in turns:
            turn.caller.fence.stop(closing=True)
            turn.task.cancel()
        if turns:
            await asyncio.wait([turn.task for turn in turns], timeout=STOP_SECONDS)

    def _claim(self, thread_id: ThreadId) -> _Claim:
        if thread_id in self._running or thread_id in self._starting:
            raise CommandRefusedError(
                "A reply is still being worked on here.", advice="Wait for it or press Stop."
            )
        return _Claim(self._starting, thread_id)

    def _start(
        self,
        thread_id: ThreadId,
        turn_id: TurnId,
        first_step: int,
        answered: tuple[Question, Settlement] | None = None,
    ) -> None:
        teammate_id = self._transcripts.summary(thread_id).teammate_id
        caller = Caller(thread_id, turn_id, teammate_id, TurnFence())
        task = asyncio.create_task(self._run(caller, first_step, answered))
        self._running[thread_id] = RunningTurn(caller, task)

    async def _run(
        self, caller: Caller, first_step: int, answered: tuple[Question, Settlement] | None
    ) -> None:
        status = TurnStatus.FAILED
        try:
            if answered is not None:
                first_step = await self._run_answered(caller, *answered)
            status = await self._converse(caller, first_step)
        except (asyncio.CancelledError, TurnStoppedError):
            status = TurnStatus.STOPPED
        except ModelError as error:
            await self._say_quietly(caller, error.sentence(), can_retry=True)
        except AnkitaError as error:
            await self._say_quietly(caller, error.sentence())
        except Exception:
            log.exception("a turn failed")
            await self._say_quietly(caller, "Something in Ankita broke; the log has the details.")
        finally:
            if caller.fence.is_closing:
                self._running.pop(caller.thread_id, None)
            else:
                await self._end(caller, status)

    async def _converse(self, caller: Caller, first_step: int) -> TurnStatus:
        provider = await self._model()
        history = [self._system(caller), *await self._history(caller.thread_id)]
        if history[-1].role is Role.ASSISTANT and not history[-1].tool_calls:
            # A partial reply that is tried again: it stays in the thread, the model starts anew.
            history.pop()
        end = await self._loop.run(caller, provider, history, first_step)
        if end is LoopEnd.STEP_LIMIT:
            text = f"Stopped after {MAX_TOOL_STEPS} steps. Send a message to go on."
            await self._transcripts.say(caller.thread_id, caller.turn_id, text, NoticeLevel.WARNING)
        return TurnStatus.DONE

    async def _run_answered(
        self, caller: Caller, question: Question, settlement: Settlement
    ) -> int:
        """Run the one call that was answered; the number of the step that follows."""
        item = next(
            item
            for item in self._transcripts.items(caller.thread_id)
            if isinstance(item, ToolItem)
            and item.turn_id == caller.turn_id
            and item.call_id == question.call.id
        )
        run = self._loop.tool_run(caller, item)
        try:
            tool = self._toolbox.find(item.name)
            if tool is None:
                await run.go(None)
            else:
                await run.go_on(tool, question, settlement)
        finally:
            await run.settle_if_open()
        return item.step + 1

    async def _end(self, caller: Caller, status: TurnStatus) -> None:
        try:
            if status is TurnStatus.STOPPED:
                await self._toolbox.end_turn(caller.turn_id)
                await self._gate.withdraw(caller, "the turn was stopped")
                await self._transcripts.say(
                    caller.thread_id, caller.turn_id, "Stopped.", NoticeLevel.INFO
                )
            await self._transcripts.end_turn(caller.thread_id, caller.turn_id, status)
        except AnkitaError as error:
            # The disk may be full: the turn is over all the same, and recovery will see it.
            log.error("the end of a turn was not stored: %s", error)
        finally:
            self._running.pop(caller.thread_id, None)
            self._show_end(caller, status)

    def _show_end(self, caller: Caller, status: TurnStatus) -> None:
        name = self._title(caller)
        activity, words = {
            TurnStatus.DONE: (Activity.DONE, f"finished {name}"),
            TurnStatus.STOPPED: (Activity.IDLE, f"stopped {name}"),
        }.get(status, (Activity.FAILED, f"could not finish {name}"))
        self._team.show(caller.teammate_id, activity, words, thread_id=caller.thread_id, log=True)

    def _title(self, caller: Caller) -> str:
        summary = self._bus.state.threads.get(caller.thread_id)
        return summary.title if summary else "a deleted thread"

    async def _say_quietly(self, caller: Caller, text: str, *, can_retry: bool = False) -> None:
        try:
            await self._transcripts.say(
                caller.thread_id, caller.turn_id, text, NoticeLevel.ERROR, can_retry=can_retry
            )
        except AnkitaError as error:
            log.error("a notice was not stored: %s (%s)", text, error)

    async def _withdraw_old(self, thread_id: ThreadId) -> None:
        """Requests from before a restart die when the user goes on without answering."""
        for approval in self._bus.state.approvals:
            if approval.thread_id == thread_id and not self._registry.is_awaited(approval.id):
                await self._not_run(thread_id, approval.turn_id, approval.call_id)
                caller = Caller(thread_id, approval.turn_id, approval.teammate_id, TurnFence())
                await self._gate.withdraw(caller, "the conversation went on")

    async def _not_run(self, thread_id: ThreadId, turn_id: TurnId, call_id: str) -> None:
        for item in self._transcripts.items(thread_id):
            if (
                isinstance(item, ToolItem)
                and (item.turn_id, item.call_id) == (turn_id, call_id)
                and not item.status.is_settled
            ):
                await self._transcripts.save(thread_id, item.not_run("you went on without it"))

    def _system(self, caller: Caller) -> Message:
        teammate = self._team.get(caller.teammate_id)
        settings: Settings = self._bus.state.settings
        text = system_prompt(
            teammate.name if teammate else "Ankita",
            self._clock.now().astimezone(),
            self._bus.state.workspace,
            settings.folders,
        )
        return Message(Role.SYSTEM, text)

    async def _history(self, thread_id: ThreadId) -> list[Message]:
        rows = await self._transcripts.store.attachments(thread_id, sent=True)
        return build_history(self._transcripts.items(thread_id), {row.id: row for row in rows})


class _Claim:
    """While a turn is being stored, its thread is taken: two sends must not both start."""

    def __init__(self, starting: set[ThreadId], thread_id: ThreadId) -> None:
        self._starting = starting
        self._thread_id = thread_id

    def __enter__(self) -> None:
        self._starting.add(self._thread_id)

    def __exit__(self, *_: object) -> None:
        self._starting.discard(self._thread_id)
