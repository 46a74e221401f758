"""A file held anywhere over the island counts for the mascot that is nearest."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from ankita.ui.widgets.mascot import MascotWidget


class DropTarget:
    """Hands the drag events of `window` on, and moves them along with the pointer."""

    def __init__(self, window: QWidget, mascots: Callable[[], list[MascotWidget]]) -> None:
        self._window = window
        self._mascots = mascots
        self._over: MascotWidget | None = None

    def enter(self, event: QDragEnterEvent) -> None:
        self._over = None
        self._move_to(event)

    def move(self, event: QDragMoveEvent) -> None:
        nearest = self._nearest(event.position().toPoint())
        if nearest is not self._over:
            self.leave(QDragLeaveEvent())
            self._move_to(event)
        elif nearest is not None:
            nearest.dragMoveEvent(event)

    def leave(self, event: QDragLeaveEvent) -> None:
        over = self._let_go()
        if over is not None:
            over.dragLeaveEvent(event)

    def drop(self, event: QDropEvent) -> None:
        over = self._let_go()
        target = over or self._nearest(event.position().toPoint())
        if target is None:
            event.ignore()
        else:
            target.dropEvent(event)

    def _let_go(self) -> MascotWidget | None:
        """The mascot that the file was over, unless it went away meanwhile."""
        over, self._over = self._over, None
        return over if over in self._mascots() else None

    def _move_to(self, event: QDragMoveEvent) -> None:
        self._over = self._nearest(event.position().toPoint())
        if self._over is None:
            event.ignore()
            return
        self._over.hold(event)

    def _nearest(self, point: QPoint) -> MascotWidget | None:
        def distance(mascot: MascotWidget) -> int:
            centre = mascot.mapTo(self._window, mascot.rect().center())
            return (centre - point).manhattanLength()

        return min(self._mascots(), key=distance, default=None)
