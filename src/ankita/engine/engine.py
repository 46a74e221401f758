"""The facade: an engine in a thread of its own, commands in, numbered events out."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, Protocol

from ankita.engine.commands import Command
from ankita.engine.event_bus import EventBus, Subscriber
from ankita.engine.events import NoticeRaised
from ankita.engine.state import EngineState, Notice
from ankita.errors import AnkitaError, CommandRefusedError
from ankita.ids import new_id
from ankita.memory.transcript import NoticeLevel

log = logging.getLogger(__name__)


class CommandHandler(Protocol):
    """The engine behind the facade, living on the engine's loop."""

    async def handle(self, command: Command) -> Any: ...

    async def aclose(self) -> None: ...


Builder = Callable[[EventBus], Awaitable[CommandHandler]]
"""Builds the engine on its own loop; raises AnkitaError when it cannot be built."""


class Engine:
    """Made at once, without work; `start` builds in the background.

    Commands given before the engine is ready wait for it. When it could not be built,
    they are refused with the reason, and the state carries a notice that says it.
    """

    def __init__(self, build: Builder, initial: EngineState) -> None:
        self._build = build
        self._bus = EventBus(initial)
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._main, name="engine", daemon=True)
        self._is_started = False
        self._is_stopping = False
        self.ready: Future[None] = Future()
        """Done when commands are served; carries the error when the engine could not be built."""

    @property
    def state(self) -> EngineState:
        return self._bus.state

    def subscribe(self, subscriber: Subscriber) -> tuple[EngineState, Callable[[], None]]:
        """See EventBus.subscribe; the subscriber is called on the engine's thread."""
        return self._bus.subscribe(subscriber)

    def start(self) -> None:
        self._is_started = True
        self._thread.start()

    def submit(self, command: Command) -> Future[Any]:
        """Hand over a command; its future gives what the command's docstring names."""
        if not self._is_started:
            return _refused("Ankita has not started yet.")
        if self._is_stopping or not self._thread.is_alive():
            return _refused("Ankita is closing.")
        work = self._handle(command)
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            # The loop was closed between the question above and this line.
            work.close()
            return _refused("Ankita is closing.")

    def stop(self, timeout_seconds: float) -> bool:
        """End all work and the thread; False when it did not end in time."""
        if not self._thread.is_alive():
            return True
        self._is_stopping = True
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    async def _handle(self, command: Command) -> Any:
        handler = await self._handler
        return await handler.handle(command)

    def _main(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._handler: asyncio.Future[CommandHandler] = self._loop.create_future()
        try:
            self._loop.run_until_complete(self._live())
        finally:
            self._loop.run_until_complete(self._cancel_rest())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _live(self) -> None:
        try:
            handler = await self._build(self._bus)
        except Exception as error:
            self._failed(error)
            await self._stopping.wait()
            return
        self._handler.set_result(handler)
        self.ready.set_result(None)
        await self._stopping.wait()
        await handler.aclose()

    def _failed(self, error: Exception) -> None:
        if isinstance(error, AnkitaError):
            text = error.sentence()
        else:
            log.error("the engine could not start", exc_info=error)
            text = f"Ankita could not start its engine ({type(error).__name__})."
        self._handler.set_exception(CommandRefusedError(text))
        # Nobody may be waiting for it; the notice below tells.
        self._handler.exception()
        self._bus.emit(NoticeRaised(Notice(new_id(), text, NoticeLevel.ERROR)))
        self.ready.set_exception(error)

    async def _cancel_rest(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


def _refused(words: str) -> Future[Any]:
    refused: Future[Any] = Future()
    refused.set_exception(CommandRefusedError(words))
    return refused
