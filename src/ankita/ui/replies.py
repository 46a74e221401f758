"""Brings the answer of a command back to the thread of whoever waits for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from ankita.engine import Command
from ankita.errors import AnkitaError
from ankita.ui.bridge import EngineBridge

Then = Callable[[Any], None]
Failed = Callable[[str], None]


class Replies(QObject):
    """`ask` calls back on this object's thread, in the order of the answers."""

    _woken = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._done: deque[tuple[Future[Any], Then, Failed]] = deque()
        self._is_open = True
        self._woken.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask(self, command: Command, then: Then, failed: Failed) -> None:
        """`failed` takes one sentence that says why the command was refused."""

        def arrived(future: Future[Any]) -> None:
            self._done.append((future, then, failed))
            if self._is_open:
                self._woken.emit()

        self._bridge.submit(command).add_done_callback(arrived)

    def close(self) -> None:
        """Call nobody back any more."""
        self._is_open = False
        self._done.clear()

    def _deliver(self) -> None:
        while self._done:
            future, then, failed = self._done.popleft()
            if future.cancelled():
                continue
            error = future.exception()
            if error is None:
                then(future.result())
            else:
                failed(error.sentence() if isinstance(error, AnkitaError) else str(error))
