"""Frames to build panes from: surfaces, cards, a divider and a thin progress line."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from ankita.ui.theme import appearance_now

_LINE_HEIGHT = 3
_UNKNOWN_SHARE = 0.3
"""How much of the line is filled while the whole is not known: something, and it stands still."""


class SurfaceKind(StrEnum):
    WINDOW = "window"
    PANE = "pane"
    RAIL = "rail"
    HEADER = "header"
    PAGE = "page"
    PANEL = "panel"
    ROW = "row"
    DIVIDED = "divided"
    COMPOSER = "composer"
    BUBBLE = "bubble"
    ATTACHMENT = "attachment"
    CODE = "code"


class Surface(QFrame):
    """A frame whose colours come from its kind alone."""

    def __init__(self, kind: SurfaceKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", kind.value)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


class CardVariant(StrEnum):
    PLAIN = "plain"
    ASK = "ask"
    BARE = "bare"
    LOWERS = "lowers"


class Card(QFrame):
    """A rounded frame with a column inside; `name` is what a screen reader calls the group."""

    def __init__(
        self,
        name: str,
        variant: CardVariant = CardVariant.PLAIN,
        *,
        padding: int = 14,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("card", variant.value)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(name)
        # Not Maximum: that would cut a card off at the height of its text before wrapping.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(padding, padding, padding, padding)
        self.column.setSpacing(4)


class ProgressLine(QProgressBar):
    """A thin bar. Set a maximum of 0 while the whole is not known."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_progress(self, done: int, total: int) -> None:
        """`total` 0 means unknown."""
        self.setRange(0, total)
        self.setValue(min(done, total))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(120, _LINE_HEIGHT)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(24, _LINE_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        # Drawn here because the style would run a timer for a bar of unknown length.
        del event
        palette = appearance_now().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        bar = QRectF(0, (self.height() - _LINE_HEIGHT) / 2, self.width(), _LINE_HEIGHT)
        painter.setBrush(QColor(palette.line))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        share = self._share()
        if share > 0:
            bar.setWidth(max(bar.width() * share, _LINE_HEIGHT))
            painter.setBrush(QColor(palette.accent))
            painter.drawRoundedRect(bar, 1.5, 1.5)

    def _share(self) -> float:
        span = self.maximum() - self.minimum()
        if span <= 0:
            return _UNKNOWN_SHARE
        return max(0.0, (self.value() - self.minimum()) / span)
