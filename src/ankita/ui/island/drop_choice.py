"""Whether a file is being held over the island or eaten there just now."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from ankita.ui.widgets.mascot import MascotState, MascotWidget

LEFT_MILLISECONDS = 200
"""A drag is nowhere for a moment while it goes from one mascot to another."""

_WITH_FILE = (MascotState.LISTENING, MascotState.SWALLOWING)


class DropChoice(QObject):
    """While it is on, whoever could get the file stays where it is."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_on = False
        self._held: set[MascotWidget] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LEFT_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._become(bool(self._held)))

    def watch(self, mascot: MascotWidget) -> None:
        """Look at what is held over a mascot, as long as there is one."""
        mascot.drag_entered.connect(lambda _paths: self._look(mascot))
        mascot.drag_left.connect(lambda: self._look(mascot))
        mascot.drag_refused.connect(lambda _reason: self._look(mascot))
        mascot.swallowed.connect(lambda: self._look(mascot))

    def forget(self, mascot: MascotWidget) -> None:
        """It goes away."""
        self._held.discard(mascot)
        self._timer.start()

    def _look(self, mascot: MascotWidget) -> None:
        if mascot.shown_state in _WITH_FILE:
            self._held.add(mascot)
            self._timer.stop()
            self._become(True)
        else:
            self._held.discard(mascot)
            self._timer.start()

    def _become(self, is_on: bool) -> None:
        if is_on != self.is_on:
            self.is_on = is_on
            self.changed.emit()
