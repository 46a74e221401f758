"""Makes the thread that a first message or file needs, once for all that waits for it."""

from __future__ import annotations

from collections.abc import Callable

from ankita.engine import CreateThread
from ankita.ids import TeammateId, ThreadId
from ankita.ui.replies import Replies

Then = Callable[[ThreadId], None]
Failed = Callable[[str], None]


class ThreadMaker:
    """`made` is told the new thread before those who waited for it."""

    def __init__(self, replies: Replies, made: Then) -> None:
        self._replies = replies
        self._made = made
        self._is_creating = False
        self._waiting: list[tuple[Then, Failed]] = []

    def make(self, teammate_id: TeammateId, then: Then, failed: Failed) -> None:
        """Call `then` with the new thread, or `failed` with a sentence for the user."""
        self._waiting.append((then, failed))
        if not self._is_creating:
            self._is_creating = True
            self._replies.ask(CreateThread(teammate_id), self._created, self._refused)

    def _taken(self) -> list[tuple[Then, Failed]]:
        self._is_creating = False
        waiting, self._waiting = self._waiting, []
        return waiting

    def _created(self, thread_id: ThreadId) -> None:
        waiting = self._taken()
        self._made(thread_id)
        for then, _ in waiting:
            then(thread_id)

    def _refused(self, words: str) -> None:
        for _, failed in self._taken():
            failed(words)
