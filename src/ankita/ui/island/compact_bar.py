"""The island's usual row: one mascot, its name, what it does now, and how far it is.

Who else is at work stands small at its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import PendingApproval
from ankita.ids import TeammateId
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of, queued_words
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.mascot import MascotState, MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import ProgressLine

MASCOT_SIDE = 36
SMALL_SIDE = 22
_NAME_SHARE = 0.4
"""A long name leaves the rest of the line to what is done."""


class CompactBar(QWidget):
    """`mascot` takes the drops. The chevron asks for the other form of the island."""

    expand_requested = Signal()
    small_added = Signal(object)
    """A new small mascot, to be connected."""
    small_dropped = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face: TeammateFace | None = None
        self.mascot = MascotWidget("Ankita", size=MASCOT_SIDE)
        self.mascot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._name = ElidedLabel(role="strong")
        self._words = ElidedLabel(role="small")
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._asked = PlainLabel(role="small")
        self._queued = ElidedLabel(role="faint")
        self._others: dict[TeammateId, MascotWidget] = {}
        self._progress = ProgressLine("How far it is")
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
        line.addWidget(self._queued)
        line.addStretch(0)
        column.addStretch(1)
        column.addLayout(line)
        column.addWidget(self._asked)
        column.addWidget(self._progress)
        column.addStretch(1)
        row.addLayout(column, 1)
        self._small = QHBoxLayout()
        self._small.setSpacing(2)
        row.addLayout(self._small)
        row.addWidget(self._expand)

    def show_face(self, face: TeammateFace) -> None:
        """Who, and what it does now."""
        self._show_mascot(face)
        self._name.setText(visible_text(face.teammate.name))
        self._words.setText(visible_text(face.words))
        self._show_progress(face)
        self._words.show()
        self._asked.hide()
        self._share_line()

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
        self._share_line()
        self._progress.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_line()

    def _share_line(self) -> None:
        shares = self._words.isVisibleTo(self)
        self._name.setMaximumWidth(round(self.width() * (_NAME_SHARE if shares else 1.0)))

    def show_others(self, faces: Sequence[TeammateFace]) -> None:
        """Small mascots of others besides the one with the name."""
        for gone in self._others.keys() - {face.teammate.id for face in faces}:
            mascot = self._others.pop(gone)
            self._small.removeWidget(mascot)
            self.small_dropped.emit(mascot)
            mascot.hide()
            mascot.deleteLater()
        for face in faces:
            mascot = self._others.get(face.teammate.id) or self._add_small(face.teammate.id)
            _dress(mascot, face)

    def others(self) -> list[tuple[MascotWidget, TeammateId]]:
        """The small mascots with the ids of their teammates."""
        return [(mascot, owner) for owner, mascot in self._others.items()]

    def words(self) -> str:
        """What is said beside the mascot, for a test or a screen reader."""
        said = self._words if self._words.isVisibleTo(self) else self._asked
        return f"{self._name.text()} {said.text()}"

    def _show_progress(self, face: TeammateFace) -> None:
        """A file that is read says how far that is; else the plan of its thread does."""
        read = face.teammate.progress if face.mood is MascotState.READING else None
        if read is not None:
            self._progress.setAccessibleName("How far it has read")
            self._progress.show_progress(*read)
        elif face.plan is not None:
            self._progress.setAccessibleName(f"Plan: {visible_text(face.plan.words)}")
            self._progress.show_progress(face.plan.settled, face.plan.total)
        self._progress.setVisible(read is not None or face.plan is not None)

    def _show_mascot(self, face: TeammateFace) -> None:
        self.face = face
        _dress(self.mascot, face)
        self._queued.setText(queued_words(face.queued))
        self._queued.setVisible(face.queued > 0)

    def _add_small(self, teammate_id: TeammateId) -> MascotWidget:
        mascot = MascotWidget("", size=SMALL_SIDE)
        mascot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._others[teammate_id] = mascot
        self._small.addWidget(mascot)
        self.small_added.emit(mascot)
        return mascot


def _dress(mascot: MascotWidget, face: TeammateFace) -> None:
    mascot.set_name(visible_text(face.teammate.name))
    mascot.set_look(look_of(face.teammate))
    mascot.set_reduced_motion(appearance_now().reduced_motion)
    mascot.set_state(face.mood)
    mascot.set_doing(visible_text(face.words))
