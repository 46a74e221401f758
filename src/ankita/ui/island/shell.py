"""Draws the island's body: a rounded plate with a thin border and a soft shadow."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QRegion

from ankita.ui.theme import Palette

RADIUS = 22.0
SHADOW = QMargins(14, 8, 14, 20)
"""Room around the body for its shadow; above it only as much as the gap to the screen's edge."""

_DROP = 4
"""How far below the body the shadow lies."""
_STEPS = 16
_DARKNESS = {True: 0.36, False: 0.16}


def paint_shell(
    painter: QPainter, body: QRectF, palette: Palette, *, shadow: bool, has_keyboard: bool
) -> None:
    """Draw it at `body`. With `has_keyboard` the border says that keys arrive here."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if shadow:
        _paint_shadow(painter, body, _DARKNESS[palette.is_dark])
    painter.setBrush(QColor(palette.island))
    colour, width = (palette.accent, 1.5) if has_keyboard else (palette.island_line, 1.0)
    painter.setPen(QPen(QColor(colour), width))
    inset = width / 2
    painter.drawRoundedRect(body.adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)


def inner_of(body: QRect) -> QRect:
    """The part of the body that no rounded corner cuts into."""
    return body.adjusted(0, round(RADIUS), 0, -round(RADIUS))


def shape_of(body: QRect) -> QRegion:
    """The body alone, for a screen that cannot show transparency."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(body), RADIUS, RADIUS)
    return QRegion(path.toFillPolygon().toPolygon())


def _paint_shadow(painter: QPainter, body: QRectF, darkness: float) -> None:
    """Rings from the outside in; each adds a little, so that they melt into a blur."""
    painter.setPen(Qt.PenStyle.NoPen)
    reach = float(SHADOW.bottom() - _DROP)
    for step in range(_STEPS):
        spread = reach * (1 - step / _STEPS)
        alpha = darkness * (step + 1) / sum(range(1, _STEPS + 1))
        painter.setBrush(QColor.fromRgbF(0.0, 0.0, 0.0, alpha))
        ring = body.adjusted(-spread, -spread, spread, spread).translated(0, _DROP)
        painter.drawRoundedRect(ring, RADIUS + spread, RADIUS + spread)
