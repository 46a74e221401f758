"""What answers for whom: the built-in assistant or a model, with its key from the vault."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ankita.config import ServerSettings, ToolMode, WireFormat
from ankita.engine.commands import (
    CheckServer,
    Command,
    GivePassphrase,
    KeepKeysForThisRun,
    RemoveKey,
    ServerReport,
    TryModel,
    UseBuiltInAssistant,
    UseServer,
)
from ankita.engine.event_bus import EventBus
from ankita.engine.events import AnsweringChanged
from ankita.engine.keys import Keys
from ankita.engine.model_factory import ModelFactory, info_of
from ankita.engine.open_models import OpenModels, bare
from ankita.engine.preferences import Preferences
from ankita.engine.self_tests import SelfTests
from ankita.engine.server_finder import ServerFinder
from ankita.engine.server_keys import ServerKeys
from ankita.engine.server_places import is_same_address
from ankita.engine.team import Team
from ankita.engine.teammates import Teammates
from ankita.errors import AnkitaError, CommandRefusedError
from ankita.ids import TeammateId
from ankita.protocols import ModelProvider

log = logging.getLogger(__name__)

Changed = Callable[[ServerSettings | None], ServerSettings | None]


class Servers:
    """The order of PRV-2: a teammate's own server, the settings' one, the built-in assistant."""

    def __init__(
        self,
        factory: ModelFactory,
        keys: Keys,
        preferences: Preferences,
        team: Team,
        teammates: Teammates,
        finder: ServerFinder,
        bus: EventBus,
    ) -> None:
        self._factory = factory
        self._keys = keys
        self._preferences = preferences
        self._team = team
        self._teammates = teammates
        self._finder = finder
        self._bus = bus
        self._server_keys = ServerKeys(keys, self._used)
        self._models = OpenModels(factory)
        self._tests = SelfTests(factory, self._models, self._server_keys.of, self._learned)

    async def current(self, teammate_id: TeammateId | None = None) -> ModelProvider:
        """The provider that answers now. Raises ModelAuthenticationError without its key."""
        server = self._server_of(teammate_id)
        if server is None:
            return self._models.built_in()
        key = await self._server_keys.of(server)
        await self._models.keep_only({server, *self._used()})
        await self._models.keep_key(server, key)
        return self._models.acting(server, key)

    async def start(self) -> None:
        """Read the keys, so that the scrubber knows them, and try what was never tried."""
        for server in self._used():
            try:
                await self._server_keys.of(server)
            except AnkitaError as error:
                log.info("the key of the model server is not known yet: %s", error)
            else:
                if server.tool_mode is ToolMode.UNKNOWN:
                    self._tests.try_later(server)

    def show(self) -> None:
        """Tell every window who answers for whom, and what may still be accepted."""
        settings = info_of(self._factory, self._preferences.settings.server)
        if settings != self._bus.state.answering:
            self._bus.emit(AnsweringChanged(settings))
        for teammate in self._team.all():
            own = info_of(self._factory, teammate.server) if teammate.server else settings
            self._team.answer_with(teammate.id, own)
        self._finder.show()

    async def handle(self, command: Command) -> Any:
        match command:
            case UseServer():
                await self._use(command)
            case UseBuiltInAssistant(teammate_id):
                await self.use(None, teammate_id)
            case TryModel(teammate_id):
                return await self._try(teammate_id)
            case CheckServer(base_url, key, wire):
                return await self._check(base_url, key, wire)
            case RemoveKey():
                await self._remove_key()
            case GivePassphrase(passphrase):
                await self._keys.give_passphrase(passphrase)
                await self.start()
            case KeepKeysForThisRun():
                await self._keys.keep_for_this_run()
            case _:
                raise CommandRefusedError(f"Nothing carries out {type(command).__name__}.")
        return None

    async def use(
        self, server: ServerSettings | None, teammate_id: TeammateId | None = None
    ) -> None:
        """Let a server, or the built-in assistant, answer for everyone or for one teammate.

        Raises CommandRefusedError for an unusable address, WriteError.
        """
        server = self.checked(server)
        await self._change(teammate_id, lambda _: server)
        await self.settle(server)

    def checked(self, server: ServerSettings | None) -> ServerSettings | None:
        """The server with what is known of it already. Raises CommandRefusedError.

        A key's name is kept only for the address that the key was given for.
        """
        if server is None:
            return None
        server = replace(server, base_url=server.base_url.strip(), model=server.model.strip())
        if not server.model:
            raise CommandRefusedError("Choose a model.", advice="Press Test to list them.")
        self._factory.server_info(server)
        if not self._server_keys.is_for(server.key_name, server.base_url):
            server = replace(server, key_name="")
        known = (used for used in self._used() if _is_same_model(used, server))
        learned = next(known, None)
        if learned is None:
            return bare(server)
        return replace(server, tool_mode=learned.tool_mode, context_tokens=learned.context_tokens)

    async def settle(
        self, server: ServerSettings | None = None, *, before: ServerSettings | None = None
    ) -> None:
        """After any change: close what nobody uses, tell it, and try the new server's model.

        The key of the server that was used `before` is deleted if it was the last use.
        """
        await self._models.keep_only(self._used())
        self.show()
        if server is not None:
            self._tests.try_later(server)
        await self._server_keys.forget_unused(before)

    async def aclose(self) -> None:
        await self._tests.aclose()
        await self._models.aclose()

    def _used(self) -> set[ServerSettings]:
        server = self._preferences.settings.server
        return self._team.servers() | ({server} if server else set())

    def _server_of(self, teammate_id: TeammateId | None) -> ServerSettings | None:
        teammate = self._team.get(teammate_id) if teammate_id else None
        own = teammate.server if teammate else None
        return own or self._preferences.settings.server

    async def _change(self, teammate_id: TeammateId | None, changed: Changed) -> None:
        if teammate_id is None:
            await self._preferences.change(lambda s: s.with_server(changed(s.server)))
        else:
            await self._teammates.change_server(teammate_id, changed)

    async def _use(self, wish: UseServer) -> None:
        server = ServerSettings(wish.base_url, wish.model, wire=wish.wire)
        self.checked(server)
        if wish.teammate_id is not None:
            self._teammates.check(wish.teammate_id)
        name = self._server_keys.name_at(wish.base_url) if wish.key is None else ""
        if wish.key:
            name = await self._server_keys.store(wish.base_url, wish.key)
        before = self._server_of(wish.teammate_id)
        await self.use(replace(server, key_name=name), wish.teammate_id)
        if wish.key == "" and before and is_same_address(before.base_url, wish.base_url):
            await self._server_keys.forget_unused(before)

    async def _try(self, teammate_id: TeammateId | None) -> ToolMode:
        server = self._server_of(teammate_id)
        if server is None:
            raise CommandRefusedError("The built-in assistant answers; there is no model to try.")
        return await self._tests.try_now(server)

    async def _learned(self, server: ServerSettings, mode: ToolMode, tokens: int | None) -> None:
        """Store what was found, wherever the same model of the same server is still used."""

        def changed(now: ServerSettings | None) -> ServerSettings | None:
            if now is None or bare(now) != server:
                return now
            found = now.tool_mode if mode is ToolMode.UNKNOWN else mode
            return replace(now, tool_mode=found, context_tokens=tokens or now.context_tokens)

        await self._change(None, changed)
        for teammate in self._team.all():
            if changed(teammate.server) != teammate.server:
                # Removed while its model was tried: then there is nothing to store it with.
                with suppress(CommandRefusedError):
                    await self._change(teammate.id, changed)
        self.show()

    async def _check(self, base_url: str, key: str | None, wire: WireFormat) -> ServerReport:
        if key is None:
            try:
                key = await self._server_keys.at(base_url)
            except AnkitaError as error:
                return ServerReport(problem=error.sentence())
        return await self._factory.check(base_url.strip(), key or None, wire)

    async def _remove_key(self) -> None:
        server = self._preferences.settings.server
        if server is None or not server.key_name:
            return
        if server.key_name not in {own.key_name for own in self._team.servers()}:
            await self._keys.remove(server.key_name)
        name = server.key_name
        await self._preferences.change(lambda s: s.with_server(_without_key(s.server, name)))
        await self.settle()


def _without_key(server: ServerSettings | None, name: str) -> ServerSettings | None:
    """The server without the key of this name; one with another key is left as it is."""
    return replace(server, key_name="") if server and server.key_name == name else server


def _is_same_model(one: ServerSettings, other: ServerSettings) -> bool:
    """Whether what was learned about the one is true of the other too."""
    return replace(bare(one), key_name="") == replace(bare(other), key_name="")
