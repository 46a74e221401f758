"""Has a window's place saved a moment after it was moved, resized, minimised or maximised."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

SETTLED_MILLISECONDS = 300
_CHANGES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)


class PlaceKeeper(QObject):
    """Lives with the window; after a crash the window opens where it was last."""

    def __init__(self, window: QWidget, save: Callable[[], None]) -> None:
        super().__init__(window)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_MILLISECONDS)
        self._timer.timeout.connect(save)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's own
        del watched
        if event.type() in _CHANGES:
            self._timer.start()
        return False
