"""What a turn does: talk with its model, or first run a call that was answered late."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import MappingProxyType

from ankita.engine.approval_registry import Question, Settlement
from ankita.engine.fence import TurnStoppedError
from ankita.engine.gate import Caller
from ankita.engine.limits import MAX_TOOL_STEPS, SAME_RESULTS
from ankita.engine.message_queue import MessageQueue
from ankita.engine.receipts import Receipts
from ankita.engine.tool_loop import LoopEnd, ToolLoop
from ankita.engine.tool_run import ToolRun
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.engine.turn_end import TurnEnd
from ankita.errors import AnkitaError, ModelError
from ankita.ids import CallId, TeammateId, new_id
from ankita.memory.transcript import NoticeLevel, ReplyItem, ToolItem, TurnStatus
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)

ModelSource = Callable[[TeammateId], Awaitable[ModelProvider]]
"""Gives the model that answers for a teammate now."""

Work = Callable[[Caller], Awaitable[TurnStatus]]

_END_WORDS = {
    LoopEnd.STEP_LIMIT: f"Stopped after {MAX_TOOL_STEPS} steps. Send a message to go on.",
    LoopEnd.CIRCLING: (
        f"Stopped: the same call gave the same result {SAME_RESULTS} times. Say what it should"
        " do differently, or what it lacks."
    ),
}


class TurnWork:
    """Makes the work of turns; each ends in a status, whatever happens in it."""

    def __init__(
        self,
        loop: ToolLoop,
        toolbox: Toolbox,
        transcripts: Transcripts,
        queue: MessageQueue,
        end: TurnEnd,
        model: ModelSource,
    ) -> None:
        self._loop = loop
        self._toolbox = toolbox
        self._transcripts = transcripts
        self._queue = queue
        self._end = end
        self._model = model

    async def guarded(self, caller: Caller, work: Work) -> TurnStatus:
        """Do the work; whatever happens in it becomes the turn's status and a sentence."""
        try:
            return await work(caller)
        except TurnStoppedError:
            return TurnStatus.STOPPED
        except ModelError as error:
            await self._end.say(caller, error.sentence(), NoticeLevel.ERROR, can_retry=True)
        except AnkitaError as error:
            await self._end.say(caller, error.sentence(), NoticeLevel.ERROR)
        except Exception:
            log.exception("a turn failed")
            words = "Something in Ankita broke; the log has the details."
            await self._end.say(caller, words, NoticeLevel.ERROR)
        return TurnStatus.FAILED

    async def converse(
        self, caller: Caller, first_step: int = 1, receipts: Receipts = MappingProxyType({})
    ) -> TurnStatus:
        """Go on from what the thread holds until the model stops."""
        provider = await self._model(caller.teammate_id)
        end = await self._loop.run(caller, provider, first_step, receipts)
        if end in _END_WORDS:
            await self._end.say(caller, _END_WORDS[end], NoticeLevel.WARNING)
        return TurnStatus.DONE

    async def take_queue(self, caller: Caller) -> TurnStatus:
        """Begin with what waited for the turn before."""
        if not await self._queue.put_into(caller.thread_id, caller.turn_id):
            return TurnStatus.DONE  # The user took it back; nothing is left to answer.
        return await self.converse(caller)

    async def do_parked(
        self, caller: Caller, question: Question, settlement: Settlement
    ) -> TurnStatus:
        """Begin with a call that the user had put off and now allowed."""
        call = replace(question.call, id=CallId(new_id()))
        run = self._loop.new_run(caller, 1, call)
        await run.store()
        await self._run_answered(run, replace(question, call=call), settlement)
        return await self.converse(caller, 2)

    async def go_on(self, caller: Caller, question: Question, settlement: Settlement) -> TurnStatus:
        """Run a call whose question was answered after a restart, and finish its turn."""
        items = self._transcripts.items(caller.thread_id)
        mine = [i for i in items if i.turn_id == caller.turn_id]
        calls = [i for i in mine if isinstance(i, ToolItem)]
        item = next(i for i in calls if i.call_id == question.call.id)
        await self._run_answered(self._loop.tool_run(caller, item), question, settlement)
        if self._end.old_questions(caller.thread_id):
            return TurnStatus.INTERRUPTED
        last = max(i.step for i in mine if isinstance(i, ReplyItem | ToolItem))
        return await self.converse(caller, last + 1)

    async def _run_answered(self, run: ToolRun, question: Question, settlement: Settlement) -> None:
        tool = self._toolbox.find(run.call.name)
        if tool is None:
            await run.go(None)
        else:
            await run.go_on(tool, question, settlement)
