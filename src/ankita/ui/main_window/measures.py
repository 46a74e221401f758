"""The sizes that the window's parts and its first frame must agree on."""

from __future__ import annotations

from ankita.ui.theme import Appearance

RAIL_WIDTH = 56
LIST_WIDTH = 248
MOST_LIST_SHARE = 0.3
HEADER_HEIGHT = 52
COLUMN_WIDTH = 720
SIDE_MARGIN = 20
BELOW_COMPOSER = 18


def rail_width(look: Appearance) -> int:
    return max(look.space(RAIL_WIDTH), RAIL_WIDTH)


def list_width(look: Appearance, room: int) -> int:
    """The thread list beside the chat; with large text it takes its share of `room` pixels."""
    return min(look.space(LIST_WIDTH), max(round(room * MOST_LIST_SHARE), LIST_WIDTH))


def composer_margin(look: Appearance, width: int) -> int:
    """What stays free at both sides of the composer in a chat of this width."""
    column = max(look.space(COLUMN_WIDTH), COLUMN_WIDTH)
    return max((width - column) // 2, SIDE_MARGIN)
