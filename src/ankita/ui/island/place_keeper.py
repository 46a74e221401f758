"""Knows the screens and where the island belongs on them, now and after a restart."""

from __future__ import annotations

import math
from typing import Any, Protocol

from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtGui import QGuiApplication, QScreen

from ankita.ui.island.placement import (
    Area,
    IslandMode,
    Placement,
    Remembered,
    Screen,
    choose_screen,
    place,
    remember_drop,
)

SCREEN, CENTRE = "island.screen", "island.centre"
"""Keys of the remembered place: a screen's name, and a share of its width."""


class UiStore(Protocol):
    """Keeps small JSON values over a restart. `get` gives None for what is not there."""

    def get(self, key: str) -> Any: ...

    def set(self, key: str, value: Any) -> None: ...


class PlaceKeeper(QObject):
    """Emits `changed` when screens come, go, move or change their scale."""

    changed = Signal()

    def __init__(self, store: UiStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._remembered = remembered_in(store)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenAdded.connect(self._screen_added)
        application.screenRemoved.connect(self._screens_changed)
        application.primaryScreenChanged.connect(self._screens_changed)
        for screen in QGuiApplication.screens():
            self._follow(screen)

    def place(self, mode: IslandMode, width: int, height: int, most: int) -> Placement | None:
        """Where a body of this size goes; None while there is no screen."""
        return place(screens_now(), self._remembered, mode, height, width, most)

    def room(self) -> Area | None:
        """The work area that the island is on; None without a screen."""
        screen = choose_screen(screens_now(), self._remembered.screen)
        return screen.work if screen is not None else None

    def drag_to(self, centre: QPoint) -> None:
        """Keep the body's centre near this point of the desktop, at the top of its screen."""
        dropped = remember_drop(screens_now(), centre.x(), centre.y())
        if dropped is not None and dropped != self._remembered:
            self._remembered = dropped
            self.changed.emit()

    def save(self) -> None:
        self._store.set(SCREEN, self._remembered.screen)
        self._store.set(CENTRE, round(self._remembered.centre, 4))

    def _follow(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._screens_changed)
        screen.geometryChanged.connect(self._screens_changed)
        screen.logicalDotsPerInchChanged.connect(self._screens_changed)

    def _screen_added(self, screen: QScreen) -> None:
        self._follow(screen)
        self.changed.emit()

    def _screens_changed(self, _what: object = None) -> None:
        self.changed.emit()


def remembered_in(store: UiStore) -> Remembered:
    """What the store says, with anything unusable replaced by the usual place."""
    screen, centre = store.get(SCREEN), store.get(CENTRE)
    usual = Remembered()
    is_number = isinstance(centre, int | float) and not isinstance(centre, bool)
    is_share = is_number and math.isfinite(centre)
    return Remembered(
        screen if isinstance(screen, str) else usual.screen,
        min(max(float(centre), 0.0), 1.0) if is_share else usual.centre,
    )


def screens_now() -> list[Screen]:
    primary = QGuiApplication.primaryScreen()
    return [
        Screen(screen.name(), _area(screen.availableGeometry()), is_primary=screen is primary)
        for screen in QGuiApplication.screens()
    ]


def _area(rect: QRect) -> Area:
    return Area(rect.x(), rect.y(), rect.width(), rect.height())
