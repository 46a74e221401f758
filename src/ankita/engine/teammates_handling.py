"""Carries out the commands about teammates, with what hangs on one: server, key, threads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ankita.config import ServerSettings
from ankita.engine.commands import ChangeTeammate, CreateTeammate
from ankita.engine.event_bus import EventBus
from ankita.engine.servers import Servers
from ankita.engine.teammates import Teammates
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, ThreadId

RemoveThread = Callable[[ThreadId], Awaitable[None]]


class TeammateCommands:
    """What a teammate shares with others, such as a key, outlives it."""

    def __init__(self, teammates: Teammates, servers: Servers, bus: EventBus) -> None:
        self._teammates = teammates
        self._servers = servers
        self._bus = bus

    async def handle(self, command: CreateTeammate | ChangeTeammate) -> TeammateId | None:
        match command:
            case CreateTeammate(name, look, instructions, server):
                return await self._create(name, look, instructions, server)
            case ChangeTeammate():
                await self._change(command)
        return None

    async def remove(self, teammate_id: TeammateId, remove_thread: RemoveThread) -> None:
        """Stop its turns and delete it with its threads. Raises CommandRefusedError.

        Where a thread can't be deleted, the teammate stays with those that are left.
        """
        server = self._teammates.check(teammate_id).server
        self._teammates.begin_leaving(teammate_id)
        is_gone = False
        try:
            while threads := self._threads_of(teammate_id):
                await self._remove_thread(threads[0], remove_thread)
            is_gone = True
        finally:
            await self._teammates.end_leaving(teammate_id, is_gone=is_gone)
        await self._servers.settle(before=server)

    async def _remove_thread(self, thread_id: ThreadId, remove_thread: RemoveThread) -> None:
        try:
            await remove_thread(thread_id)
        except CommandRefusedError:
            if thread_id in self._bus.state.threads:
                raise

    async def _create(
        self, name: str, look: str, instructions: str, server: ServerSettings | None
    ) -> TeammateId:
        checked = self._servers.checked(server)
        created = await self._teammates.add(name, look, instructions, checked)
        await self._servers.settle(checked)
        return created

    async def _change(self, wish: ChangeTeammate) -> None:
        before = self._teammates.check(wish.teammate_id).server
        server = self._servers.checked(wish.server)
        await self._teammates.change(
            wish.teammate_id, wish.name, wish.look, wish.instructions, server
        )
        if server != before:
            await self._servers.settle(server, before=before)

    def _threads_of(self, teammate_id: TeammateId) -> list[ThreadId]:
        threads = self._bus.state.threads.values()
        return [thread.id for thread in threads if thread.teammate_id == teammate_id]
