"""The connections to models that are open: one for each distinct place and key."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace

from ankita.config import ServerSettings, ToolMode
from ankita.engine.model_factory import ModelFactory, SharedConnection
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Place:
    """What makes a connection another one. How its model acts does not."""

    server: ServerSettings
    key: str | None


class OpenModels:
    """Makes connections when they are first wanted and retires those that nobody has."""

    def __init__(self, factory: ModelFactory) -> None:
        self._factory = factory
        self._open: dict[_Place, SharedConnection] = {}
        self._built_in: ModelProvider | None = None

    def built_in(self) -> ModelProvider:
        if self._built_in is None:
            self._built_in = self._factory.built_in()
        return self._built_in

    def connection(self, server: ServerSettings, key: str | None) -> ModelProvider:
        """The bare connection. Raises CommandRefusedError for an unusable address."""
        place = _Place(bare(server), key)
        if place not in self._open:
            self._open[place] = self._factory.shared(
                lambda: self._factory.server(place.server, key)
            )
        return self._open[place]

    def acting(self, server: ServerSettings, key: str | None) -> ModelProvider:
        """The connection, its model asked to act in the way that the settings name."""
        return self._factory.acting(self.connection(server, key), server)

    async def keep_only(self, servers: Collection[ServerSettings]) -> None:
        """Retire the connections to all other servers."""
        wanted = {bare(server) for server in servers}
        await self._retire([place for place in self._open if place.server not in wanted])

    async def keep_key(self, server: ServerSettings, key: str | None) -> None:
        """Retire the connections to this server that were made with another key."""
        bare_server = bare(server)
        others = [p for p in self._open if p.server == bare_server and p.key != key]
        await self._retire(others)

    async def aclose(self) -> None:
        for provider in (*self._open.values(), self._built_in):
            if provider is not None:
                await provider.aclose()
        self._open.clear()

    async def _retire(self, places: Collection[_Place]) -> None:
        for place in places:
            # Another turn may have retired it while this one waited.
            if (connection := self._open.pop(place, None)) is not None:
                await connection.retire()


def bare(server: ServerSettings) -> ServerSettings:
    """The server without what was only learned about its model."""
    return replace(server, tool_mode=ToolMode.UNKNOWN, context_tokens=None)
