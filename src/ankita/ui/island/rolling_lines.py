"""The newest lines of what was done, rolling upward; the last one is the brightest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEasingCurve, QEvent, QRect, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.plain_label import visible_text

LINES = 3
ROLL_MILLISECONDS = 220
_POINTS = 9.0
_PADDING = 2


class RollingLines(QWidget):
    """Shows the last LINES of what it is given, each on one line. It needs no scroll bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[str, ...] = ()
        self._before: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Newest activity")
        self._roll = QVariantAnimation(self)
        self._roll.setDuration(ROLL_MILLISECONDS)
        self._roll.setStartValue(0.0)
        self._roll.setEndValue(1.0)
        self._roll.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._roll.valueChanged.connect(self.update)
        self._roll.finished.connect(self._settle)

    @property
    def is_animating(self) -> bool:
        return self._roll.state() is QVariantAnimation.State.Running

    def lines(self) -> tuple[str, ...]:
        """What is shown, the oldest first."""
        return self._lines

    def show_lines(self, lines: Sequence[str]) -> None:
        newest = tuple(" ".join(visible_text(line).split()) for line in lines[-LINES:])
        if newest == self._lines:
            return
        self._before, self._lines = self._lines, newest
        self.setAccessibleDescription(". ".join(newest))
        self.updateGeometry()
        self._roll.stop()
        if self._before and self.isVisible() and not appearance_now().reduced_motion:
            self._roll.start()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(120, self._line_height() * len(self._lines))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(24, self.sizeHint().height())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._roll.stop()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        painter = QPainter(self)
        painter.setFont(self._font())
        # Who stands first in every line, whichever way the name is written.
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        share = float(self._roll.currentValue()) if self.is_animating else 1.0
        height = self._line_height()
        shift = round(height * (1.0 - share))
        if shift and self._before:
            self._paint_line(painter, self._before[0], -height + shift, 0.25 * (1.0 - share))
        for row, line in enumerate(self._lines):
            age = len(self._lines) - 1 - row
            self._paint_line(painter, line, row * height + shift, _strength(age))

    def _paint_line(self, painter: QPainter, line: str, top: int, strength: float) -> None:
        palette = appearance_now().palette
        room = QRect(0, top, self.width(), self._line_height())
        text = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(_mixed(palette.island, palette.text, strength))
        painter.drawText(
            room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text
        )

    def _settle(self) -> None:
        self._before = ()
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(appearance_now().points(_POINTS))
        return font

    def _line_height(self) -> int:
        return QFontMetrics(self._font()).height() + 2 * _PADDING


def _strength(age: int) -> float:
    """How strongly a line stands out; the oldest can still be read."""
    return (0.92, 0.74, 0.6)[min(age, 2)]


def _mixed(back: str, front: str, share: float) -> QColor:
    first, second = QColor(back), QColor(front)
    return QColor.fromRgbF(
        first.redF() + (second.redF() - first.redF()) * share,
        first.greenF() + (second.greenF() - first.greenF()) * share,
        first.blueF() + (second.blueF() - first.blueF()) * share,
    )
