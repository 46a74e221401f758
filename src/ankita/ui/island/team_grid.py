"""Up to four teammates side by side: face, name and one word for what each does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ankita.ids import TeammateId
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text

MOST = 4
MASCOT_SIDE = 46


class TeamTile(QWidget):
    """One teammate."""

    def __init__(self, face: TeammateFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mascot = MascotWidget(face.teammate.name, look_of(face.teammate), size=MASCOT_SIDE)
        self._name = ElidedLabel(role="control")
        self._word = ElidedLabel(role="small")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.mascot, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(3)
        for label in (self._name, self._word):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        self.show_face(face)

    def show_face(self, face: TeammateFace) -> None:
        self.face = face
        self.mascot.set_name(visible_text(face.teammate.name))
        self.mascot.set_look(look_of(face.teammate))
        self.mascot.set_reduced_motion(appearance_now().reduced_motion)
        self.mascot.set_state(face.mood)
        self._name.setText(visible_text(face.teammate.name))
        self._word.setText(face.mood.value)


class TeamGrid(QWidget):
    """The first MOST teammates. `tile_added` lets the owner connect a new mascot."""

    tile_added = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 4, 16, 8)
        self._row.setSpacing(8)
        self._tiles: dict[TeammateId, TeamTile] = {}

    def tiles(self) -> list[TeamTile]:
        return list(self._tiles.values())

    def show_faces(self, faces: Sequence[TeammateFace]) -> None:
        for face in faces[:MOST]:
            tile = self._tiles.get(face.teammate.id)
            if tile is not None:
                tile.show_face(face)
                continue
            tile = TeamTile(face)
            self._tiles[face.teammate.id] = tile
            self._row.addWidget(tile, 1)
            self.tile_added.emit(tile)
