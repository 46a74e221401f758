"""Who answers and with what: teammates, model servers, offers and model files as one part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ankita.engine import commands as c
from ankita.engine.event_bus import EventBus
from ankita.engine.events import NoticeRaised
from ankita.engine.keys import Keys
from ankita.engine.model_factory import ModelFactory, info_of
from ankita.engine.model_files import ModelFiles
from ankita.engine.preferences import Preferences
from ankita.engine.server_finder import ServerFinder
from ankita.engine.servers import Servers
from ankita.engine.state import Notice
from ankita.engine.team import Team
from ankita.engine.teammates import Teammates
from ankita.engine.teammates_handling import RemoveThread, TeammateCommands
from ankita.ids import TeammateId, new_id
from ankita.memory.teammates import TeammateStore
from ankita.memory.transcript import NoticeLevel
from ankita.protocols import ModelProvider


class Answering:
    """`models` is the folder for fetched model files.

    `look_at` names the ports of this machine where servers are looked for; None means
    the usual ones.
    """

    def __init__(
        self,
        factory: ModelFactory,
        keys: Keys,
        preferences: Preferences,
        team: Team,
        store: TeammateStore,
        models: Path,
        bus: EventBus,
        *,
        look_at: Sequence[int] | None = None,
    ) -> None:
        self._preferences = preferences
        self._bus = bus
        self._teammates = Teammates(
            store, team, lambda own: info_of(factory, own or preferences.settings.server)
        )
        self._finder = ServerFinder(lambda: factory.find(look_at), preferences, team, bus)
        self._servers = Servers(
            factory, keys, preferences, team, self._teammates, self._finder, bus
        )
        self._files = ModelFiles(factory.local, models, self._servers.use, bus)
        self._commands = TeammateCommands(self._teammates, self._servers, bus)

    async def load(self) -> None:
        """Show the teammates and what answers for each; say which rows can't be read."""
        damaged = await self._teammates.load()
        if damaged:
            self._bus.emit(
                NoticeRaised(Notice(new_id(), _damaged_words(len(damaged)), NoticeLevel.WARNING))
            )
        self._servers.show()

    async def start(self) -> None:
        """What may take a while, for the background: keys, untried models, the first look."""
        if self._teammates.is_first_start and self._preferences.settings.server is None:
            # Later starts don't look unasked: not every start has to knock on ports.
            self._finder.look_later()
        await self._servers.start()

    async def current(self, teammate_id: TeammateId | None = None) -> ModelProvider:
        """The provider that answers now for a teammate. Raises ModelAuthenticationError."""
        return await self._servers.current(teammate_id)

    def check_teammate(self, teammate_id: TeammateId) -> None:
        """Raises CommandRefusedError for a teammate that is unknown or about to go."""
        self._teammates.check(teammate_id)

    async def remove_teammate(self, teammate_id: TeammateId, remove_thread: RemoveThread) -> None:
        """`remove_thread` ends what goes on in a thread and deletes it."""
        await self._commands.remove(teammate_id, remove_thread)

    async def handle(self, command: c.Command) -> Any:
        match command:
            case c.CreateTeammate() | c.ChangeTeammate():
                return await self._commands.handle(command)
            case c.LookForServers():
                return await self._finder.look()
            case c.DeclineServer(base_url):
                return await self._finder.decline(base_url)
            case c.UseModelFile() | c.ListModels() | c.DownloadModel() | c.CancelDownload():
                return await self._files.handle(command)
            case _:
                return await self._servers.handle(command)

    async def aclose(self) -> None:
        await self._files.aclose()
        await self._finder.aclose()
        await self._servers.aclose()


def _damaged_words(count: int) -> str:
    if count == 1:
        return "One teammate is stored but can't be read. It was kept as it is."
    return f"{count} teammates are stored but can't be read. They were kept as they are."
