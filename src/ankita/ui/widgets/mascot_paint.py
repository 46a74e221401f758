"""Draws a mascot as vectors: one body path, two eyes, a mouth."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from ankita.ui.widgets.mascot_pose import MascotState, Pose, pose_for

_INK = QColor("#15181b")
_TONGUE = QColor("#e6786c")
_STROKE = 4.2
_EYE_LINE = 44.0
_SHUT_BELOW = 0.3
_GAZE_REACH = 3.2
_MARGIN = 0.08
"""The share of the box left free on each side, so that hops and shakes stay inside."""


class MascotLook(StrEnum):
    MINT = "mint"
    BLUE = "blue"
    AMBER = "amber"
    VIOLET = "violet"


BODY_COLOURS = {
    MascotLook.MINT: QColor("#7ccba2"),
    MascotLook.BLUE: QColor("#82aeea"),
    MascotLook.AMBER: QColor("#e3b35f"),
    MascotLook.VIOLET: QColor("#b59be6"),
}


def paint_mascot(
    painter: QPainter,
    rect: QRectF,
    look: MascotLook,
    state: MascotState,
    phase: float = 0.0,
    gaze: QPointF | None = None,
) -> None:
    """Draw `state` at `phase` (0 to 1) into `rect`. `gaze` is -1 to 1 each way; y grows down."""
    paint_pose(painter, rect, look, pose_for(state, phase), gaze)


def paint_pose(
    painter: QPainter, rect: QRectF, look: MascotLook, pose: Pose, gaze: QPointF | None = None
) -> None:
    """Draw one pose, centred in `rect` and as large as fits."""
    side = min(rect.width(), rect.height()) * (1 - 2 * _MARGIN)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center())
    painter.scale(side / 100, side / 100)
    painter.translate(pose.shift_x, pose.shift_y + 50)
    painter.scale(1 + pose.squash, 1 - pose.squash)
    painter.translate(-50, -100)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(BODY_COLOURS[look])
    painter.drawPath(body_path())
    _paint_eyes(painter, pose, gaze or QPointF(0, 0))
    _paint_mouth(painter, pose)
    painter.restore()


def body_path() -> QPainterPath:
    """The body in a box of 100 by 100: a soft square, fuller below the middle."""
    path = QPainterPath(QPointF(50, 0))
    path.cubicTo(82, 0, 97.5, 20, 97.5, 52)
    path.cubicTo(97.5, 85, 80, 100, 50, 100)
    path.cubicTo(20, 100, 2.5, 85, 2.5, 52)
    path.cubicTo(2.5, 20, 18, 0, 50, 0)
    path.closeSubpath()
    return path


def _paint_eyes(painter: QPainter, pose: Pose, gaze: QPointF) -> None:
    reach = _GAZE_REACH * pose.eye_open
    middle = 50 + pose.eye_x + max(-1.0, min(1.0, gaze.x())) * reach
    height = _EYE_LINE + pose.eye_y + max(-1.0, min(1.0, gaze.y())) * reach
    for side in (-1, 1):
        centre = QPointF(middle + side * pose.eye_apart, height)
        if pose.eye_open < _SHUT_BELOW:
            _paint_shut_eye(painter, centre, pose.eye_size)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_INK)
            painter.drawEllipse(centre, pose.eye_size, pose.eye_size * 1.06 * pose.eye_open)


def _paint_shut_eye(painter: QPainter, centre: QPointF, size: float) -> None:
    half = size * 1.42
    path = QPainterPath(centre + QPointF(-half, -0.5))
    path.quadTo(centre + QPointF(0, 8.4), centre + QPointF(half, -0.5))
    _stroke(painter, path)


def _paint_mouth(painter: QPainter, pose: Pose) -> None:
    centre = QPointF(50 + pose.mouth_x, pose.mouth_y)
    half = pose.mouth_width / 2
    if pose.mouth_open > 0.8:
        _paint_open_mouth(painter, centre, half, pose)
        return
    path = QPainterPath(centre + QPointF(-half, -pose.mouth_curve * 0.35))
    sag = pose.mouth_curve * 1.25
    path.cubicTo(
        centre + QPointF(-half * 0.42, sag + pose.mouth_wave * 2.1),
        centre + QPointF(half * 0.42, sag - pose.mouth_wave * 2.1),
        centre + QPointF(half, -pose.mouth_curve * 0.35 + pose.mouth_wave * 0.25),
    )
    _stroke(painter, path)


def _paint_open_mouth(painter: QPainter, centre: QPointF, half: float, pose: Pose) -> None:
    mouth = QPainterPath()
    mouth.addEllipse(centre, half, pose.mouth_open)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_INK)
    painter.drawPath(mouth)
    if pose.tongue > 0:
        tongue = QPainterPath()
        tongue.addEllipse(
            centre + QPointF(0, pose.mouth_open * (1.55 - pose.tongue)),
            half * 0.6,
            pose.mouth_open * 0.42,
        )
        painter.setBrush(_TONGUE)
        painter.drawPath(tongue.intersected(mouth))


def _stroke(painter: QPainter, path: QPainterPath) -> None:
    pen = QPen(_INK, _STROKE)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
