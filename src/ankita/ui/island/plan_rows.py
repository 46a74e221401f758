"""How far the plans are that are worked on now: one line a teammate, over a thin bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.ids import TeammateId
from ankita.ui.view_models.plan_progress import PlanProgress
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text
from ankita.ui.widgets.surfaces import ProgressLine

_NAME_SHARE = 0.35
"""A long name leaves this much of the line to what is done."""


class PlanRow(QWidget):
    """One plan. `who` is empty where only one teammate could be meant."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        line = QHBoxLayout()
        line.setSpacing(4)
        self._who = ElidedLabel(role="small")
        self._words = ElidedLabel(role="small")
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        line.addWidget(self._who)
        line.addWidget(self._words, 1)
        column.addLayout(line)
        self._bar = ProgressLine("Plan")
        column.addWidget(self._bar)

    def show_plan(self, plan: PlanProgress, who: str) -> None:
        self._who.setText(visible_text(who))
        self._who.setVisible(bool(who))
        words = visible_text(plan.words)
        self._words.setText(f"· {words}" if who else words)
        self._bar.setAccessibleName(f"Plan: {self.words()}")
        self._bar.show_progress(plan.settled, plan.total)

    def words(self) -> str:
        """Whose plan, and how far it is."""
        return " ".join(label.text() for label in (self._who, self._words) if label.text())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._who.setMaximumWidth(round(event.size().width() * _NAME_SHARE))


class PlanRows(QWidget):
    """Hidden while nobody works by a plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 0, 16, 12)
        self._column.setSpacing(8)
        self._rows: dict[TeammateId, PlanRow] = {}
        self.hide()

    def rows(self) -> list[PlanRow]:
        return list(self._rows.values())

    def show_faces(self, faces: Sequence[TeammateFace]) -> None:
        """Draw the plans of these teammates, in their order."""
        planned = {face.teammate.id: face for face in faces if face.plan is not None}
        if list(planned) != list(self._rows):
            self._make_rows(list(planned))
        for teammate_id, face in planned.items():
            who = face.teammate.name if len(faces) > 1 else ""
            if face.plan is not None:
                self._rows[teammate_id].show_plan(face.plan, who)
        self.setVisible(bool(planned))

    def _make_rows(self, wanted: list[TeammateId]) -> None:
        for row in self._rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = {teammate_id: PlanRow() for teammate_id in wanted}
        for row in self._rows.values():
            self._column.addWidget(row)
