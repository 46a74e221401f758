"""Whether a thread's work is over, from its events in their order; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from ankita.engine.events import Event, ItemAdded, QueueChanged, ThreadSaved
from ankita.engine.state import ThreadStatus
from ankita.ids import ThreadId
from ankita.memory.transcript import UserItem

_BUSY = (ThreadStatus.WORKING, ThreadStatus.ASKING)
_ENDED_BADLY = (ThreadStatus.FAILED, ThreadStatus.STOPPED, ThreadStatus.INTERRUPTED)


@dataclass
class TurnWatch:
    """A turn and those that follow from what was typed meanwhile.

    `queued` are the texts that wait to go in. `status` is how the last turn ended.
    """

    thread_id: ThreadId
    queued: list[str] = field(default_factory=list)
    status: ThreadStatus = ThreadStatus.WORKING
    _expects_another: bool = False

    @property
    def is_over(self) -> bool:
        return self.status not in _BUSY and not self.queued

    @property
    def has_failed(self) -> bool:
        return self.status in _ENDED_BADLY

    def expect_another(self) -> None:
        """A new turn was started before the end of the last one was seen here."""
        self._expects_another = True
        self.status = ThreadStatus.WORKING

    def take(self, event: Event) -> list[str]:
        """Follow one event; lines to tell about what was queued."""
        match event:
            case ThreadSaved(thread) if thread.id == self.thread_id:
                self._saved(thread.status)
            case QueueChanged(where, messages) if where == self.thread_id:
                return self._changed([message.text for message in messages])
            case ItemAdded(where, UserItem() as item) if where == self.thread_id:
                if item.text in self.queued:
                    self.queued.remove(item.text)
                    return [f"> {item.text}"]
        return []

    def _saved(self, status: ThreadStatus) -> None:
        if status in _BUSY:
            self._expects_another = False
        if not self._expects_another:
            self.status = status

    def _changed(self, texts: list[str]) -> list[str]:
        """What is gone from the queue without having gone in was given back."""
        back = [text for text in self.queued if text not in texts] if self.has_failed else []
        self.queued = texts
        return [f"! Not sent: {text}" for text in back]
