"""Carries out commands: each goes to the one part of the engine that owns its matter."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ankita.engine import commands as c
from ankita.engine.answering import Answering
from ankita.engine.approval_registry import ApprovalRegistry, Settlement
from ankita.engine.attachments import Attachments
from ankita.engine.event_bus import EventBus
from ankita.engine.events import NoticeDismissed
from ankita.engine.gate import Gate
from ankita.engine.message_queue import MessageQueue
from ankita.engine.permissions import Permissions
from ankita.engine.preferences import Preferences
from ankita.engine.transcripts import Transcripts
from ankita.engine.turns import Turns
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, ThreadId

log = logging.getLogger(__name__)

Closer = Callable[[], Awaitable[None]]


class CommandHandlers:
    """`closers` run in order when the engine ends."""

    def __init__(
        self,
        *,
        turns: Turns,
        transcripts: Transcripts,
        queue: MessageQueue,
        attachments: Attachments,
        registry: ApprovalRegistry,
        gate: Gate,
        answering: Answering,
        preferences: Preferences,
        permissions: Permissions,
        bus: EventBus,
        closers: tuple[Closer, ...],
    ) -> None:
        self._turns = turns
        self._transcripts = transcripts
        self._queue = queue
        self._attachments = attachments
        self._registry = registry
        self._gate = gate
        self._answering = answering
        self._preferences = preferences
        self._permissions = permissions
        self._bus = bus
        self._closers = closers
        self._is_closing = False

    async def handle(self, command: c.Command) -> Any:
        if self._is_closing:
            raise CommandRefusedError("Ankita is closing.")
        match command:
            case c.SendMessage(thread_id, text):
                return await self._turns.send(thread_id, _valid_unicode(text))
            case c.RetryTurn(thread_id):
                return await self._turns.retry(thread_id)
            case c.UnqueueMessage(thread_id, queued_id):
                return await self._queue.take_back(thread_id, queued_id)
            case c.PinItem(thread_id, item_id, is_pinned):
                await self._transcripts.open(thread_id)
                return await self._transcripts.pin(thread_id, item_id, is_pinned=is_pinned)
            case c.StopTurn(thread_id):
                return await self._turns.stop(thread_id)
            case c.DecideApproval():
                return await self._decide(command)
            case c.AttachFile(thread_id, path):
                return await self._attachments.attach(thread_id, Path(path))
            case c.RemoveAttachment(thread_id, attachment_id):
                return await self._attachments.remove(thread_id, attachment_id)
            case c.DismissNotice(notice_id):
                return self._bus.emit(NoticeDismissed(notice_id))
            case c.CreateThread() | c.OpenThread() | c.DeleteThread() | c.SaveDraft():
                return await self._thread(command)
            case c.RemoveRule() | c.RepairRules():
                return await self._permissions.handle(command)
            case c.GrantFolder() | c.RevokeFolder() | c.ChangeAppearance() | c.ChangeWeb():
                return await self._preferences.handle(command)
            case c.RemoveTeammate(teammate_id):
                return await self._answering.remove_teammate(teammate_id, self._delete_thread)
            case _:
                return await self._answering.handle(command)

    async def aclose(self) -> None:
        """Close everything in order, whatever fails on the way."""
        self._is_closing = True
        for close in (self._turns.aclose, self._attachments.aclose, *self._closers):
            try:
                await close()
            except Exception:
                log.exception("a part of the engine did not close")

    async def _thread(
        self, command: c.CreateThread | c.OpenThread | c.DeleteThread | c.SaveDraft
    ) -> Any:
        match command:
            case c.CreateThread(teammate_id):
                return await self._create_thread(teammate_id)
            case c.OpenThread(thread_id):
                await self._transcripts.open(thread_id)
                return await self._turns.warm(thread_id)
            case c.SaveDraft(thread_id, text):
                return await self._transcripts.save_draft(thread_id, _valid_unicode(text))
            case c.DeleteThread(thread_id):
                return await self._delete_thread(thread_id)

    async def _create_thread(self, teammate_id: TeammateId) -> ThreadId:
        self._answering.check_teammate(teammate_id)
        thread_id = await self._transcripts.create(teammate_id)
        try:
            self._answering.check_teammate(teammate_id)
        except CommandRefusedError:
            # The teammate goes in the same moment, and all its threads with it.
            with suppress(CommandRefusedError):
                await self._delete_thread(thread_id)
            raise
        return thread_id

    async def _delete_thread(self, thread_id: ThreadId) -> None:
        async with self._turns.kept_free(thread_id):
            await self._attachments.cancel(thread_id)
            await self._gate.withdraw_parked(thread_id, "its conversation was deleted")
            await self._transcripts.delete(thread_id)
            self._turns.forget(thread_id)

    async def _decide(self, wish: c.DecideApproval) -> None:
        request_id = wish.request_id
        self._gate.check_answer(request_id, wish.answer, wish.days)
        settlement = Settlement(wish.answer, wish.surface, wish.days)
        question = self._registry.find(request_id)
        if question is not None:
            self._turns.check_answerable(question.approval.thread_id)
        if question is None or self._registry.is_awaited(request_id):
            await self._registry.settle(request_id, settlement)
        elif question.approval.parked_at:
            await self._turns.run_parked(question, settlement)
        else:
            await self._turns.go_on(question, settlement)


def _valid_unicode(text: str) -> str:
    """Half of a surrogate pair, as some input methods leave it, can't be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
