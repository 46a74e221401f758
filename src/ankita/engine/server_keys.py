"""Which key belongs to which model server; a key is never found for another address."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from ankita.config import ServerSettings
from ankita.engine.keys import Keys
from ankita.engine.server_places import is_same_address, key_name_for
from ankita.errors import AnkitaError, ModelAuthenticationError

log = logging.getLogger(__name__)


class ServerKeys:
    """`used()` gives the servers that anyone uses now."""

    def __init__(self, keys: Keys, used: Callable[[], Collection[ServerSettings]]) -> None:
        self._keys = keys
        self._used = used

    async def of(self, server: ServerSettings) -> str | None:
        """The server's key, None when it needs none. Raises ModelAuthenticationError."""
        if not server.key_name:
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

    async def at(self, base_url: str) -> str | None:
        """The key that someone uses at exactly this address. Raises ModelAuthenticationError."""
        servers = self._servers_at(base_url)
        return await self.of(servers[0]) if servers else None

    def name_at(self, base_url: str) -> str:
        """The name of the key that someone uses at exactly this address, or ""."""
        servers = self._servers_at(base_url)
        return servers[0].key_name if servers else ""

    def is_for(self, name: str, base_url: str) -> bool:
        """Whether the key of this name was given for this address."""
        return name in ("", key_name_for(base_url), self.name_at(base_url))

    async def store(self, base_url: str, key: str) -> str:
        """The name under which the key is kept. Raises VaultError."""
        name = key_name_for(base_url)
        await self._keys.store(name, key)
        return name

    async def forget_unused(self, server: ServerSettings | None) -> None:
        """Delete a server's key from the vault when no server uses it any more."""
        name = server.key_name if server else ""
        if name and name not in {used.key_name for used in self._used()}:
            try:
                await self._keys.remove(name)
            except AnkitaError as error:
                log.warning("an unused key could not be deleted: %s", error)

    def _servers_at(self, base_url: str) -> list[ServerSettings]:
        """Those with a key, the first by the key's name, so that it is always the same one."""
        used = (s for s in self._used() if s.key_name and s.base_url)
        here = [s for s in used if is_same_address(s.base_url, base_url)]
        return sorted(here, key=lambda server: server.key_name)
