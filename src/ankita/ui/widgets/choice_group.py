"""A group of which one is chosen: Tab stops at the chosen one, arrows go to the others."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QButtonGroup

_WITHOUT_TAB = Qt.FocusPolicy.ClickFocus


class ChoiceGroup(QButtonGroup):
    """Qt itself moves the stop only when the user chooses, not when the program does."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.buttonToggled.connect(self._toggled)

    def _toggled(self, button: QAbstractButton, is_checked: bool) -> None:
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_checked else _WITHOUT_TAB)
        if is_checked:
            for other in self.buttons():
                if other is not button:
                    other.setFocusPolicy(_WITHOUT_TAB)
