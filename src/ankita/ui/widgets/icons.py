"""Stroke icons, drawn from path data on a grid of 24 by 24, crisp at any scale."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

GRID = 24.0
STROKE = 1.7
_RATIOS = (1.0, 1.25, 1.5, 2.0, 3.0)


class Icon(StrEnum):
    CHAT = "chat"
    FOLDER = "folder"
    CLOCK = "clock"
    MEMORY = "memory"
    PLUG = "plug"
    SHIELD = "shield"
    GEAR = "gear"
    PLUS = "plus"
    CHEVRON_DOWN = "chevron-down"
    CHEVRON_UP = "chevron-up"
    CHEVRON_RIGHT = "chevron-right"
    KEY = "key"
    PAPERCLIP = "paperclip"
    DOCUMENT = "document"
    STOP = "stop"
    SEND = "send"
    CLOSE = "close"
    MINIMISE = "minimise"
    COPY = "copy"
    CHECK = "check"
    SEARCH = "search"
    TRASH = "trash"
    REFRESH = "refresh"
    PIN = "pin"


_GEAR_SPOKES = " ".join(
    (
        "M12 3.6 L12 5.9 M12 18.1 L12 20.4 M3.6 12 L5.9 12 M18.1 12 L20.4 12",
        "M6.06 6.06 L7.7 7.7 M16.3 16.3 L17.94 17.94",
        "M6.06 17.94 L7.7 16.3 M16.3 7.7 L17.94 6.06",
    )
)

# M x y move, L x y line, C six numbers curve, O x y r circle, R x y w h r rounded box, Z close.
_PATHS: dict[Icon, str] = {
    Icon.CHAT: "M4.5 5 L19.5 5 L19.5 16 L9.5 16 L4.5 20 Z",
    Icon.FOLDER: "M3.5 6.5 L9 6.5 L11.2 8.8 L20.5 8.8 L20.5 18.2 L3.5 18.2 Z",
    Icon.CLOCK: "O12 12 8.2 M12 7.4 L12 12.2 L15 14.2",
    Icon.MEMORY: "O12 12 7.6 M12 9.2 L12 14.8 M9.2 12 L14.8 12",
    Icon.PLUG: "M9 3.8 L9 8.4 M15 3.8 L15 8.4 M6.4 8.4 L17.6 8.4 L17.6 11 "
    "C17.6 14.4 15.4 16.4 12 16.4 C8.6 16.4 6.4 14.4 6.4 11 Z M12 16.4 L12 20.6",
    Icon.SHIELD: "M12 3.4 L18.8 6 L18.8 11.4 C18.8 15.8 16.2 18.8 12 20.7 "
    "C7.8 18.8 5.2 15.8 5.2 11.4 L5.2 6 Z",
    Icon.GEAR: f"O12 12 3.1 {_GEAR_SPOKES}",
    Icon.PLUS: "M12 5 L12 19 M5 12 L19 12",
    Icon.CHEVRON_DOWN: "M6.5 9.5 L12 15 L17.5 9.5",
    Icon.CHEVRON_UP: "M6.5 14.5 L12 9 L17.5 14.5",
    Icon.CHEVRON_RIGHT: "M9.5 6.5 L15 12 L9.5 17.5",
    Icon.KEY: "O8.2 15.8 4.2 M11.2 12.8 L19.6 4.4 M16.4 7.6 L19.2 10.4",
    Icon.PAPERCLIP: "M18.6 11.2 L11.4 18.4 C9.3 20.5 6.4 20.2 4.9 18.6 "
    "C3.4 17 3.4 14.4 5.2 12.6 L12.8 5 C14.2 3.6 16.2 3.6 17.4 4.8 "
    "C18.6 6 18.6 8 17.2 9.4 L10 16.6 C9.3 17.3 8.3 17.3 7.7 16.7 "
    "C7.1 16.1 7.1 15.1 7.8 14.4 L14.2 8",
    Icon.DOCUMENT: "M6.5 3.6 L13.6 3.6 L18 8 L18 20.4 L6.5 20.4 Z M13.4 3.8 L13.4 8.2 L17.8 8.2 "
    "M9.4 12.4 L15 12.4 M9.4 16 L15 16",
    Icon.STOP: "R6.5 6.5 11 11 2",
    Icon.SEND: "M12 19.4 L12 5.2 M6 11 L12 5 L18 11",
    Icon.CLOSE: "M6.4 6.4 L17.6 17.6 M17.6 6.4 L6.4 17.6",
    Icon.MINIMISE: "M6 12 L18 12",
    Icon.COPY: "R9 9 11 11 2.2 M5.8 15 L5.4 15 C4.4 15 3.8 14.4 3.8 13.4 L3.8 5.6 "
    "C3.8 4.6 4.4 4 5.4 4 L13.2 4 C14.2 4 14.8 4.6 14.8 5.6 L14.8 6",
    Icon.CHECK: "M5 12.6 L9.8 17.4 L19 7",
    Icon.SEARCH: "O10.8 10.8 6.2 M15.4 15.4 L20 20",
    Icon.TRASH: "M4.8 6.6 L19.2 6.6 M9.2 6.4 L9.2 4 L14.8 4 L14.8 6.4 "
    "M6.6 6.8 L7.6 20 L16.4 20 L17.4 6.8",
    Icon.REFRESH: "M19 12 C19 16 16 19 12 19 C8 19 5 16 5 12 C5 8 8 5 12 5 "
    "C14.6 5 16.6 6.2 18 8 M18.4 4.4 L18.4 8.4 L14.4 8.4",
    Icon.PIN: "M8.6 3.8 L15.4 3.8 M9.6 3.8 L9.6 9.8 C7.8 10.8 6.8 12.4 6.6 14.4 "
    "L17.4 14.4 C17.2 12.4 16.2 10.8 14.4 9.8 L14.4 3.8 M12 14.4 L12 20.4",
}


def icon_path(icon: Icon) -> QPainterPath:
    """The icon's strokes on the 24 by 24 grid."""
    path = QPainterPath()
    for letter, numbers in _steps(_PATHS[icon]):
        _add_step(path, letter, numbers)
    return path


def draw_icon(painter: QPainter, icon: Icon, rect: QRectF, colour: QColor | str) -> None:
    """Stroke the icon into `rect`, as large as fits."""
    side = min(rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center())
    painter.scale(side / GRID, side / GRID)
    painter.translate(-GRID / 2, -GRID / 2)
    pen = QPen(QColor(colour), STROKE)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(icon_path(icon))
    painter.restore()


def icon_pixmap(icon: Icon, colour: QColor | str, size: int, ratio: float = 1.0) -> QPixmap:
    """A transparent pixmap of `size` logical pixels for a screen of `ratio`."""
    pixmap = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_icon(painter, icon, QRectF(0, 0, size, size), colour)
    painter.end()
    return pixmap


def icon_for(icon: Icon, colour: QColor | str, size: int) -> QIcon:
    """A QIcon which holds a drawing for each usual screen scale."""
    made = QIcon()
    for ratio in _RATIOS:
        made.addPixmap(icon_pixmap(icon, colour, size, ratio))
    return made


def _steps(data: str) -> list[tuple[str, list[float]]]:
    steps: list[tuple[str, list[float]]] = []
    for word in data.split():
        if word[0].isalpha():
            steps.append((word[0], []))
            word = word[1:]
        if word:
            steps[-1][1].append(float(word))
    return steps


def _add_step(path: QPainterPath, letter: str, n: list[float]) -> None:
    match letter:
        case "M":
            path.moveTo(n[0], n[1])
        case "L":
            path.lineTo(n[0], n[1])
        case "C":
            path.cubicTo(n[0], n[1], n[2], n[3], n[4], n[5])
        case "O":
            path.addEllipse(QPointF(n[0], n[1]), n[2], n[2])
        case "R":
            path.addRoundedRect(QRectF(n[0], n[1], n[2], n[3]), n[4], n[4])
        case "Z":
            path.closeSubpath()
        case _:
            raise ValueError(f"Unknown drawing step {letter!r}.")
