"""Tells when a window has painted for the first time, and traces it when asked to.

With ANKITA_TRACE_START=1 in the environment each window's first frame is one line of
JSON on standard error, with the time in seconds of Unix time.
"""

from __future__ import annotations

import json
import os
import sys
import time

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

SENT_MILLISECONDS = 4
TRACE_VARIABLE = "ANKITA_TRACE_START"


def trace(what: str, environment: dict[str, str] | None = None) -> None:
    """Print a moment of the start, if the user wants to see them."""
    env = os.environ if environment is None else environment
    if env.get(TRACE_VARIABLE) == "1" and sys.stderr is not None:
        print(json.dumps({"moment": what, "unix_time": time.time()}), file=sys.stderr, flush=True)


class FirstFrame(QObject):
    """Emits `painted` once, after the first frame of a window was handed to the screen.

    `patience_milliseconds` later it emits anyway: a window on another desktop is not painted.
    """

    painted = Signal()

    def __init__(self, window: QWidget, name: str, *, patience_milliseconds: int) -> None:
        super().__init__(window)
        self._name = name
        self._is_done = False
        window.installEventFilter(self)
        QTimer.singleShot(patience_milliseconds, self, self._finish)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's own
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # Qt keeps the frame in its own buffer until the loop goes to sleep; with less than
            # a real pause, work that follows would come before the frame is on the screen.
            QTimer.singleShot(SENT_MILLISECONDS, self, self._painted)
        return False

    def _painted(self) -> None:
        trace(f"{self._name} painted")
        self._finish()

    def _finish(self) -> None:
        if not self._is_done:
            self._is_done = True
            self.painted.emit()
