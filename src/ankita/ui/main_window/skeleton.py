"""The frame of the main window before its parts are loaded: the same surfaces, still empty.

Plain widgets and the style sheet alone draw it. A class of its own or a painter for each
surface would cost more than the frame itself.
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ankita.ui.main_window.measures import (
    BELOW_COMPOSER,
    HEADER_HEIGHT,
    composer_margin,
    list_width,
    rail_width,
)
from ankita.ui.theme import appearance_now

COMPOSER_HEIGHT = 85
MASCOT = 30
BUTTON = 40


class Skeleton(QFrame):
    """Rail, thread list, header and composer, with quiet shapes where things will be."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("surface", "window")
        self.setAccessibleName("Ankita is opening")
        look = appearance_now()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.rail = _surface("rail")
        self.rail.setFixedWidth(rail_width(look))
        places = QVBoxLayout(self.rail)
        places.setContentsMargins(13, 12, 13, 12)
        places.setSpacing(6)
        places.addWidget(_place(MASCOT))
        places.addStretch(1)
        self.threads = _surface("pane")
        chat = QVBoxLayout()
        chat.setSpacing(0)
        self.header = _surface("header")
        self.header.setFixedHeight(HEADER_HEIGHT)
        inside = QHBoxLayout(self.header)
        inside.setContentsMargins(20, 6, 20, 6)
        inside.addWidget(_place(MASCOT))
        inside.addStretch(1)
        self.composer = _surface("composer")
        self.composer.setFixedHeight(look.space(COMPOSER_HEIGHT))
        self._below = QHBoxLayout()
        self._below.addWidget(self.composer)
        chat.addWidget(self.header)
        chat.addStretch(1)
        chat.addLayout(self._below)
        for part in (self.rail, self.threads):
            row.addWidget(part)
        row.addLayout(chat, 1)

    def resizeEvent(self, event: object) -> None:  # noqa: N802 - Qt's own
        del event
        look, width = appearance_now(), self.width()
        beside = list_width(look, width)
        self.threads.setFixedWidth(beside)
        side = composer_margin(look, width - beside - self.rail.width())
        self._below.setContentsMargins(side, 0, side, BELOW_COMPOSER)


def _surface(kind: str) -> QWidget:
    widget = QFrame()
    widget.setProperty("surface", kind)
    return widget


def _place(size: int) -> QWidget:
    """Where something will be in a moment."""
    place = _surface("place")
    place.setFixedSize(size, size)
    return place
