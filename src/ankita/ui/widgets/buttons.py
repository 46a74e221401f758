"""Buttons that say their act in words, and icon buttons which must be given a name."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.chips import badge_size, badge_text, paint_badge
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.plain_label import plain_tip

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Variant(StrEnum):
    PLAIN = "plain"
    PRIMARY = "primary"
    DANGER = "danger"
    LINK = "link"


class ActButton(QPushButton):
    """A button for one act. Enter and Space press it; a click does not take the focus."""

    def __init__(
        self,
        text: str,
        variant: Variant = Variant.PLAIN,
        *,
        small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        # A lone & would make the next letter a shortcut and vanish from the words.
        super().__init__(text.replace("&", "&&"), parent)
        self.setProperty("variant", variant.value)
        if small:
            self.setProperty("compact", True)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        if variant is Variant.LINK:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_variant(self, variant: Variant) -> None:
        """For a button whose act changes, as Send and Stop do."""
        if variant.value != self.property("variant"):
            self.setProperty("variant", variant.value)
            self.style().unpolish(self)
            self.style().polish(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in _ENTER:
            # A key that is held down must not answer the next question as well.
            if not event.isAutoRepeat():
                self.click()
            return
        super().keyPressEvent(event)


class IconButton(QAbstractButton):
    """An icon with a spoken name, which is also its tooltip.

    With `rail` it is a place in the navigation: checkable, with a bar at the left
    edge while chosen, and room for a count at its corner.
    """

    def __init__(
        self,
        icon: Icon,
        name: str,
        *,
        size: int = 32,
        icon_size: int = 20,
        rail: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._name = name
        self._side = size
        self._icon_side = icon_size
        self._rail = rail
        self._count = 0
        self._count_words = ""
        self.setCheckable(rail)
        self.setAccessibleName(name)
        self.setToolTip(plain_tip(name))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_icon(self, icon: Icon, name: str) -> None:
        """For a button whose act changes, as Send and Stop do."""
        self._icon = icon
        self._name = name
        self.setToolTip(plain_tip(name))
        self.set_count(self._count, self._count_words)

    def set_count(self, count: int, words: str = "waiting") -> None:
        """Show a count at the corner; 0 removes it. Spoken as "Approvals, 2 waiting"."""
        self._count = count
        self._count_words = words
        self.setAccessibleName(f"{self._name}, {count} {words}" if count else self._name)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        side = appearance_now().space(self._side)
        return QSize(side + (16 if self._rail else 0), side)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in _ENTER and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        look = appearance_now()
        palette = look.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._box()
        chosen = self.isChecked()
        pointed = self.isEnabled() and (self.underMouse() or self.isDown())
        if chosen or pointed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.raised if chosen or not self._rail else palette.card))
            painter.drawRoundedRect(box, 10, 10)
        if chosen and self._rail:
            painter.setBrush(QColor(palette.accent))
            painter.drawRoundedRect(QRectF(-2, box.top() + 10, 5, box.height() - 20), 2, 2)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 9, 9)
        colour = palette.text if chosen or pointed else palette.muted
        side = look.space(self._icon_side)
        place = QRectF(0, 0, side, side)
        place.moveCenter(box.center())
        draw_icon(painter, self._icon, place, colour if self.isEnabled() else palette.faint)
        if self._count:
            self._paint_count(painter, box)

    def _box(self) -> QRectF:
        side = appearance_now().space(self._side)
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(self.rect()).center())
        return box

    def _paint_count(self, painter: QPainter, box: QRectF) -> None:
        text = badge_text(self._count)
        size = badge_size(text)
        rect = QRectF(0, 0, size.width(), size.height())
        rect.moveTopRight(box.topRight() + QRectF(0, 0, -2, 2).bottomRight())
        paint_badge(painter, rect, text)
