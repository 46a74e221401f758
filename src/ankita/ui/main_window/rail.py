"""The navigation at the left edge: one button for each pane that exists."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QVBoxLayout, QWidget

from ankita.ui.main_window.measures import rail_width
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class Pane(StrEnum):
    CHAT = "chat"
    APPROVALS = "approvals"
    SETTINGS = "settings"


class Rail(Surface):
    """Emits the pane that was chosen; `show_pane` only marks it."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.RAIL, parent)
        self.setAccessibleName("Navigation")
        self.setFixedWidth(rail_width(appearance_now()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 12)
        column.setSpacing(6)
        self.mascot = MascotWidget("Mira", size=30, takes_focus=False)
        self.mascot.clicked.connect(lambda: self.chosen.emit(Pane.CHAT.value))
        column.addWidget(self.mascot, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(8)
        self._group = QButtonGroup(self)
        self._buttons: dict[Pane, IconButton] = {}
        for pane, icon, name, keys in (
            (Pane.CHAT, Icon.CHAT, "Chat", "Ctrl+1"),
            (Pane.APPROVALS, Icon.SHIELD, "Approvals", "Ctrl+2"),
            (Pane.SETTINGS, Icon.GEAR, "Settings", "Ctrl+3"),
        ):
            if pane is Pane.SETTINGS:
                column.addStretch(1)
            column.addWidget(self._add(pane, icon, name, keys), 0, Qt.AlignmentFlag.AlignHCenter)
        self.show_pane(Pane.CHAT)

    def button(self, pane: Pane) -> IconButton:
        return self._buttons[pane]

    def show_pane(self, pane: Pane) -> None:
        self._buttons[pane].setChecked(True)

    def set_waiting(self, count: int) -> None:
        """How many questions wait."""
        self._buttons[Pane.APPROVALS].set_count(count)

    def _add(self, pane: Pane, icon: Icon, name: str, keys: str) -> IconButton:
        button = IconButton(icon, name, size=40, rail=True)
        button.setToolTip(f"{name} ({keys})")
        button.clicked.connect(lambda: self.chosen.emit(pane.value))
        self._group.addButton(button)
        self._buttons[pane] = button
        return button
