"""The choice of a mascot's colour: a group of radio buttons that show the mascot itself."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.choice_group import ChoiceGroup
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.mascot_paint import MascotLook, paint_mascot
from ankita.ui.widgets.mascot_pose import MascotState

_SIDE = 46


class LookButton(QRadioButton):
    """One colour. The chosen one has a ring, the one with the focus a stronger one."""

    def __init__(self, look: MascotLook) -> None:
        super().__init__()
        self.look = look
        self.setAccessibleName(f"Look: {look.value}")
        self.setToolTip(look.value.capitalize())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:  # noqa: N802
        side = appearance_now().space(_SIDE)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:  # noqa: N802
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        palette = appearance_now().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.raised))
            painter.drawRoundedRect(box, 10, 10)
        if self.isChecked() or self.hasFocus():
            width = 3.0 if self.hasFocus() else 1.5
            painter.setPen(
                QPen(QColor(palette.accent if self.isChecked() else palette.text), width)
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 10, 10)
        paint_mascot(painter, box.adjusted(3, 3, -3, -3), self.look, MascotState.IDLE)


class LookChoice(QWidget):
    """All the looks in a row; arrows go from one to the next."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Look")
        row = FlowLayout(self)
        self._group = ChoiceGroup(self)
        self.buttons: dict[MascotLook, LookButton] = {}
        for look in MascotLook:
            button = LookButton(look)
            self._group.addButton(button)
            self.buttons[look] = button
            row.addWidget(button)
        self.buttons[MascotLook.MINT].setChecked(True)

    @property
    def look(self) -> MascotLook:
        return next(look for look, button in self.buttons.items() if button.isChecked())

    def choose(self, look: MascotLook) -> None:
        self.buttons[look].setChecked(True)
