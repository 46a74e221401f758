"""The commands about threads: which one, its files, its plan, its queue and its pins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ankita.cli.following import Following
from ankita.cli.lines import attachment_lines, item_line, message_line, plan_line
from ankita.cli.talk import Talk
from ankita.engine import commands as c
from ankita.engine.events import AttachmentChanged
from ankita.engine.state import AttachmentStatus, QueuedMessage, ThreadSummary
from ankita.memory.transcript import ReplyItem, UserItem

SHOWN_THREADS = 20

T = TypeVar("T")


class ThreadCommands:
    def __init__(self, talk: Talk, following: Following) -> None:
        self._talk = talk
        self._following = following

    def by_name(self) -> dict[str, Callable[[str], object]]:
        return {
            "new": lambda _: self._talk.switch_to(None),
            "threads": lambda _: self._threads(),
            "open": self._open,
            "attach": self._attach,
            "retry": lambda _: self._following.turn(c.RetryTurn(self._talk.thread())),
            "queue": lambda _: self._queue(),
            "unqueue": self._unqueue,
            "plan": lambda _: self._plan(),
            "pin": self._pin,
            "pins": lambda _: self._pins(),
        }

    def _say(self, line: str) -> None:
        self._talk.console.say(line)

    def _threads(self) -> None:
        recent = self._recent()
        for number, thread in enumerate(recent, start=1):
            self._say(f"{number:3} {thread.title} · {thread.status}")
        if not recent:
            self._say("There are no threads yet.")

    def _recent(self) -> list[ThreadSummary]:
        threads = self._talk.engine.state.threads.values()
        return sorted(threads, key=lambda t: t.updated_at, reverse=True)[:SHOWN_THREADS]

    def _open(self, argument: str) -> None:
        thread = chosen(self._recent(), argument)
        if thread is None:
            self._say("Say which one: /threads lists them with numbers.")
            return
        self._talk.do(c.OpenThread(thread.id))
        self._talk.switch_to(thread.id)
        for item in self._talk.engine.state.items.get(thread.id, ()):
            self._say(item_line(item))

    def _attach(self, argument: str) -> None:
        path = argument.strip("'\" ")
        thread_id = self._talk.thread()
        self._talk.catch_up()
        wanted = self._talk.do(c.AttachFile(thread_id, path))
        while True:
            event = self._talk.next_event()
            if not isinstance(event, AttachmentChanged) or event.attachment.id != wanted:
                continue
            if event.attachment.status is AttachmentStatus.READING:
                continue
            for line in attachment_lines(event.attachment):
                self._say(line)
            return

    def _queue(self) -> None:
        waiting = self._waiting()
        for number, message in enumerate(waiting, start=1):
            names = "".join(f" [{name}]" for name in message.attachments)
            self._say(f"{number:3} {message.text}{names}")
        if not waiting:
            self._say("Nothing waits.")

    def _unqueue(self, argument: str) -> None:
        message = chosen(self._waiting(), argument)
        if message is None:
            self._say("Say which one: /queue lists them with numbers.")
            return
        self._talk.do(c.UnqueueMessage(self._talk.thread(), message.id))
        self._say(f"Taken back: {message.text}")

    def _waiting(self) -> Sequence[QueuedMessage]:
        thread_id = self._talk.present_thread()
        return self._talk.engine.state.queued.get(thread_id, ()) if thread_id else ()

    def _plan(self) -> None:
        thread_id = self._talk.present_thread()
        steps = self._talk.engine.state.plans.get(thread_id, ()) if thread_id else ()
        for step in steps:
            self._say(plan_line(step))
        if not steps:
            self._say("This thread has no plan.")

    def _messages(self) -> list[UserItem | ReplyItem]:
        thread_id = self._talk.present_thread()
        items = self._talk.engine.state.items.get(thread_id, ()) if thread_id else ()
        return [i for i in items if isinstance(i, UserItem | ReplyItem) and i.text.strip()]

    def _pins(self) -> None:
        messages = self._messages()
        for number, item in enumerate(messages, start=1):
            self._say(message_line(number, item))
        self._say("/pin NUMBER keeps one, or no longer." if messages else "There are no messages.")

    def _pin(self, argument: str) -> None:
        item = chosen(self._messages(), argument)
        if item is None:
            self._say("Say which one: /pins lists the messages with numbers.")
            return
        is_pinned = not item.is_pinned
        self._talk.do(c.PinItem(self._talk.thread(), item.id, is_pinned))
        self._say("Pinned: it goes with every request." if is_pinned else "No longer pinned.")


def chosen(things: Sequence[T], number: str) -> T | None:
    """The thing with a typed number, counted from 1."""
    numbers = (str(place) for place in range(1, len(things) + 1))
    return dict(zip(numbers, things, strict=True)).get(number.lstrip("0"))
