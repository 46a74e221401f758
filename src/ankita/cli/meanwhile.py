"""Tells news while the terminal waits for a line."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType

from ankita.engine.events import Event, NumberedEvent

Events = queue.Queue[NumberedEvent]
END = NumberedEvent(-1, None)  # type: ignore[arg-type]
"""Put into the queue to wake the thread: the waiting is over."""


class Meanwhile:
    """A context in which events are taken from the queue and handed to `tell`, in a thread."""

    def __init__(self, events: Events, tell: Callable[[Event], None]) -> None:
        self._events = events
        self._tell = tell
        self._thread = threading.Thread(target=self._watch, name="news", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._events.put(END)
        self._thread.join()

    def _watch(self) -> None:
        while (numbered := self._events.get()) is not END:
            self._tell(numbered.event)
