"""One conversation in the terminal: with whom, in which thread, and what the engine says."""

from __future__ import annotations

import queue
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ankita.cli.console import Console
from ankita.cli.meanwhile import END, Events, Meanwhile
from ankita.cli.news import News, waiting_line
from ankita.engine import commands as c
from ankita.engine.engine import Engine
from ankita.engine.events import Event
from ankita.engine.state import TeammateState
from ankita.engine.team import MIRA
from ankita.ids import RequestId, TeammateId, ThreadId
from ankita.messages import ModelInfo

POLL_SECONDS = 0.25

EXIT_OK, EXIT_FAILED, EXIT_NOT_ALLOWED, EXIT_INTERRUPTED = 0, 1, 3, 130


@dataclass
class Outcome:
    """What a script is told at the end by the exit code."""

    has_failed: bool = False
    was_not_allowed: bool = False
    was_interrupted: bool = False

    def exit_code(self) -> int:
        if self.was_interrupted:
            return EXIT_INTERRUPTED
        if self.has_failed:
            return EXIT_FAILED
        return EXIT_NOT_ALLOWED if self.was_not_allowed else EXIT_OK


class Talk:
    """What the parts of the terminal chat share.

    `is_attended`: a person can answer questions here. `shown` are the questions that
    they have seen.
    """

    def __init__(self, engine: Engine, console: Console, *, is_attended: bool) -> None:
        self.engine = engine
        self.console = console
        self.is_attended = is_attended
        self.news = News()
        self.outcome = Outcome()
        self.events: Events = queue.Queue()
        self.shown: set[RequestId] = set()
        self._thread_id: ThreadId | None = None
        self._teammate_id = MIRA.id

    def do(self, command: c.Command) -> Any:
        """Carry out a command and wait. Raises AnkitaError, KeyboardInterrupt."""
        return wait(self.engine.submit(command))

    def ask(self, prompt: str) -> str | None:
        """A line from the person, with the news while they think; None at the end."""
        with Meanwhile(self.events, self._tell_meanwhile):
            return self.console.read(prompt)

    def next_event(self) -> Event | None:
        """The next event, None when there is none for a moment."""
        try:
            numbered = self.events.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        return None if numbered is END else numbered.event

    def catch_up(self) -> None:
        """Take what has happened until now; only the news of it is told."""
        while not self.events.empty():
            if (event := self.next_event()) is not None:
                self.tell(event)

    def tell(self, event: Event) -> None:
        for line in self.news.lines(event):
            self.console.note(line)

    def thread(self) -> ThreadId:
        """The thread that is talked in; a new one when there is none yet."""
        if self._thread_id is None:
            self._thread_id = ThreadId(self.do(c.CreateThread(self.teammate().id)))
        return self._thread_id

    def present_thread(self) -> ThreadId | None:
        return self._thread_id

    def switch_to(self, thread_id: ThreadId | None) -> None:
        """Talk in another thread; None begins a new one with the next message."""
        self._thread_id = thread_id
        summary = self.engine.state.threads.get(thread_id) if thread_id else None
        if summary is not None:
            self._teammate_id = summary.teammate_id

    def talk_to(self, teammate_id: TeammateId) -> None:
        """The next message begins a new thread with this teammate."""
        self._teammate_id = teammate_id
        self._thread_id = None

    def teammate(self) -> TeammateState:
        """Who is talked to; the first one where that teammate is gone."""
        team = self.engine.state.teammates
        return next((t for t in team if t.id == self._teammate_id), team[0] if team else MIRA)

    def answering(self) -> ModelInfo | None:
        """What answers here now."""
        return self.teammate().answering or self.engine.state.answering

    def _tell_meanwhile(self, event: Event) -> None:
        for line in self.news.lines(event):
            self.console.interject(line)
        if waiting := waiting_line(event):
            self.console.interject(waiting)


def wait(future: Future[Any]) -> Any:
    """The future's value. In slices: on Windows a wait without an end hears no Ctrl+C."""
    while True:
        try:
            return future.result(POLL_SECONDS)
        except TimeoutError:
            if future.done():
                raise
