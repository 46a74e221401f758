"""A scrolled column that is as high as what is in it, up to a limit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from ankita.ui.theme import appearance_now


class FittingScroll(QScrollArea):
    """`column` holds the content; `most` is in pixels at 100 % text.

    Tab reaches it only while it scrolls and holds nothing that Tab reaches by itself.
    """

    def __init__(
        self, name: str, most: int, *, holds_controls: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._most = most
        self._holds_controls = holds_controls
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        content = QWidget()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def scrolls(self) -> bool:
        return self._wanted() > self._limit()

    def fit(self) -> None:
        """Take the height that the content needs now."""
        self.setFixedHeight(max(min(self._wanted(), self._limit()), 1))
        is_stop = self.scrolls() and not self._holds_controls
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_stop else Qt.FocusPolicy.NoFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        handled = super().eventFilter(watched, event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.fit()
        return handled

    def _limit(self) -> int:
        return appearance_now().space(self._most)

    def _wanted(self) -> int:
        if self.column.hasHeightForWidth():
            return self.column.heightForWidth(max(self.viewport().width(), 1))
        return self.column.sizeHint().height()
