"""Keeps what is being written: a moment after the last key, and at once on a switch."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from ankita.engine import SaveDraft
from ankita.ids import ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.ui_state import FIRST_DRAFT, UiStateStore

DRAFT_MILLISECONDS = 300


class Drafts(QObject):
    """One draft is on its way at a time. Before there is a thread it lives in the UI's state."""

    def __init__(self, bridge: EngineBridge, store: UiStateStore, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._store = store
        self._waiting: tuple[ThreadId | None, str] | None = None
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
        thread = self._bridge.state.threads.get(thread_id)
        return "" if thread is None else thread.draft

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
        if self._waiting is not None and self._waiting[0] == thread_id:
            self._waiting = None
            self._timer.stop()

    def flush(self) -> None:
        """Store what waits, now."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._save(*waiting)

    def _save(self, thread_id: ThreadId | None, text: str) -> None:
        if thread_id is None:
            self._store.set(FIRST_DRAFT, text)
        else:
            self._bridge.do(SaveDraft(thread_id, text))
