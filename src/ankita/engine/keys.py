"""The user's keys: opened off the loop, told by name only, never part of the state."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from ankita.engine.event_bus import EventBus
from ankita.engine.events import VaultChanged
from ankita.engine.state import VaultState
from ankita.errors import AnkitaError, VaultLockedError, VaultUnavailableError
from ankita.protocols import Vault

T = TypeVar("T")

VAULT_SECONDS = 60.0
"""A keychain may show a prompt of its own; it gets this long before it counts as locked."""


class VaultOpener(Protocol):
    """Opens the place where keys live; may block. Raises VaultError or StoredDataError."""

    def open(self, passphrase: str | None = None) -> Vault: ...


class Keys:
    """`known()` lists the values in use, for the scrubber."""

    def __init__(
        self, opener: VaultOpener, session_vault: Callable[[], Vault], bus: EventBus
    ) -> None:
        self._opener = opener
        self._session_vault = session_vault
        self._bus = bus
        self._vault: Vault | None = None
        self._known: dict[str, str] = {}

    def known(self) -> tuple[str, ...]:
        return tuple(value for value in self._known.values() if value)

    async def read(self, name: str) -> str | None:
        """The key, or None when there is none. Raises VaultError."""
        if name in self._known:
            return self._known[name]
        vault = await self._opened()
        value = await self._in_time(lambda: vault.get(name))
        if value is not None:
            self._known[name] = value
        return value

    async def store(self, name: str, value: str) -> None:
        """Raises VaultError; then nothing changed."""
        vault = await self._opened()
        await self._in_time(lambda: vault.set(name, value))
        self._known[name] = value

    async def remove(self, name: str) -> None:
        vault = await self._opened()
        await self._in_time(lambda: vault.delete(name))
        self._known.pop(name, None)

    async def give_passphrase(self, passphrase: str) -> None:
        self._take(await self._in_time(lambda: self._opener.open(passphrase)))

    async def keep_for_this_run(self) -> None:
        self._take(self._session_vault())

    async def _opened(self) -> Vault:
        if self._vault is None:
            try:
                self._take(await self._in_time(self._opener.open))
            except AnkitaError as error:
                needs = isinstance(error, VaultUnavailableError | VaultLockedError)
                self._bus.emit(VaultChanged(VaultState("", error.sentence(), needs)))
                raise
        assert self._vault is not None
        return self._vault

    def _take(self, vault: Vault) -> None:
        self._vault = vault
        self._bus.emit(VaultChanged(VaultState(vault.describe())))

    async def _in_time(self, work: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(VAULT_SECONDS):
                return await _in_daemon_thread(work)
        except TimeoutError:
            raise VaultLockedError(
                "The system keychain did not answer.", advice="Unlock it and try again."
            ) from None


async def _in_daemon_thread(work: Callable[[], T]) -> T:
    """A keychain may wait for its user for ever: that must not hold up the app's end."""
    done: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            if not done.cancelled():
                done.set_exception(error)
        else:
            if not done.cancelled():
                done.set_result(value)

    threading.Thread(target=run, name="keychain", daemon=True).start()
    return await asyncio.wrap_future(done)
