"""Between the engine's thread and the windows: events in order, commands out."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from PySide6.QtCore import QObject, Qt, Signal, Slot

from ankita.engine import Command, Engine, NumberedEvent, apply
from ankita.errors import AnkitaError

E = TypeVar("E")
Listener = Callable[[Any], None]


class EngineBridge(QObject):
    """Lives on the window's thread. `state` is that thread's copy of the engine's state.

    A Qt signal says only that something changed; what changed arrives by class through
    `listen`, in the order of the engine's numbers, after `state` has taken it in.
    """

    _woken = Signal()
    refused = Signal(str)
    """A command that nobody waits for was refused; carries one sentence for the user."""

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._queue: deque[NumberedEvent] = deque()
        self._lock = threading.Lock()
        self._listeners: dict[type, list[Listener]] = {}
        self._woken.connect(self._drain, Qt.ConnectionType.QueuedConnection)
        self.state, self._unsubscribe = engine.subscribe(self._arrived)

    def listen(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]:
        """Call `listener` for every event of a class; returns the function that ends it."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(cast(Listener, listener))
        return lambda: listeners.remove(cast(Listener, listener))

    def submit(self, command: Command) -> Future[Any]:
        return self._engine.submit(command)

    async def ask(self, command: Command) -> Any:
        """Await a command's answer on the window's loop. Raises AnkitaError."""
        return await asyncio.wrap_future(self._engine.submit(command))

    def do(self, command: Command) -> None:
        """Hand over a command; a refusal is told by `refused`."""
        self._engine.submit(command).add_done_callback(self._done)

    def close(self) -> None:
        """Hear no more events."""
        self._unsubscribe()

    def _done(self, future: Future[Any]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            words = error.sentence() if isinstance(error, AnkitaError) else str(error)
            self.refused.emit(words)

    def _arrived(self, event: NumberedEvent) -> None:
        """Called on the engine's thread."""
        with self._lock:
            self._queue.append(event)
            is_first = len(self._queue) == 1
        if is_first:
            self._woken.emit()

    @Slot()
    def _drain(self) -> None:
        with self._lock:
            events = tuple(self._queue)
            self._queue.clear()
        for numbered in events:
            self.state = apply(self.state, numbered)
            for listener in tuple(self._listeners.get(type(numbered.event), ())):
                listener(numbered.event)
