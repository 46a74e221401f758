"""Finds out in the background how a model can act and how much it can hold."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ankita.config import ServerSettings, ToolMode
from ankita.engine.model_factory import ModelFactory
from ankita.engine.open_models import OpenModels, bare
from ankita.errors import AnkitaError

log = logging.getLogger(__name__)

KeySource = Callable[[ServerSettings], Awaitable[str | None]]
Learned = Callable[[ServerSettings, ToolMode, int | None], Awaitable[None]]


class SelfTests:
    """At most one test of a model at a time.

    `key_of` gives a server's key and raises ModelAuthenticationError without it.
    `learned(server, mode, tokens)` stores what was found; UNKNOWN and None are nothing new.
    """

    def __init__(
        self, factory: ModelFactory, models: OpenModels, key_of: KeySource, learned: Learned
    ) -> None:
        self._factory = factory
        self._models = models
        self._key_of = key_of
        self._learned = learned
        self._running: dict[ServerSettings, asyncio.Task[ToolMode]] = {}

    def try_later(self, server: ServerSettings) -> None:
        """Begin a test; nobody waits for it, and its failure changes nothing."""
        self._task_for(server)

    async def try_now(self, server: ServerSettings) -> ToolMode:
        """Raises ModelError when the server could not be asked."""
        return await asyncio.shield(self._task_for(server))

    async def aclose(self) -> None:
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _task_for(self, server: ServerSettings) -> asyncio.Task[ToolMode]:
        tested = bare(server)
        task = self._running.get(tested)
        if task is None:
            task = self._running[tested] = asyncio.create_task(self._test(tested))
            task.add_done_callback(lambda done: self._ended(tested, done))
        return task

    async def _test(self, server: ServerSettings) -> ToolMode:
        key = await self._key_of(server)
        try:
            mode = await self._factory.try_tools(self._models.connection(server, key))
        except AnkitaError:
            await self._learned(server, ToolMode.UNKNOWN, await self._context_of(server, key))
            raise
        # Asked second: some servers know a model's real window only once it is loaded.
        await self._learned(server, mode, await self._context_of(server, key))
        return mode

    async def _context_of(self, server: ServerSettings, key: str | None) -> int | None:
        try:
            return await self._factory.context_of(server, key)
        except AnkitaError as error:
            log.info("the context size of %s is not known: %s", server.model, error)
            return None

    def _ended(self, server: ServerSettings, task: asyncio.Task[ToolMode]) -> None:
        self._running.pop(server, None)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, AnkitaError):
            log.info("%s could not be tried: %s", server.model, error)
        elif error is not None:
            log.error("the self-test of %s failed", server.model, exc_info=error)
