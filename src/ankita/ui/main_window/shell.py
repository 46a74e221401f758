"""The main window on the desktop: its place, its closing, and its first frame.

It knows neither the engine nor what it will hold, so that it is on the screen before they
are loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from ankita.ui.main_window.skeleton import Skeleton
from ankita.ui.main_window.ui_state import GEOMETRY
from ankita.ui.question_windows import mark_shows_questions

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from ankita.ui.main_window.ui_state import UiStateStore

LEAST_SIZE = (840, 560)
FIRST_SIZE = (1200, 760)


class MainShell(QMainWindow):
    """Closing it hides it; whoever owns it decides when the application ends."""

    hidden = Signal()

    def __init__(self, store: UiStateStore) -> None:
        super().__init__()
        self._store = store
        self.setWindowTitle("Ankita")
        self.setMinimumSize(*LEAST_SIZE)
        mark_shows_questions(self)
        self.setCentralWidget(Skeleton())
        self._restore_place()

    def fill(self, content: QWidget) -> None:
        """Show `content` in place of the bare frame, in the next frame that is painted."""
        self.setWindowTitle(content.windowTitle() or "Ankita")
        self.setCentralWidget(content)
        # Not left to the window, which does it later: only what is visible can take the focus.
        content.show()

    def bring_to_front(self) -> None:
        """Show the window and give it the keyboard."""
        from PySide6.QtCore import Qt

        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def save_place(self) -> None:
        """Remember where the window is and how large."""
        self._store.set(GEOMETRY, bytes(self.saveGeometry().toBase64().data()).decode("ascii"))

    def _restore_place(self) -> None:
        self.resize(*FIRST_SIZE)
        stored = self._store.get(GEOMETRY)
        if isinstance(stored, str):
            self.restoreGeometry(QByteArray.fromBase64(stored.encode("ascii", "replace")))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        event.ignore()
        self.save_place()
        self.hide()
        self.hidden.emit()
