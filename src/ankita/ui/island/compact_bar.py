"""The island's usual row: one mascot, its name, what it does now, and how far it is."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import PendingApproval
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.mascot import MascotState, MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import ProgressLine

MASCOT_SIDE = 36


class CompactBar(QWidget):
    """`mascot` takes the drops. The chevron asks for the other form of the island."""

    expand_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face: TeammateFace | None = None
        self.mascot = MascotWidget("Ankita", size=MASCOT_SIDE)
        self.mascot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._name = ElidedLabel(role="strong")
        self._words = ElidedLabel(role="small")
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._asked = PlainLabel(role="small")
        self._progress = ProgressLine("How far it has read")
        self._expand = IconButton(Icon.CHEVRON_DOWN, "Show more", size=28, icon_size=16)
        self._expand.clicked.connect(self.expand_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 10, 6)
        row.setSpacing(10)
        row.addWidget(self.mascot)
        column = QVBoxLayout()
        column.setSpacing(5)
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self._name)
        line.addWidget(self._words, 1)
        line.addStretch(0)
        column.addStretch(1)
        column.addLayout(line)
        column.addWidget(self._asked)
        column.addWidget(self._progress)
        column.addStretch(1)
        row.addLayout(column, 1)
        row.addWidget(self._expand)

    def show_face(self, face: TeammateFace) -> None:
        """Who, and what it does now."""
        self._show_mascot(face)
        self._name.setText(visible_text(face.teammate.name))
        self._words.setText(visible_text(face.words))
        progress = face.teammate.progress if face.mood is MascotState.READING else None
        if progress is not None:
            self._progress.show_progress(*progress)
        self._progress.setVisible(progress is not None)
        self._words.show()
        self._asked.hide()

    def show_question(
        self, face: TeammateFace, question: PendingApproval, *, in_one_line: bool = False
    ) -> None:
        """Who asks, and for what; below each other when the card follows."""
        self._show_mascot(face)
        title = visible_text(question.act.title())
        self._name.setText(f"{visible_text(face.teammate.name)} asks")
        self._asked.setText(title)
        self._words.setText(f"· {title}")
        self._asked.setVisible(not in_one_line)
        self._words.setVisible(in_one_line)
        self._progress.hide()

    def words(self) -> str:
        """What is said beside the mascot, for a test or a screen reader."""
        said = self._words if self._words.isVisibleTo(self) else self._asked
        return f"{self._name.text()} {said.text()}"

    def _show_mascot(self, face: TeammateFace) -> None:
        self.face = face
        self.mascot.set_name(visible_text(face.teammate.name))
        self.mascot.set_look(look_of(face.teammate))
        self.mascot.set_reduced_motion(appearance_now().reduced_motion)
        self.mascot.set_state(face.mood)
