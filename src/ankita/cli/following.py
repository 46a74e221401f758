"""Shows what happens in a thread until its work is over; Ctrl+C stops it."""

from __future__ import annotations

from collections.abc import Callable

from ankita.cli.lines import item_line
from ankita.cli.questions import Questions
from ankita.cli.talk import Talk
from ankita.cli.turn_watch import TurnWatch
from ankita.cli.typed_ahead import TypedAhead
from ankita.engine import commands as c
from ankita.engine.events import (
    ApprovalRequested,
    Event,
    ItemAdded,
    ItemChanged,
    TextAdded,
)
from ankita.errors import AnkitaError
from ankita.ids import ItemId, ThreadId
from ankita.memory.transcript import NoticeItem, ReplyItem, ToolItem

WhileWorking = Callable[[str], None]
"""Carries out a slash command that may be given meanwhile; says so where it may not."""


class Following:
    """`typed` fetches lines typed meanwhile; `command` carries out those with a slash."""

    def __init__(self, talk: Talk, typed: TypedAhead, command: WhileWorking) -> None:
        self._talk = talk
        self._typed = typed
        self._command = command
        self._questions = Questions(talk)
        self._replies: set[ItemId] = set()

    def turn(self, command: c.SendMessage | c.RetryTurn) -> None:
        """Start a turn and follow it to its end."""
        self._talk.catch_up()
        if self._talk.do(command) is None:
            self._talk.console.note("queued")
        self.follow(command.thread_id)

    def follow(self, thread_id: ThreadId) -> None:
        """Show a thread until nothing of it runs or waits any more."""
        watch = TurnWatch(thread_id)
        while not watch.is_over:
            try:
                self._fetch_typed(watch)
                event = self._talk.next_event()
                if event is not None:
                    self._show(event, watch)
            except KeyboardInterrupt:
                self._talk.outcome.was_interrupted = True
                self._talk.do(c.StopTurn(thread_id))
        self._talk.console.end_line()
        self._talk.outcome.has_failed |= watch.has_failed

    def forget_typed(self) -> None:
        """Drop what was typed before a question was seen: it is no answer to it."""
        self._typed.forget()

    def _show(self, event: Event, watch: TurnWatch) -> None:
        for line in watch.take(event):
            self._talk.console.note(line)
        self._talk.tell(event)
        match event:
            case ItemAdded(where, item) if where == watch.thread_id:
                self._added(item)
            case TextAdded(where, item_id, text) if where == watch.thread_id:
                if item_id in self._replies:
                    self._talk.console.write(text)
            case ItemChanged(where, ToolItem() as item) if where == watch.thread_id:
                if item.status.is_settled:
                    self._talk.console.note(item_line(item))
            case ApprovalRequested(approval) if approval.thread_id == watch.thread_id:
                # What was typed before the question was seen is no answer to it.
                self._fetch_typed(watch)
                self.forget_typed()
                self._questions.ask(approval)

    def _added(self, item: object) -> None:
        if isinstance(item, ReplyItem):
            self._replies.add(item.id)
            self._talk.console.end_line()
            self._talk.console.write(item.text)
        elif isinstance(item, NoticeItem):
            self._talk.console.note(f"! {item.text}")

    def _fetch_typed(self, watch: TurnWatch) -> None:
        for line in self._typed.lines():
            try:
                self._take_typed(line.strip(), watch)
            except AnkitaError as error:
                self._talk.console.note(error.sentence())

    def _take_typed(self, line: str, watch: TurnWatch) -> None:
        if line.startswith("/"):
            self._command(line)
        elif line and self._talk.do(c.SendMessage(watch.thread_id, line)) is None:
            watch.queued.append(line)
            self._talk.console.note("queued: it goes in at the next step")
        elif line:
            watch.expect_another()
