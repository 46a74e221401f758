"""Turns SIGINT and SIGTERM into a Qt signal, without a timer that wakes up to look."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal

QUIT_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Termination(QObject):
    """Python runs a handler only when its interpreter runs next; the wake-up socket sees to that.

    Lives on the main thread. `restore` puts the former handlers back.
    """

    requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reads, self._writes = socket.socketpair()
        self._reads.setblocking(False)
        self._writes.setblocking(False)
        self._former_wakeup = signal.set_wakeup_fd(self._writes.fileno(), warn_on_full_buffer=False)
        self._former: dict[signal.Signals, Callable[..., Any] | int | None] = {
            number: signal.signal(number, _leave_to_the_notifier) for number in QUIT_SIGNALS
        }
        self._notifier = QSocketNotifier(self._reads.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)

    def restore(self) -> None:
        self._notifier.setEnabled(False)
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_wakeup)
        self._reads.close()
        self._writes.close()

    def _woken(self) -> None:
        received = self._reads.recv(64)
        if any(number in received for number in QUIT_SIGNALS):
            self.requested.emit()


def _leave_to_the_notifier(number: int, frame: FrameType | None) -> None:
    del number, frame
