"""Carries out commands: each goes to the one part of the engine that owns its matter."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ankita.engine import commands as c
from ankita.engine.approval_registry import ApprovalRegistry, Settlement
from ankita.engine.attachments import Attachments
from ankita.engine.event_bus import EventBus
from ankita.engine.events import NoticeDismissed
from ankita.engine.gate import Gate
from ankita.engine.permissions import Permissions
from ankita.engine.preferences import Preferences
from ankita.engine.servers import Servers
from ankita.engine.transcripts import Transcripts
from ankita.engine.turns import Turns
from ankita.errors import CommandRefusedError
from ankita.ids import RequestId

log = logging.getLogger(__name__)

Closer = Callable[[], Awaitable[None]]


class CommandHandlers:
    """`closers` run in order when the engine ends."""

    def __init__(
        self,
        *,
        turns: Turns,
        transcripts: Transcripts,
        attachments: Attachments,
        registry: ApprovalRegistry,
        gate: Gate,
        servers: Servers,
        preferences: Preferences,
        permissions: Permissions,
        bus: EventBus,
        closers: tuple[Closer, ...],
    ) -> None:
        self._turns = turns
        self._transcripts = transcripts
        self._attachments = attachments
        self._registry = registry
        self._gate = gate
        self._servers = servers
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
            case c.StopTurn(thread_id):
                return await self._turns.stop(thread_id)
            case c.DecideApproval(request_id, answer, surface):
                return await self._decide(request_id, answer, surface)
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
            case c.GrantFolder() | c.RevokeFolder() | c.ChangeAppearance():
                return await self._preferences.handle(command)
            case _:
                return await self._servers.handle(command)

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
                return await self._transcripts.create(teammate_id)
            case c.OpenThread(thread_id):
                return await self._transcripts.open(thread_id)
            case c.SaveDraft(thread_id, text):
                return await self._transcripts.save_draft(thread_id, _valid_unicode(text))
            case c.DeleteThread(thread_id):
                async with self._turns.kept_free(thread_id):
                    await self._attachments.cancel(thread_id)
                    return await self._transcripts.delete(thread_id)

    async def _decide(self, request_id: RequestId, answer: c.Answer, surface: str) -> None:
        self._gate.check_answer(request_id, answer)
        settlement = Settlement(answer, surface)
        question = self._registry.find(request_id)
        if question is not None:
            self._turns.check_answerable(question.approval.thread_id)
        if question is None or self._registry.is_awaited(request_id):
            await self._registry.settle(request_id, settlement)
        else:
            await self._turns.go_on(question, settlement)


def _valid_unicode(text: str) -> str:
    """Half of a surrogate pair, as some input methods leave it, can't be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
