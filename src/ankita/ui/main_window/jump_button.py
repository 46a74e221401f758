"""The button over a thread that leads back to its newest item."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ankita.ui.widgets.buttons import ActButton

_DISTANCE = 10


class JumpButton(ActButton):
    """Stands at the lower edge of its parent while it is offered."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Jump to latest", small=True, parent=parent)
        self._over = parent
        self.hide()

    def offer(self, *, needed: bool, asks: bool) -> None:
        """With `asks` it says that a question waits down there."""
        if needed:
            words = "Needs your yes, jump there" if asks else "Jump to latest"
            self.setText(words)
            self.setAccessibleName(words)
            self.place()
        self.setVisible(needed)

    def place(self) -> None:
        """Take the place again after the size of the view changed."""
        self.adjustSize()
        room = self._over.size()
        self.move((room.width() - self.width()) // 2, room.height() - self.height() - _DISTANCE)
        self.raise_()
