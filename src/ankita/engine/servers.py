"""What answers: the built-in assistant or a model server, with its key from the vault."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ankita.config import ServerSettings
from ankita.engine.commands import (
    CheckServer,
    Command,
    GivePassphrase,
    KeepKeysForThisRun,
    RemoveKey,
    ServerReport,
    UseBuiltInAssistant,
    UseServer,
)
from ankita.engine.event_bus import EventBus
from ankita.engine.events import AnsweringChanged
from ankita.engine.keys import Keys
from ankita.engine.preferences import Preferences
from ankita.errors import (
    AnkitaError,
    CommandRefusedError,
    ModelAuthenticationError,
)
from ankita.messages import ModelInfo
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelFactory:
    """How providers are made; see providers.py for the real ones."""

    built_in: Callable[[], ModelProvider]
    built_in_info: ModelInfo
    server: Callable[[ServerSettings, str | None], ModelProvider]
    server_info: Callable[[ServerSettings], ModelInfo]
    check: Callable[[str, str | None], Awaitable[ServerReport]]


class Servers:
    """Keeps one provider open, made anew when the settings or the key change."""

    def __init__(
        self, factory: ModelFactory, keys: Keys, preferences: Preferences, bus: EventBus
    ) -> None:
        self._factory = factory
        self._keys = keys
        self._preferences = preferences
        self._bus = bus
        self._provider: ModelProvider | None = None
        self._retired: list[ModelProvider] = []
        self._made_for: tuple[ServerSettings | None, str | None] | None = None
        self._making = asyncio.Lock()

    async def current(self) -> ModelProvider:
        """The provider that answers now. Raises ModelAuthenticationError without its key."""
        async with self._making:
            server = self._preferences.settings.server
            wanted = (server, await self._key_of(server))
            if self._provider is None or self._made_for != wanted:
                if self._provider is not None:
                    # Not closed here: a turn may still stream from it.
                    self._retired.append(self._provider)
                self._provider = self._make(*wanted)
                self._made_for = wanted
            return self._provider

    async def learn_key(self) -> None:
        """Read the present key early, so that the scrubber knows it from the start."""
        try:
            await self._key_of(self._preferences.settings.server)
        except AnkitaError as error:
            log.info("the key of the model server is not known yet: %s", error)

    def show(self) -> None:
        """Tell every window who answers."""
        server = self._preferences.settings.server
        try:
            info = self._factory.server_info(server) if server else self._factory.built_in_info
        except AnkitaError:
            info = ModelInfo(server.model if server else "", "", is_local=False)
        self._bus.emit(AnsweringChanged(info))

    async def handle(self, command: Command) -> Any:
        match command:
            case UseServer(base_url, model, key):
                await self._use(base_url, model, key)
            case UseBuiltInAssistant():
                await self._preferences.change(lambda s: s.with_server(None))
                self.show()
            case CheckServer(base_url, key):
                return await self._check(base_url, key)
            case RemoveKey():
                await self._remove_key()
            case GivePassphrase(passphrase):
                await self._keys.give_passphrase(passphrase)
            case KeepKeysForThisRun():
                await self._keys.keep_for_this_run()
            case _:
                raise CommandRefusedError(f"Nothing carries out {type(command).__name__}.")
        return None

    async def aclose(self) -> None:
        for provider in (*self._retired, self._provider):
            if provider is not None:
                await provider.aclose()

    def _make(self, server: ServerSettings | None, key: str | None) -> ModelProvider:
        return self._factory.server(server, key) if server else self._factory.built_in()

    async def _key_of(self, server: ServerSettings | None) -> str | None:
        if server is None or not server.key_name:
            return None
        try:
            key = await self._keys.read(server.key_name)
        except AnkitaError as error:
            raise ModelAuthenticationError(
                f"The key of this model server can't be read: {error.message}",
                advice=error.advice or "Look at Keys in Settings.",
            ) from error
        if key is None:
            raise ModelAuthenticationError(
                "The key of this model server is gone from the keychain.",
                advice="Give it again in Settings.",
            )
        return key

    async def _use(self, base_url: str, model: str, key: str | None) -> None:
        server = ServerSettings(base_url.strip(), model.strip())
        if not server.model:
            raise CommandRefusedError("Choose a model.", advice="Press Test to list them.")
        self._factory.server_info(server)
        old = self._preferences.settings.server
        name = key_name_for(server.base_url) if key else ""
        if key:
            await self._keys.store(name, key)
        elif key is None and old is not None and _same_place(old.base_url, server.base_url):
            name = old.key_name
        await self._preferences.change(
            lambda s: s.with_server(ServerSettings(server.base_url, server.model, name))
        )
        self.show()

    async def _check(self, base_url: str, key: str | None) -> ServerReport:
        server = self._preferences.settings.server
        if key is None and server is not None and _same_place(server.base_url, base_url):
            try:
                key = await self._key_of(server)
            except AnkitaError as error:
                return ServerReport(problem=error.sentence())
        return await self._factory.check(base_url.strip(), key or None)

    async def _remove_key(self) -> None:
        server = self._preferences.settings.server
        if server is not None and server.key_name:
            await self._keys.remove(server.key_name)
            bare = ServerSettings(server.base_url, server.model)
            await self._preferences.change(lambda s: s.with_server(bare))


def key_name_for(base_url: str) -> str:
    """The name of an address's key: a key is never found for another address."""
    place = base_url.strip().rstrip("/")
    return f"model-server {hashlib.sha256(place.encode()).hexdigest()[:16]}"


def _same_place(one: str, other: str) -> bool:
    return one.strip().rstrip("/") == other.strip().rstrip("/")
