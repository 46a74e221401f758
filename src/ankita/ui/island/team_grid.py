"""Up to four teammates side by side: face, name and what each does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ankita.engine import MAX_TEAMMATES
from ankita.ids import TeammateId
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of, queued_words
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text

MASCOT_SIDE = 46
MOST_WITH_WORDS = 2
"""With more of them side by side there is room for one word each; a tip has the rest."""


class TeamTile(QWidget):
    """One teammate."""

    def __init__(self, face: TeammateFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mascot = MascotWidget(face.teammate.name, look_of(face.teammate), size=MASCOT_SIDE)
        self._name = ElidedLabel(role="control")
        self._word = ElidedLabel(role="small")
        self._queued = ElidedLabel(role="faint")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.mascot, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(3)
        for label in (self._name, self._word, self._queued):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self.show_face(face)

    def show_face(self, face: TeammateFace, *, in_full: bool = False) -> None:
        """`in_full` says what it does in whole words, else in one."""
        self.face = face
        name = visible_text(face.teammate.name)
        self.mascot.set_name(name)
        self.mascot.set_look(look_of(face.teammate))
        self.mascot.set_reduced_motion(appearance_now().reduced_motion)
        self.mascot.set_state(face.mood)
        self._name.setText(name)
        words = visible_text(face.words)
        self._word.setText(words if in_full and face.is_busy else face.mood.value)
        queued = queued_words(face.queued)
        self._queued.setText(queued)
        self._queued.setVisible(bool(queued))
        self.mascot.set_doing(" · ".join(part for part in (words, queued) if part))

    def words(self) -> tuple[str, ...]:
        """What stands under the mascot: its name, what it does, what is queued."""
        labels = (self._name, self._word, self._queued)
        return tuple(label.text() for label in labels if label.text())


class TeamGrid(QWidget):
    """The first MAX_TEAMMATES. The signals let the owner follow which mascots there are."""

    tile_added = Signal(object)
    tile_dropped = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 4, 0, 8)
        self._row.setSpacing(4)
        self._tiles: dict[TeammateId, TeamTile] = {}

    def tiles(self) -> list[TeamTile]:
        return list(self._tiles.values())

    def show_faces(self, faces: Sequence[TeammateFace]) -> None:
        """Draw these teammates; the tiles of others go away."""
        shown = faces[:MAX_TEAMMATES]
        for gone in self._tiles.keys() - {face.teammate.id for face in shown}:
            self._drop(self._tiles.pop(gone))
        in_full = len(shown) <= MOST_WITH_WORDS
        for face in shown:
            tile = self._tiles.get(face.teammate.id) or self._add(face)
            tile.show_face(face, in_full=in_full)

    def _add(self, face: TeammateFace) -> TeamTile:
        tile = TeamTile(face)
        self._tiles[face.teammate.id] = tile
        self._row.addWidget(tile, 1)
        self.tile_added.emit(tile)
        return tile

    def _drop(self, tile: TeamTile) -> None:
        self._row.removeWidget(tile)
        self.tile_dropped.emit(tile)
        tile.hide()
        tile.deleteLater()
