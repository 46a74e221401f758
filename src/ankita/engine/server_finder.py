"""Finds model servers on this machine and offers them; sends them nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from ankita.config import Settings
from ankita.engine.event_bus import EventBus
from ankita.engine.events import OffersChanged
from ankita.engine.preferences import Preferences
from ankita.engine.server_places import is_same_server
from ankita.engine.state import ServerOffer
from ankita.engine.team import Team

log = logging.getLogger(__name__)

Find = Callable[[], Awaitable[Sequence[ServerOffer]]]


def open_offers(
    found: Iterable[ServerOffer], declined: Iterable[str], used: Iterable[str]
) -> tuple[ServerOffer, ...]:
    """What the user may still accept: neither declined nor in use."""
    known = [*declined, *used]
    return tuple(
        offer for offer in found if not any(is_same_server(offer.base_url, k) for k in known)
    )


class ServerFinder:
    """The one writer of offers in the state. `find` only asks servers about themselves."""

    def __init__(self, find: Find, preferences: Preferences, team: Team, bus: EventBus) -> None:
        self._find = find
        self._preferences = preferences
        self._team = team
        self._bus = bus
        self._found: tuple[ServerOffer, ...] = ()
        self._looking: asyncio.Task[None] | None = None

    async def look(self) -> int:
        """Look now, or wait for the look that goes on; the number of offers."""
        await asyncio.shield(self.look_later())
        return len(self._bus.state.offers)

    def look_later(self) -> asyncio.Task[None]:
        """Begin to look in the background, unless that goes on already."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
            self._looking.add_done_callback(self._ended)
        return self._looking

    def show(self) -> None:
        """Tell the offers again after what is used or declined has changed."""
        offers = self._offers()
        if offers != self._bus.state.offers:
            self._bus.emit(OffersChanged(offers, self._bus.state.is_looking_for_servers))

    async def decline(self, base_url: str) -> None:
        """Never offer this address again."""
        await self._preferences.change(lambda s: _with_declined(s, base_url.strip()))
        self.show()

    async def aclose(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        self._bus.emit(OffersChanged(self._bus.state.offers, is_looking=True))
        try:
            self._found = tuple(await self._find())
        finally:
            self._bus.emit(OffersChanged(self._offers()))

    def _offers(self) -> tuple[ServerOffer, ...]:
        settings = self._preferences.settings
        servers = [*self._team.servers(), *([settings.server] if settings.server else [])]
        used = [server.base_url for server in servers if server.base_url]
        return open_offers(self._found, settings.declined_servers, used)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._looking = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("looking for model servers failed", exc_info=error)


def _with_declined(settings: Settings, base_url: str) -> Settings:
    if any(is_same_server(base_url, each) for each in settings.declined_servers):
        return settings
    return replace(settings, declined_servers=(*settings.declined_servers, base_url))
