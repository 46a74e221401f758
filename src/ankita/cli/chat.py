"""`ankita chat`: a conversation with the engine in the terminal, one turn at a time."""

from __future__ import annotations

import io
import queue
import sys
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TextIO

from ankita import __version__
from ankita.cli.lines import (
    approval_lines,
    decision_line,
    help_lines,
    item_line,
    printable,
)
from ankita.engine import commands as c
from ankita.engine.actions import Surface, find_action, suggest
from ankita.engine.engine import Engine
from ankita.engine.events import (
    ApprovalRequested,
    AttachmentChanged,
    Event,
    ItemAdded,
    ItemChanged,
    NoticeRaised,
    NumberedEvent,
    TextAdded,
    ThreadSaved,
)
from ankita.engine.state import (
    AttachmentStatus,
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
SHOWN_THREADS = 20
SHOWN_DECISIONS = 10
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
        _complete_names()
        return TerminalChat(engine, sys.stdin, sys.stdout).run()
    finally:
        engine.stop(STOP_SECONDS)


class TerminalChat:
    """Reads lines, shows the engine's events until the turn is over, reads again."""

    def __init__(self, engine: Engine, source: TextIO, sink: TextIO) -> None:
        self._engine = engine
        self._source = source
        self._sink = sink
        self._events: queue.Queue[NumberedEvent] = queue.Queue()
        self._thread_id: ThreadId | None = None
        self._at_line_start = True
        self._actions: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "commands": self._help,
            "new": lambda _: self._new(),
            "threads": lambda _: self._threads(),
            "open": self._open,
            "attach": self._attach,
            "stop": lambda _: self._say("Nothing is running."),
            "retry": lambda _: self._turn(c.RetryTurn(self._thread())),
            "approvals": lambda _: self._approvals(),
            "yes": lambda _: self._answer_oldest(c.Answer.YES_ONCE),
            "no": lambda _: self._answer_oldest(c.Answer.NO),
            "why": lambda _: self._why(),
            "model": lambda _: self._model(),
            "server": self._server,
            "builtin": lambda _: self._do(c.UseBuiltInAssistant()),
        }

    def run(self) -> int:
        state, unsubscribe = self._engine.subscribe(self._events.put)
        try:
            self._greet(state)
            while (line := self._read("> ")) is not None:
                if line.strip() == "/quit":
                    break
                try:
                    self._line(line.strip())
                except KeyboardInterrupt:
                    self._say("Left.")
                except AnkitaError as error:
                    self._say(error.sentence())
        finally:
            unsubscribe()
        return 0

    def _greet(self, state: EngineState) -> None:
        self._say(f"Ankita {__version__} · {_answering(state)}")
        for notice in state.notices:
            self._say(f"! {notice.text}")
        if state.approvals:
            self._say(f"{len(state.approvals)} waiting for your answer: /approvals")
        self._say("Type a message, or /help.")

    def _line(self, line: str) -> None:
        if not line:
            return
        name, _, argument = line[1:].partition(" ")
        action = find_action(name, Surface.TERMINAL) if line.startswith("/") else None
        if action is not None:
            self._actions[action.name](argument.strip())
        elif line.startswith("/") and not self._is_built_in():
            near = suggest(name, Surface.TERMINAL)
            hint = f" Did you mean /{near[0]}?" if near else " /commands lists them."
            self._say(f"There is no command /{name}.{hint}")
        else:
            self._turn(c.SendMessage(self._thread(), line))

    def _is_built_in(self) -> bool:
        answering = self._engine.state.answering
        return answering is not None and answering.is_built_in

    def _turn(self, command: c.SendMessage | c.RetryTurn) -> None:
        """Start a turn and follow it to its end; Ctrl+C stops it."""
        self._drain()
        self._wait(self._engine.submit(command))
        self._follow(command.thread_id)

    def _follow(self, thread_id: ThreadId) -> None:
        while True:
            try:
                if self._show_next(thread_id):
                    return
            except KeyboardInterrupt:
                self._wait(self._engine.submit(c.StopTurn(thread_id)))

    def _show_next(self, thread_id: ThreadId) -> bool:
        """Show one event; True when the turn of the thread is over."""
        match self._next_event():
            case ItemAdded(where, ReplyItem() as item) if where == thread_id:
                self._write(item.text)
            case TextAdded(where, item_id, text) if where == thread_id:
                if any(i.id == item_id and isinstance(i, ReplyItem) for i in self._items()):
                    self._write(text)
            case ItemAdded(where, NoticeItem() as item) if where == thread_id:
                self._say(f"! {item.text}")
            case ItemChanged(where, ToolItem() as item) if where == thread_id:
                self._tool(item)
            case ApprovalRequested(approval) if approval.thread_id == thread_id:
                self._ask(approval)
            case NoticeRaised(notice):
                self._say(f"! {notice.text}")
            case ThreadSaved(thread) if thread.id == thread_id and thread.status not in _BUSY:
                self._say("")
                return True
        return False

    def _items(self) -> tuple[Any, ...]:
        return self._engine.state.items.get(self._thread(), ())

    def _tool(self, item: ToolItem) -> None:
        if item.status.is_settled:
            self._say(item_line(item))

    def _ask(self, approval: PendingApproval) -> None:
        for line in approval_lines(approval):
            self._say(line)
        answers = {"y": c.Answer.YES_ONCE, "n": c.Answer.NO}
        choices = f"y = {approval.act.yes}, n = {approval.act.no}"
        if approval.scope_once:
            answers["r"] = c.Answer.YES_THIS_RUN
            choices += ", r = yes until Ankita closes"
        if approval.scope_always:
            answers["a"] = c.Answer.YES_ALWAYS
            choices += ", a = always"
        self._say(choices)
        answer = self._choose(answers)
        try:
            self._do(c.DecideApproval(approval.id, answer, "terminal"))
        except AnkitaError as error:
            self._say(error.sentence())

    def _choose(self, answers: dict[str, c.Answer]) -> c.Answer:
        while (line := self._read("? ", interruptible=True)) is not None:
            if answer := answers.get(line.strip().lower()):
                return answer
        # Nobody is there to answer: that is a no.
        return c.Answer.NO

    def _answer_oldest(self, answer: c.Answer) -> None:
        approvals = self._engine.state.approvals
        if not approvals:
            self._say("Nothing waits for an answer.")
            return
        approval = approvals[0]
        self._drain()
        self._do(c.OpenThread(approval.thread_id))
        self._do(c.DecideApproval(approval.id, answer, "terminal"))
        self._thread_id = approval.thread_id
        self._follow(approval.thread_id)

    def _approvals(self) -> None:
        approvals = self._engine.state.approvals
        for approval in approvals:
            for line in approval_lines(approval):
                self._say(line)
        if approvals:
            self._say("/yes or /no answers the oldest one.")
        else:
            self._say("Nothing waits for an answer.")

    def _attach(self, argument: str) -> None:
        path = argument.strip("'\" ")
        thread_id = self._thread()
        self._drain()
        wanted = self._do(c.AttachFile(thread_id, path))
        while True:
            event = self._next_event()
            if not isinstance(event, AttachmentChanged) or event.attachment.id != wanted:
                continue
            attachment = event.attachment
            if attachment.status is AttachmentStatus.READY:
                pages = f" · {attachment.pages} pages" if attachment.pages else ""
                self._say(f"{attachment.name} · {attachment.kind}{pages}: goes with your message.")
                for note in attachment.notes:
                    self._say(f"  {note}")
                return
            if attachment.status is AttachmentStatus.FAILED:
                self._say(f"{attachment.name}: {attachment.reason}")
                return

    def _thread(self) -> ThreadId:
        if self._thread_id is None:
            self._new()
        assert self._thread_id is not None
        return self._thread_id

    def _new(self) -> None:
        self._thread_id = self._do(c.CreateThread(MIRA.id))

    def _threads(self) -> None:
        for number, thread in enumerate(self._recent(), start=1):
            self._say(f"{number:3} {thread.title} · {thread.status}")

    def _recent(self) -> list[Any]:
        threads = self._engine.state.threads.values()
        return sorted(threads, key=lambda t: t.updated_at, reverse=True)[:SHOWN_THREADS]

    def _open(self, argument: str) -> None:
        recent = self._recent()
        if not argument.isdigit() or not 1 <= int(argument) <= len(recent):
            self._say("Say which one: /threads lists them with numbers.")
            return
        thread = recent[int(argument) - 1]
        self._do(c.OpenThread(thread.id))
        self._thread_id = thread.id
        for item in self._items():
            self._say(item_line(item))

    def _why(self) -> None:
        record = self._engine.state.gate.record[-SHOWN_DECISIONS:]
        for decision in record:
            self._say(decision_line(decision))
        if not record:
            self._say("Nothing was decided yet.")

    def _model(self) -> None:
        self._say(_answering(self._engine.state))

    def _server(self, argument: str) -> None:
        url, _, model = argument.partition(" ")
        if not url:
            self._say("Say which one: /server URL MODEL")
            return
        if not model:
            report = self._do(c.CheckServer(url))
            self._say(report.problem or "Models there: " + ", ".join(report.models))
            return
        self._do(c.UseServer(url, model.strip()))
        self._model()

    def _help(self, argument: str) -> None:
        for line in help_lines(argument):
            self._say(line)

    def _do(self, command: c.Command) -> Any:
        return self._wait(self._engine.submit(command))

    def _wait(self, future: Future[Any]) -> Any:
        while True:
            # In slices: on Windows a wait without an end can't be interrupted by Ctrl+C.
            try:
                return future.result(POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise

    def _next_event(self) -> Event:
        while True:
            try:
                return self._events.get(timeout=POLL_SECONDS).event
            except queue.Empty:
                continue

    def _drain(self) -> None:
        while not self._events.empty():
            self._events.get()

    def _read(self, prompt: str, *, interruptible: bool = False) -> str | None:
        if not self._at_line_start:
            self._say("")
        if self._source is sys.stdin and self._source.isatty():
            try:
                return input(prompt)
            except EOFError:
                return None
            except KeyboardInterrupt:
                self._say("")
                if interruptible:
                    raise
                return ""
        line = self._source.readline()
        return line.rstrip("\n") if line else None

    def _write(self, text: str) -> None:
        if text:
            self._sink.write(printable(text))
            self._sink.flush()
            self._at_line_start = text.endswith("\n")

    def _say(self, line: str) -> None:
        if not self._at_line_start:
            self._sink.write("\n")
            if not line:
                self._at_line_start = True
                return
        self._sink.write(printable(line) + "\n")
        self._sink.flush()
        self._at_line_start = True


def _answering(state: EngineState) -> str:
    return state.answering.label if state.answering else "no model"


def _complete_names() -> None:
    """Tab completes command names where the terminal can (not on Windows)."""
    try:
        import readline
    except ImportError:
        return
    from ankita.engine.actions import complete

    def completer(text: str, index: int) -> str | None:
        if not text.startswith("/"):
            return None
        names = complete(text[1:], Surface.TERMINAL)
        return f"/{names[index]} " if index < len(names) else None

    readline.set_completer_delims(" \t\n")
    readline.set_completer(completer)
    readline.parse_and_bind("tab: complete")
