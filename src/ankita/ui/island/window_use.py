"""Whether the user is in a window of this app that shows the questions itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ankita.ui.question_windows import shows_questions

LEFT_MILLISECONDS = 250
"""The focus is nowhere for a moment while it goes from one window to another."""


class WindowUse(QObject):
    """Minimised, hidden or behind another program's window: all of them mean not in use."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LEFT_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._become(self._look()))
        self._is_in_use = self._look()
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.focusWindowChanged.connect(self._focus_changed)

    @property
    def is_in_use(self) -> bool:
        return self._is_in_use

    def _look(self) -> bool:
        return shows_questions(QApplication.activeWindow())

    def _focus_changed(self, _window: object) -> None:
        if self._look():
            self._become(True)
        # Looked at again in any case: a window that hides is still the active one just now.
        self._timer.start()

    def _become(self, is_in_use: bool) -> None:
        if is_in_use != self._is_in_use:
            self._is_in_use = is_in_use
            self.changed.emit()
