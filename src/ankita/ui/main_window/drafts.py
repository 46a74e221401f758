"""Keeps what is being written: a moment after the last key, and at once on a switch."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from ankita.engine import SaveDraft, ThreadSummary
from ankita.ids import ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.draft_changes import taken_in
from ankita.ui.main_window.ui_state import FIRST_DRAFT, UiStateStore
from ankita.ui.replies import Replies

DRAFT_MILLISECONDS = 300


class Drafts(QObject):
    """One draft is on its way at a time. Before there is a thread it lives in the UI's state."""

    def __init__(self, bridge: EngineBridge, store: UiStateStore, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._store = store
        self._replies = Replies(bridge, self)
        self._waiting: tuple[ThreadId | None, str] | None = None
        self._known: dict[ThreadId, str] = {}
        """The stored draft of each thread, as it was last seen."""
        self._on_their_way: dict[ThreadId, list[str]] = {}
        """What was handed over and may come back as an echo."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAFT_MILLISECONDS)
        self._timer.timeout.connect(self.flush)

    def draft_of(self, thread_id: ThreadId | None) -> str:
        if self._waiting is not None and self._waiting[0] == thread_id:
            return self._waiting[1]
        if thread_id is None:
            text = self._store.get(FIRST_DRAFT)
            return text if isinstance(text, str) else ""
        return self._stored(thread_id)

    def show(self, thread_id: ThreadId | None) -> str:
        """The draft of a thread that is shown from now on."""
        if thread_id is not None:
            self._known[thread_id] = self._stored(thread_id)
        return self.draft_of(thread_id)

    def changed(self, thread: ThreadSummary, local: str) -> str:
        """What the composer of a thread shows, `local` being what stands in it.

        It differs from `local` only where the engine changed the draft by itself.
        """
        before = self._known.get(thread.id, "")
        self._known[thread.id] = thread.draft
        if thread.draft == before or thread.draft in self._on_their_way.get(thread.id, ()):
            return local
        text = taken_in(local, before, thread.draft)
        if text != thread.draft:
            self.edited(thread.id, text)
        elif self._waiting is not None and self._waiting[0] == thread.id:
            self._waiting = None
            self._timer.stop()
        return text

    def edited(self, thread_id: ThreadId | None, text: str) -> None:
        if self._waiting is not None and self._waiting[0] != thread_id:
            self.flush()
        self._waiting = (thread_id, text)
        self._timer.start()

    def sent(self, thread_id: ThreadId | None) -> None:
        """The text became a message: nothing of it stays behind."""
        self._waiting = None
        self._timer.stop()
        if self.draft_of(thread_id):
            self._save(thread_id, "")

    def forget(self, thread_id: ThreadId) -> None:
        """The thread is gone."""
        self._known.pop(thread_id, None)
        self._on_their_way.pop(thread_id, None)
        if self._waiting is not None and self._waiting[0] == thread_id:
            self._waiting = None
            self._timer.stop()

    def flush(self) -> None:
        """Store what waits, now."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._save(*waiting)

    def _stored(self, thread_id: ThreadId) -> str:
        thread = self._bridge.state.threads.get(thread_id)
        return "" if thread is None else thread.draft

    def _save(self, thread_id: ThreadId | None, text: str) -> None:
        if thread_id is None:
            self._store.set(FIRST_DRAFT, text)
            return
        self._on_their_way.setdefault(thread_id, []).append(text)
        self._replies.ask(
            SaveDraft(thread_id, text),
            lambda _: self._arrived(thread_id, text),
            lambda words: self._refused(thread_id, text, words),
        )

    def _arrived(self, thread_id: ThreadId, text: str) -> None:
        texts = self._on_their_way.get(thread_id, [])
        if text in texts:
            texts.remove(text)

    def _refused(self, thread_id: ThreadId, text: str, words: str) -> None:
        self._arrived(thread_id, text)
        self._bridge.refused.emit(words)
