"""Where the island goes: pure geometry in logical pixels, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

WIDTH = 368
STRIP_HEIGHT = 14
COMPACT_HEIGHT = 56
PETIT_SIDE = 72
EXPANDED_LEAST = 96
EXPANDED_MOST = 520
TOP_GAP = 8
"""Between the top edge and every shape but the strip, which touches the edge."""

SIDE_GAP = 8


class IslandMode(StrEnum):
    STRIP = "strip"
    PETIT = "petit"
    COMPACT = "compact"
    EXPANDED = "expanded"


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle; `right` and `bottom` lie just outside."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def centre_x(self) -> float:
        return self.x + self.width / 2

    def contains(self, other: Area) -> bool:
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen. `work` is what is left beside panels and docks, in logical pixels."""

    name: str
    work: Area
    is_primary: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """Where the user last put it: the screen, and the centre as a share of the work area's width.

    A share survives a change of resolution or scale; pixels do not.
    """

    screen: str = ""
    centre: float = 0.5


@dataclass(frozen=True, slots=True)
class Placement:
    screen: str
    area: Area


def place(
    screens: Sequence[Screen],
    remembered: Remembered,
    mode: IslandMode,
    content_height: int = 0,
    width: int = WIDTH,
    most: int = EXPANDED_MOST,
) -> Placement | None:
    """Where to show the island now; None while there is no screen at all.

    `content_height` is what the content would like; it counts for COMPACT (when it
    asks something) and EXPANDED. `width` and `most`, the greatest height, are more than
    usual for larger text. A remembered screen that is gone is replaced by the primary
    one, and `remembered` stays as it is, so the island returns with it.
    """
    screen = choose_screen(screens, remembered.screen)
    if screen is None:
        return None
    area = _area_on(
        screen.work, remembered.centre, mode, _wanted_height(mode, content_height, most), width
    )
    return Placement(screen.name, area)


def choose_screen(screens: Sequence[Screen], wanted: str) -> Screen | None:
    """The wanted screen, else the primary one, else the first that has room."""
    usable = [screen for screen in screens if screen.work.width > 0 and screen.work.height > 0]
    by_name = (screen for screen in usable if wanted and screen.name == wanted)
    primary = (screen for screen in usable if screen.is_primary)
    return next(by_name, None) or next(primary, None) or next(iter(usable), None)


def remember_drop(screens: Sequence[Screen], centre_x: float, y: float) -> Remembered | None:
    """What to remember after the user let the island go with its centre at this point.

    The screen is the one under the point, else the nearest.
    """
    if not screens:
        return None
    screen = min(screens, key=lambda each: _distance(each.work, centre_x, y))
    if screen.work.width <= 0:
        return Remembered(screen.name)
    share = (centre_x - screen.work.x) / screen.work.width
    return Remembered(screen.name, min(max(share, 0.0), 1.0))


def slide(start: Area, end: Area, share: float) -> Area:
    """One frame of a move: the width snaps, place and height glide (ease-out cubic)."""
    if share >= 1.0:
        return end
    eased = 1.0 - (1.0 - max(share, 0.0)) ** 3

    def between(first: int, second: int) -> int:
        return round(first + (second - first) * eased)

    return Area(
        x=end.x,
        y=between(start.y, end.y),
        width=end.width,
        height=between(start.height, end.height),
    )


def _area_on(work: Area, centre: float, mode: IslandMode, wanted: int, width: int) -> Area:
    width = min(PETIT_SIDE if mode is IslandMode.PETIT else width, work.width)
    gap = 0 if mode is IslandMode.STRIP else TOP_GAP
    height = min(wanted, max(work.height - 2 * gap, 1))
    share = min(max(centre, 0.0), 1.0)
    left = round(work.x + work.width * share - width / 2)
    side = min(SIDE_GAP, (work.width - width) // 2)
    left = min(max(left, work.x + side), work.right - width - side)
    top = min(work.y + gap, work.bottom - height)
    return Area(x=left, y=top, width=width, height=height)


def _wanted_height(mode: IslandMode, content_height: int, most: int) -> int:
    match mode:
        case IslandMode.STRIP:
            return STRIP_HEIGHT
        case IslandMode.PETIT:
            return PETIT_SIDE
        case IslandMode.COMPACT:
            return min(max(content_height, COMPACT_HEIGHT), most)
        case IslandMode.EXPANDED:
            return min(max(content_height, EXPANDED_LEAST), most)


def _distance(area: Area, x: float, y: float) -> float:
    across = max(area.x - x, 0.0, x - area.right)
    down = max(area.y - y, 0.0, y - area.bottom)
    return across**2 + down**2
