"""Small round things that say a state: chips with a dot, choices, badges with a count."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QWidget

from ankita.ui.theme import Palette, appearance_now

_CHIP_POINTS = 9.0
_BADGE_POINTS = 7.5
_DOT = 7.0
_GAP = 6.0
_LARGEST_COUNT = 99


class Tone(StrEnum):
    """What a dot says."""

    NONE = "none"
    GOOD = "good"
    ASK = "ask"
    BAD = "bad"
    INFO = "info"
    OFF = "off"


def tone_colour(tone: Tone, palette: Palette) -> QColor:
    colours = {
        Tone.GOOD: palette.accent,
        Tone.ASK: palette.ask,
        Tone.BAD: palette.danger,
        Tone.INFO: palette.info,
    }
    return QColor(colours.get(tone, palette.faint))


class StatusDot(QWidget):
    """A dot. It repeats what words beside it say, so it has no name of its own."""

    def __init__(self, tone: Tone = Tone.GOOD, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = tone
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_tone(self, tone: Tone) -> None:
        self._tone = tone
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        side = round(_DOT * appearance_now().scale) + 2
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        look = appearance_now()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tone_colour(self._tone, look.palette))
        radius = _DOT * look.scale / 2
        painter.drawEllipse(QRectF(self.rect()).center(), radius, radius)


class Chip(QLabel):
    """A pill with words, and a dot in front when a tone is given. Too long words end in …."""

    def __init__(
        self, text: str = "", tone: Tone = Tone.NONE, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "chip")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._tone = tone
        self.set_state(text, tone)

    def set_state(self, text: str, tone: Tone = Tone.NONE) -> None:
        self._tone = tone
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return _pill_size(self.text(), with_dot=self._tone is not Tone.NONE)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        hint = self.sizeHint()
        least = _pill_size("MMM…", with_dot=self._tone is not Tone.NONE)
        return QSize(min(hint.width(), least.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        palette = appearance_now().palette
        dot = None if self._tone is Tone.NONE else tone_colour(self._tone, palette)
        painter = QPainter(self)
        _paint_pill(
            painter, self.rect().toRectF(), self.text(), palette.muted, palette.line, dot=dot
        )


class ChoiceChip(QAbstractButton):
    """A pill that can be picked. Put several into a QButtonGroup for one of many."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setCheckable(True)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:  # noqa: N802
        return _pill_size(self.text(), with_dot=False)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        palette = appearance_now().palette
        painter = QPainter(self)
        chosen = self.isChecked()
        _paint_pill(
            painter,
            self.rect().toRectF(),
            self.text(),
            palette.text if chosen else palette.muted,
            palette.accent if chosen else palette.line,
            width=2.0 if self.hasFocus() else 1.0,
            fill=palette.raised if self.hasFocus() else None,
        )


class Badge(QLabel):
    """A count in a filled pill; hidden at zero. `what` completes the spoken name."""

    def __init__(self, what: str = "waiting", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what = what
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_count(0)

    def set_count(self, count: int) -> None:
        self.setText(badge_text(count))
        self.setAccessibleName(f"{count} {self._what}" if count else "")
        self.setVisible(count > 0)
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        return badge_size(self.text())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        paint_badge(QPainter(self), self.rect().toRectF(), self.text())


def badge_text(count: int) -> str:
    return f"{_LARGEST_COUNT}+" if count > _LARGEST_COUNT else str(count)


def badge_size(text: str) -> QSize:
    metrics = QFontMetrics(_font(_BADGE_POINTS, QFont.Weight.Bold))
    height = metrics.height() + 2
    return QSize(max(height, metrics.horizontalAdvance(text) + height // 2), height)


def paint_badge(painter: QPainter, rect: QRectF, text: str) -> None:
    """Draw a count that fills `rect`."""
    palette = appearance_now().palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(palette.ask))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    painter.setFont(_font(_BADGE_POINTS, QFont.Weight.Bold))
    painter.setPen(QColor(palette.on_ask))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)


def _font(points: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    from PySide6.QtWidgets import QApplication

    font = QFont(QApplication.font())
    font.setPointSizeF(appearance_now().points(points))
    font.setWeight(weight)
    return font


def _pill_size(text: str, *, with_dot: bool) -> QSize:
    look = appearance_now()
    metrics = QFontMetrics(_font(_CHIP_POINTS))
    extra = round((_DOT + _GAP) * look.scale) if with_dot else 0
    width = metrics.horizontalAdvance(text) + 1 + extra + 2 * look.space(10) + 2
    return QSize(width, metrics.height() + 2 * look.space(3) + 2)


def _paint_pill(
    painter: QPainter,
    rect: QRectF,
    text: str,
    colour: str,
    line: str,
    *,
    dot: QColor | None = None,
    width: float = 1.0,
    fill: str | None = None,
) -> None:
    look = appearance_now()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(line), width))
    painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
    inset = width / 2
    pill = rect.adjusted(inset, inset, -inset, -inset)
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    room = rect.adjusted(look.space(10) + 1, 0, -look.space(10), 0)
    if dot is not None:
        radius = _DOT * look.scale / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(dot)
        painter.drawEllipse(QPointF(room.left() + radius, rect.center().y()), radius, radius)
        room.setLeft(room.left() + (_DOT + _GAP) * look.scale)
    font = _font(_CHIP_POINTS)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()) + 1)
    painter.drawText(
        room.adjusted(0, 0, 2, 0),
        int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
        shown,
    )
