"""Lends the island the keyboard after a click on it, and gives it back."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget


class KeyboardLoan(QObject):
    """The window is made so that it never takes the focus. While a loan lasts it may.

    The switch is made on the native window, which stays as it is: changing the flags of
    the widget would hide it.
    """

    changed = Signal(bool)
    """Whether keys arrive here now."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._watched: QWindow | None = None
        self._is_lent = False
        self._has_it = False

    @property
    def has_keyboard(self) -> bool:
        return self._has_it

    def take(self) -> None:
        """Ask for the keyboard. Where the system refuses, nothing changes."""
        window = self._widget.windowHandle()
        if window is None or self._has_it:
            return
        self._watch(window)
        self._is_lent = True
        window.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, False)
        window.requestActivate()

    def give_back(self) -> None:
        """Let the window that was used before have the keyboard again."""
        if not self._is_lent:
            return
        had_it = self._has_it
        self._end()
        if had_it:
            # Only a window that goes away makes the system choose another one.
            self._widget.hide()
            self._widget.show()

    def _watch(self, window: QWindow) -> None:
        if window is not self._watched:
            window.activeChanged.connect(self._active_changed)
            self._watched = window

    def _active_changed(self) -> None:
        window = self._watched
        if window is None:
            return
        if window.isActive():
            if self._is_lent and not self._has_it:
                self._has_it = True
                self.changed.emit(True)
        else:
            self._end()

    def _end(self) -> None:
        if self._watched is not None:
            self._watched.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, True)
        self._is_lent = False
        if self._has_it:
            self._has_it = False
            self.changed.emit(False)
