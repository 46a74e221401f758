"""`ankita chat`: a conversation with the engine in the terminal, one turn at a time."""

from __future__ import annotations

import io
import queue
import sys
from concurrent.futures import Future
from typing import Any, TextIO

from ankita import __version__
from ankita.cli.console import Console, complete_names
from ankita.cli.lines import approval_lines, item_line
from ankita.cli.slash import SlashCommands, answering
from ankita.engine import commands as c
from ankita.engine.actions import Surface, find_action, suggest
from ankita.engine.engine import Engine
from ankita.engine.events import (
    ApprovalRequested,
    Event,
    ItemAdded,
    ItemChanged,
    NoticeRaised,
    NumberedEvent,
    TextAdded,
    ThreadSaved,
)
from ankita.engine.state import (
    EngineState,
    PendingApproval,
    ThreadStatus,
)
from ankita.engine.team import MIRA
from ankita.errors import AnkitaError
from ankita.ids import ThreadId
from ankita.memory.transcript import NoticeItem, ReplyItem, ToolItem
from ankita.paths import ProfilePaths

STOP_SECONDS = 10.0
POLL_SECONDS = 0.25
_BUSY = (ThreadStatus.WORKING, ThreadStatus.ASKING)


def run_chat(paths: ProfilePaths) -> int:
    """Talk until /quit or the end of the input; the exit code."""
    from ankita.app import make_engine

    for stream in (sys.stdin, sys.stdout):
        # A terminal of another encoding must not end the conversation with a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    engine = make_engine(paths)
    engine.start()
    try:
        engine.ready.result()
        complete_names()
        return TerminalChat(engine, sys.stdin, sys.stdout).run()
    finally:
        engine.stop(STOP_SECONDS)


class TerminalChat:
    """Reads lines, shows the engine's events until the turn is over, reads again."""

    def __init__(self, engine: Engine, source: TextIO, sink: TextIO) -> None:
        self._engine = engine
        self._console = Console(source, sink)
        self._events: queue.Queue[NumberedEvent] = queue.Queue()
        self._thread_id: ThreadId | None = None
        self._slash = SlashCommands(engine, self._console, self)

    def run(self) -> int:
        state, unsubscribe = self._engine.subscribe(self._events.put)
        try:
            self._greet(state)
            while (line := self._console.read("> ")) is not None:
                if line.strip() == "/quit":
                    break
                try:
                    self._line(line.strip())
                except KeyboardInterrupt:
                    self._console.say("Left.")
                except AnkitaError as error:
                    self._console.say(error.sentence())
        finally:
            unsubscribe()
        return 0

    def _greet(self, state: EngineState) -> None:
        self._console.say(f"Ankita {__version__} · {answering(state)}")
        for notice in state.notices:
            self._console.say(f"! {notice.text}")
        if state.approvals:
            self._console.say(f"{len(state.approvals)} waiting for your answer: /approvals")
        self._console.say("Type a message, or /help.")

    def _line(self, line: str) -> None:
        if not line:
            return
        name, _, argument = line[1:].partition(" ")
        action = find_action(name, Surface.TERMINAL) if line.startswith("/") else None
        if action is not None:
            self._slash.run(action.name, argument.strip())
        elif line.startswith("/") and not self._is_built_in():
            near = suggest(name, Surface.TERMINAL)
            hint = f" Did you mean /{near[0]}?" if near else " /commands lists them."
            self._console.say(f"There is no command /{name}.{hint}")
        else:
            self.turn(c.SendMessage(self.thread(), line))

    def _is_built_in(self) -> bool:
        answering = self._engine.state.answering
        return answering is not None and answering.is_built_in

    def turn(self, command: c.SendMessage | c.RetryTurn) -> None:
        """Start a turn and follow it to its end; Ctrl+C stops it."""
        self.forget_events()
        self._wait(self._engine.submit(command))
        self.follow(command.thread_id)

    def follow(self, thread_id: ThreadId) -> None:
        """Show what happens in a thread until its turn is over."""
        while True:
            try:
                if self._show_next(thread_id):
                    return
            except KeyboardInterrupt:
                self._wait(self._engine.submit(c.StopTurn(thread_id)))

    def _show_next(self, thread_id: ThreadId) -> bool:
        """Show one event; True when the turn of the thread is over."""
        match self.next_event():
            case ItemAdded(where, ReplyItem() as item) if where == thread_id:
                self._console.write(item.text)
            case TextAdded(where, item_id, text) if where == thread_id:
                if any(i.id == item_id and isinstance(i, ReplyItem) for i in self._items()):
                    self._console.write(text)
            case ItemAdded(where, NoticeItem() as item) if where == thread_id:
                self._console.say(f"! {item.text}")
            case ItemChanged(where, ToolItem() as item) if where == thread_id:
                self._tool(item)
            case ApprovalRequested(approval) if approval.thread_id == thread_id:
                self._ask(approval)
            case NoticeRaised(notice):
                self._console.say(f"! {notice.text}")
            case ThreadSaved(thread) if thread.id == thread_id and thread.status not in _BUSY:
                self._console.say("")
                return True
        return False

    def _items(self) -> tuple[Any, ...]:
        return self._engine.state.items.get(self.thread(), ())

    def _tool(self, item: ToolItem) -> None:
        if item.status.is_settled:
            self._console.say(item_line(item))

    def _ask(self, approval: PendingApproval) -> None:
        for line in approval_lines(approval):
            self._console.say(line)
        answers = {"y": c.Answer.YES_ONCE, "n": c.Answer.NO}
        choices = f"y = {approval.act.yes}, n = {approval.act.no}"
        if approval.scope_once:
            answers["r"] = c.Answer.YES_THIS_RUN
            choices += ", r = yes until Ankita closes"
        if approval.scope_always:
            answers["a"] = c.Answer.YES_ALWAYS
            choices += ", a = always"
        self._console.say(choices)
        answer = self._choose(answers)
        try:
            self.do(c.DecideApproval(approval.id, answer, "terminal"))
        except AnkitaError as error:
            self._console.say(error.sentence())

    def _choose(self, answers: dict[str, c.Answer]) -> c.Answer:
        while (line := self._console.read("? ", interruptible=True)) is not None:
            if answer := answers.get(line.strip().lower()):
                return answer
        # Nobody is there to answer: that is a no.
        return c.Answer.NO

    def do(self, command: c.Command) -> Any:
        return self._wait(self._engine.submit(command))

    def _wait(self, future: Future[Any]) -> Any:
        while True:
            # In slices: on Windows a wait without an end can't be interrupted by Ctrl+C.
            try:
                return future.result(POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise

    def next_event(self) -> Event:
        while True:
            try:
                return self._events.get(timeout=POLL_SECONDS).event
            except queue.Empty:
                continue

    def forget_events(self) -> None:
        while not self._events.empty():
            self._events.get()

    def thread(self) -> ThreadId:
        """The thread that is talked in; a new one when there is none yet."""
        if self._thread_id is None:
            self._thread_id = ThreadId(self.do(c.CreateThread(MIRA.id)))
        return self._thread_id

    def switch_to(self, thread_id: ThreadId | None) -> None:
        """Talk in another thread; None begins a new one with the next message."""
        self._thread_id = thread_id
