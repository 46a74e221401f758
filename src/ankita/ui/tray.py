"""The icon in the system's tray, where there is one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon


class Tray(QObject):
    """Shows an icon with "Open Ankita" and "Quit". A tray may appear later: call `ensure` again.

    Without a tray the island and a second launch are the ways back to the window.
    """

    open_requested = Signal()
    quit_requested = Signal()

    def __init__(self, icon: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._menu: QMenu | None = None
        self._tray: QSystemTrayIcon | None = None

    def ensure(self) -> bool:
        """Put the icon into the tray if there is one now; whether it is there."""
        # An icon claims to be visible even where there is no tray at all.
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return False
        if self._tray is None:
            self._menu = QMenu()
            self._menu.addAction("Open Ankita").triggered.connect(self.open_requested)
            self._menu.addAction("Quit").triggered.connect(self.quit_requested)
            self._tray = QSystemTrayIcon(self._icon, self)
            self._tray.setToolTip("Ankita")
            self._tray.setContextMenu(self._menu)
            self._tray.activated.connect(self._activated)
        self._tray.show()
        return True

    def remove(self) -> None:
        if self._tray is not None:
            self._tray.hide()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        ):
            self.open_requested.emit()
