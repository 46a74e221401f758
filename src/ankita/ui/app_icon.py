"""The application's icon, drawn from the mascot so that no picture file is needed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from ankita.ui.widgets.mascot_paint import MascotLook, paint_mascot
from ankita.ui.widgets.mascot_pose import MascotState

SIZES = (16, 24, 32, 48, 64, 128, 256)
_GROUND = QColor("#15181b")
_CORNER = 0.22


def app_icon() -> QIcon:
    """The face on its dark tile, sharp at every usual size."""
    icon = QIcon()
    for side in SIZES:
        icon.addPixmap(_tile(side))
    return icon


def _tile(side: int) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_GROUND)
    painter.drawRoundedRect(QRectF(0, 0, side, side), side * _CORNER, side * _CORNER)
    inset = side * 0.06
    face = QRectF(inset, inset, side - 2 * inset, side - 2 * inset)
    paint_mascot(painter, face, MascotLook.MINT, MascotState.IDLE)
    painter.end()
    return pixmap
