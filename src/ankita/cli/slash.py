"""The slash commands of the terminal chat, each by the name it has in the one list of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ankita.cli.console import Console
from ankita.cli.lines import approval_lines, decision_line, help_lines, item_line
from ankita.engine import commands as c
from ankita.engine.engine import Engine
from ankita.engine.events import AttachmentChanged, Event
from ankita.engine.state import AttachmentStatus, EngineState, ThreadSummary
from ankita.ids import ThreadId

SHOWN_THREADS = 20
SHOWN_DECISIONS = 10


class Conversation(Protocol):
    """What a command may do with the conversation it is given in."""

    def thread(self) -> ThreadId: ...

    def switch_to(self, thread_id: ThreadId | None) -> None: ...

    def next_event(self) -> Event: ...

    def forget_events(self) -> None: ...

    def turn(self, command: c.SendMessage | c.RetryTurn) -> None: ...

    def follow(self, thread_id: ThreadId) -> None: ...

    def do(self, command: c.Command) -> object: ...


class SlashCommands:
    """`run(name, argument)` carries one out; it may raise AnkitaError."""

    def __init__(self, engine: Engine, console: Console, conversation: Conversation) -> None:
        self._engine = engine
        self._console = console
        self._chat = conversation
        self._actions: dict[str, Callable[[str], object]] = {
            "help": self._help,
            "commands": self._help,
            "new": lambda _: self._chat.switch_to(None),
            "threads": lambda _: self._threads(),
            "open": self._open,
            "attach": self._attach,
            "stop": lambda _: self._say("Nothing is running."),
            "retry": lambda _: self._chat.turn(c.RetryTurn(self._chat.thread())),
            "approvals": lambda _: self._approvals(),
            "yes": lambda _: self._answer_oldest(c.Answer.YES_ONCE),
            "no": lambda _: self._answer_oldest(c.Answer.NO),
            "why": lambda _: self._why(),
            "model": lambda _: self._model(),
            "server": self._server,
            "builtin": lambda _: self._chat.do(c.UseBuiltInAssistant()),
        }

    def run(self, name: str, argument: str) -> None:
        self._actions[name](argument)

    def _say(self, line: str) -> None:
        self._console.say(line)

    def _answer_oldest(self, answer: c.Answer) -> None:
        approvals = self._engine.state.approvals
        if not approvals:
            self._say("Nothing waits for an answer.")
            return
        approval = approvals[0]
        self._chat.forget_events()
        self._chat.do(c.OpenThread(approval.thread_id))
        self._chat.do(c.DecideApproval(approval.id, answer, "terminal"))
        self._chat.switch_to(approval.thread_id)
        self._chat.follow(approval.thread_id)

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
        thread_id = self._chat.thread()
        self._chat.forget_events()
        wanted = self._chat.do(c.AttachFile(thread_id, path))
        while True:
            event = self._chat.next_event()
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

    def _threads(self) -> None:
        for number, thread in enumerate(self._recent(), start=1):
            self._say(f"{number:3} {thread.title} · {thread.status}")

    def _recent(self) -> list[ThreadSummary]:
        threads = self._engine.state.threads.values()
        return sorted(threads, key=lambda t: t.updated_at, reverse=True)[:SHOWN_THREADS]

    def _open(self, argument: str) -> None:
        recent = self._recent()
        if not argument.isdigit() or not 1 <= int(argument) <= len(recent):
            self._say("Say which one: /threads lists them with numbers.")
            return
        thread = recent[int(argument) - 1]
        self._chat.do(c.OpenThread(thread.id))
        self._chat.switch_to(thread.id)
        for item in self._engine.state.items.get(thread.id, ()):
            self._say(item_line(item))

    def _why(self) -> None:
        record = self._engine.state.gate.record[-SHOWN_DECISIONS:]
        for decision in record:
            self._say(decision_line(decision))
        if not record:
            self._say("Nothing was decided yet.")

    def _model(self) -> None:
        self._say(answering(self._engine.state))

    def _server(self, argument: str) -> None:
        url, _, model = argument.partition(" ")
        if not url:
            self._say("Say which one: /server URL MODEL")
            return
        if not model:
            report = self._chat.do(c.CheckServer(url))
            assert isinstance(report, c.ServerReport)
            self._say(report.problem or "Models there: " + ", ".join(report.models))
            return
        self._chat.do(c.UseServer(url, model.strip()))
        self._model()

    def _help(self, argument: str) -> None:
        for line in help_lines(argument):
            self._say(line)


def answering(state: EngineState) -> str:
    """Who answers, in a few words."""
    return state.answering.label if state.answering else "no model"
