"""Numbers events, keeps the state, and lets a late subscriber in without a gap."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ankita.engine.events import Event, NumberedEvent
from ankita.engine.reducer import apply
from ankita.engine.state import EngineState

log = logging.getLogger(__name__)

Subscriber = Callable[[NumberedEvent], None]


class EventBus:
    """The one holder of the engine's state. Safe to use from any thread.

    Subscribers are called in the order of the numbers, on the emitting thread, and
    must return at once (queue the event and wake whoever draws it).
    """

    def __init__(self, state: EngineState) -> None:
        # Re-entrant: a subscriber may ask for the state while it is being told.
        self._lock = threading.RLock()
        self._state = state
        self._subscribers: list[Subscriber] = []

    @property
    def state(self) -> EngineState:
        return self._state

    def emit(self, event: Event) -> None:
        with self._lock:
            numbered = NumberedEvent(self._state.sequence + 1, event)
            self._state = apply(self._state, numbered)
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(numbered)
                except Exception:
                    # A broken window must not break a turn, nor the windows behind it.
                    log.exception("a subscriber failed and hears no more events")
                    self._subscribers.remove(subscriber)

    def subscribe(self, subscriber: Subscriber) -> tuple[EngineState, Callable[[], None]]:
        """The present state, and a function that ends the subscription.

        The first event the subscriber gets is the one after the state's number.
        """
        with self._lock:
            self._subscribers.append(subscriber)
            return self._state, lambda: self._remove(subscriber)

    def _remove(self, subscriber: Subscriber) -> None:
        with self._lock:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)
