"""A menu that asks with which teammate a thread shall begin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QWidget

from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.mascot_paint import MascotLook, paint_mascot
from ankita.ui.widgets.mascot_pose import MascotState
from ankita.ui.widgets.plain_label import visible_text

_SIDE = 20


class TeammateMenu(QMenu):
    """Deletes itself when it is closed. The first one is marked, for Enter."""

    chosen = Signal(str)
    """The id of a teammate."""

    def __init__(self, faces: Sequence[TeammateFace], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("New thread with")
        ratio = parent.devicePixelRatioF()
        for face in faces:
            name = visible_text(face.teammate.name)
            action = self.addAction(
                mascot_icon(look_of(face.teammate), ratio),
                f"New thread with {name}".replace("&", "&&"),
            )
            action.triggered.connect(
                lambda _=False, owner=face.teammate.id: self.chosen.emit(owner)
            )
        if self.actions():
            self.setActiveAction(self.actions()[0])


def mascot_icon(look: MascotLook, ratio: float = 1.0) -> QIcon:
    """A mascot for a menu, on a screen of this ratio."""
    pixmap = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_mascot(painter, QRectF(0, 0, _SIDE, _SIDE), look, MascotState.IDLE)
    painter.end()
    return QIcon(pixmap)
