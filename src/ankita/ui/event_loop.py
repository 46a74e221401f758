"""The UI's own event loops: the only place that knows qasync.

Coroutines here wait for a command's future or a dialog's end, nothing else; the
engine has a loop of its own.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEventLoop

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

    from PySide6.QtCore import SignalInstance
    from PySide6.QtWidgets import QApplication

log = logging.getLogger(__name__)


class UiTasks:
    """Owns the tasks that slots start: their failures are logged, none outlives the window."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        import asyncio

        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def cancel(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a window's task failed", exc_info=error)


def run_until(*signals: SignalInstance) -> None:
    """Run Qt alone until one of the signals: for the start, before asyncio is loaded."""
    loop = QEventLoop()
    for signal in signals:
        signal.connect(loop.quit)
    loop.exec()


def run_until_quit(application: QApplication, main: Coroutine[Any, Any, None]) -> None:
    """Run the application until `main` returns."""
    import asyncio

    import qasync

    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(main)
