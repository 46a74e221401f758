"""What the island shows, by its form: the bar or the team, the question, the drop, the log."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ankita.engine import PendingApproval
from ankita.ids import TeammateId
from ankita.ui.island.compact_bar import CompactBar
from ankita.ui.island.drop_choice import DropChoice
from ankita.ui.island.drop_intake import DropIntake
from ankita.ui.island.plan_rows import PlanRows
from ankita.ui.island.question_view import LEAST_HEIGHT, QuestionView
from ankita.ui.island.result_row import ResultRow
from ankita.ui.island.rolling_lines import RollingLines
from ankita.ui.island.team_grid import TeamGrid
from ankita.ui.view_models.teammates import TeammateFace, TeammatesModel
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.approval_card import CardSize
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class Form(StrEnum):
    COMPACT = "compact"
    ASKING = "asking"
    """Compact, opened by itself for a question."""
    EXPANDED = "expanded"


class IslandContent(QWidget):
    """Lays the parts out for a width; the window decides where and how high it may be."""

    wants_size = Signal()
    mascot_added = Signal(object)
    """A new MascotWidget, to be connected."""

    def __init__(
        self,
        models: WindowModels,
        teammates: TeammatesModel,
        intake: DropIntake,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._teammates = teammates
        self._form = Form.COMPACT
        self.bar = CompactBar()
        self.grid = TeamGrid()
        self.question = QuestionView(models.approvals, teammates)
        self.plans = PlanRows()
        self.result = ResultRow(intake, teammates)
        self.lines = RollingLines()
        self.choice = DropChoice(self)
        self.collapse = IconButton(Icon.CHEVRON_UP, "Show less", size=28, icon_size=16)
        self._build()
        self.grid.tile_added.connect(lambda tile: self.mascot_added.emit(tile.mascot))
        self.question.wants_size.connect(self.wants_size)
        self.grid.tile_dropped.connect(lambda tile: self.choice.forget(tile.mascot))
        self.bar.small_added.connect(self.mascot_added)
        self.bar.small_dropped.connect(self.choice.forget)
        self.choice.changed.connect(self.refresh)

    @property
    def form(self) -> Form:
        return self._form

    @property
    def asked(self) -> PendingApproval | None:
        """The question to answer now. What was put off waits for nobody."""
        question = self.question.question
        return None if question is None or question.parked_at else question

    def show_form(self, form: Form) -> None:
        self._form = form
        is_expanded = form is Form.EXPANDED
        self.question.show_as(CardSize.COMPACT if is_expanded else CardSize.BARE)
        self.bar.setVisible(not is_expanded)
        self._head.setVisible(is_expanded)
        self.question.setVisible(self.asked is not None and form is not Form.COMPACT)
        self._foot.setVisible(is_expanded and bool(self.lines.lines()))
        self.refresh()

    def refresh(self) -> None:
        """Draw the teammates' faces and words as they are now."""
        faces = self._teammates.faces()
        self.grid.show_faces(faces)
        self.plans.show_faces(faces)
        self.plans.setVisible(self._form is Form.EXPANDED and bool(self.plans.rows()))
        asker = self._asker()
        shown = self._held() or asker or self._teammates.foremost()
        if shown is None:
            return
        is_held = self.choice.is_on
        others = [f for f in faces if f is not shown and (is_held or f.is_working)]
        self.bar.show_others(others)
        if self.asked is not None and shown is asker:
            one_line = self._form is not Form.ASKING
            self.bar.show_question(asker, self.asked, in_one_line=one_line)
        else:
            self.bar.show_face(shown)

    def _asker(self) -> TeammateFace | None:
        asked = self.asked
        return self._teammates.face_of(asked.teammate_id) if asked is not None else None

    def _held(self) -> TeammateFace | None:
        """Who stays on the bar while a file is over it: it must not change under the hand."""
        face = self.bar.face
        if face is None or not self.choice.is_on:
            return None
        return self._teammates.face_of(face.teammate.id)

    def show_log(self, lines: tuple[str, ...]) -> None:
        self.lines.show_lines(lines)
        self._foot.setVisible(self._form is Form.EXPANDED and bool(lines))

    def fit(self, width: int, limit: int) -> int:
        """The height at this width. Above `limit` the question scrolls, if there is one."""
        self._settle_parts()
        wanted = self.question.wanted_height(width)
        # Set once: a height that is right only for a moment would scroll the card away.
        rest = self._height_at(width) - self._question_height()
        room = limit - rest if self.question.isVisibleTo(self) else wanted
        height = max(min(wanted, room), min(LEAST_HEIGHT, wanted))
        self.question.take_height(height, wanted)
        return self._height_at(width)

    def mascots(self) -> list[tuple[MascotWidget, TeammateId]]:
        """The mascots on show with the ids of their teammates."""
        if self._form is Form.EXPANDED:
            return [(tile.mascot, tile.face.teammate.id) for tile in self.grid.tiles()]
        face = self.bar.face
        if face is None:
            return []
        return [(self.bar.mascot, face.teammate.id), *self.bar.others()]

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.wants_size.emit()
        return handled

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(0)
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(38, 10, 8, 0)
        head.setSpacing(2)
        head.addWidget(self.grid, 1)
        head.addWidget(self.collapse)
        head.setAlignment(self.collapse, Qt.AlignmentFlag.AlignTop)
        self._foot = Surface(SurfaceKind.DIVIDED)
        self._foot.setFrameShape(QFrame.Shape.NoFrame)
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(16, 8, 16, 8)
        foot.addWidget(self.lines)
        for part in (self.bar, self._head, self.plans, self.question, self.result, self._foot):
            column.addWidget(part)

    def _settle_parts(self) -> None:
        """Bring every part's size hint up to date now, instead of one event later each.

        A label that was never shown does not know its font yet, and so not its height.
        """
        for part in reversed(self.findChildren(QWidget)):
            part.ensurePolished()
            layout = part.layout()
            if layout is not None:
                layout.activate()

    def _question_height(self) -> int:
        return self.question.minimumHeight() if self.question.isVisibleTo(self) else 0

    def _height_at(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        if layout.hasHeightForWidth():
            return layout.totalHeightForWidth(width)
        return layout.totalSizeHint().height()
