"""An engine that does what a test says: it records commands and emits what it is told to."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from ankita.engine import Command, EngineState, Event
from ankita.engine.event_bus import EventBus, Subscriber

C = TypeVar("C")


class ScriptedEngine:
    """Has the public surface of Engine, without a thread.

    `answers[CommandClass]` is a value, an exception or a function of the command; a
    command without one gives None. With `held` it stays open until the test ends it.
    """

    def __init__(self, state: EngineState | None = None) -> None:
        self._bus = EventBus(state or EngineState())
        self.commands: list[Command] = []
        self.answers: dict[type, Any] = {}
        self.held: dict[type, Future[Any]] = {}
        self.ready: Future[None] = Future()
        self.is_started = False
        self.is_stopped = False

    @property
    def state(self) -> EngineState:
        return self._bus.state

    def subscribe(self, subscriber: Subscriber) -> tuple[EngineState, Callable[[], None]]:
        return self._bus.subscribe(subscriber)

    def start(self) -> None:
        self.is_started = True
        if not self.ready.done():
            self.ready.set_result(None)

    def stop(self, timeout_seconds: float) -> bool:
        del timeout_seconds
        self.is_stopped = True
        return True

    def emit(self, *events: Event) -> None:
        for event in events:
            self._bus.emit(event)

    def submit(self, command: Command) -> Future[Any]:
        self.commands.append(command)
        if type(command) in self.held:
            return self.held[type(command)]
        future: Future[Any] = Future()
        answer = self.answers.get(type(command))
        if callable(answer):
            answer = answer(command)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future

    def sent(self, kind: type[C]) -> list[C]:
        """The commands of one class so far, in order."""
        return [command for command in self.commands if isinstance(command, kind)]
