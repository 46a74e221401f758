"""The thread's to-do list: one line with its progress, which opens to all steps."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ankita.engine import PlanStep, StepStatus
from ankita.ids import ThreadId
from ankita.ui.main_window.fitting_scroll import FittingScroll
from ankita.ui.main_window.ui_state import UiStateStore
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.plan_progress import doing_now, progress_of
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Card, ProgressLine

STATUS_WORDS = {
    StepStatus.TODO: "to do",
    StepStatus.DOING: "doing now",
    StepStatus.DONE: "done",
    StepStatus.DROPPED: "dropped",
}

PLAN_OPEN = "window.plan_open"
"""Whether the list of steps was open last."""

MOST_HEIGHT = 190
"""Pixels (at 100 % text) that an open list takes from the thread; longer ones scroll."""

MARK = 14


class StepMark(QWidget):
    """A tick, a filled ring, an empty ring or a dash; the words beside it say the same."""

    def __init__(self, status: StepStatus) -> None:
        super().__init__()
        self._status = status
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        side = round(MARK * appearance_now().scale)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        palette = appearance_now().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        if self._status is StepStatus.DONE:
            draw_icon(painter, Icon.CHECK, box, palette.accent)
            return
        if self._status is StepStatus.DROPPED:
            draw_icon(painter, Icon.MINIMISE, box, palette.faint)
            return
        is_doing = self._status is StepStatus.DOING
        painter.setPen(QPen(QColor(palette.accent if is_doing else palette.faint), 1.6))
        ring = box.adjusted(2, 2, -2, -2)
        painter.drawEllipse(ring)
        if is_doing:
            painter.setBrush(QColor(palette.accent))
            painter.setPen(Qt.PenStyle.NoPen)
            inset = ring.width() * 0.28
            painter.drawEllipse(ring.adjusted(inset, inset, -inset, -inset))


class StepRow(QWidget):
    """One step with its state, which a screen reader says as a word."""

    def __init__(self, step: PlanStep) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(StepMark(step.status), 0, Qt.AlignmentFlag.AlignTop)
        words = visible_text(step.text)
        is_doing = step.status is StepStatus.DOING
        role = "control" if is_doing or step.status is StepStatus.TODO else "value"
        self.label = PlainLabel(words, role=role)
        self.label.setAccessibleName(f"{words}, {STATUS_WORDS[step.status]}")
        if step.status is StepStatus.DROPPED:
            font = self.label.font()
            font.setStrikeOut(True)
            self.label.setFont(font)
        row.addWidget(self.label, 1)


class PlanCard(Card):
    """Hidden while the thread has no plan."""

    def __init__(self, store: UiStateStore, parent: QWidget | None = None) -> None:
        super().__init__("Plan", padding=0, parent=parent)
        self._store = store
        self._thread_id: ThreadId | None = None
        self._steps: tuple[PlanStep, ...] = ()
        self._is_open = store.get(PLAN_OPEN) is True
        self.column.setContentsMargins(14, 4, 6, 8)
        self._build_head()
        self._build_list()
        self.hide()

    @property
    def is_open(self) -> bool:
        return self._is_open

    def line(self) -> str:
        """What is said about the progress."""
        return self._line.full_text()

    def rows(self) -> tuple[StepRow, ...]:
        return tuple(self._rows)

    def show_plan(self, thread_id: ThreadId | None, steps: tuple[PlanStep, ...]) -> None:
        """A screen reader hears of it only when another step of the same plan is worked on."""
        if (thread_id, steps) == (self._thread_id, self._steps):
            return
        was_here, before = thread_id == self._thread_id, doing_now(self._steps)
        self._thread_id, self._steps = thread_id, steps
        self.setVisible(bool(steps))
        if not steps:
            return
        self._show_steps()
        doing = doing_now(steps)
        if was_here and doing and doing != before:
            announce(self, f"Plan: {doing}")

    def toggle(self) -> None:
        self._is_open = not self._is_open
        self._store.set(PLAN_OPEN, self._is_open)
        self._show_open()

    def _build_head(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        self._line = ElidedLabel("", role="control")
        self._line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.fold = IconButton(Icon.CHEVRON_DOWN, "Show all steps", size=26, icon_size=16)
        self.fold.clicked.connect(self.toggle)
        head.addWidget(self._line, 1)
        head.addWidget(self.fold)
        self.column.addLayout(head)
        self._progress = ProgressLine("Progress of the plan")
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, 8, 0)
        bar.addWidget(self._progress)
        self.column.addLayout(bar)

    def _build_list(self) -> None:
        self._rows: list[StepRow] = []
        self._scroll = FittingScroll("Steps of the plan", MOST_HEIGHT, holds_controls=False)
        self._list = self._scroll.column
        self._list.setContentsMargins(0, 8, 8, 2)
        self.column.addWidget(self._scroll)

    def _show_steps(self) -> None:
        progress = progress_of(self._steps)
        assert progress is not None
        self._line.setText(progress.words)
        self._progress.show_progress(progress.settled, progress.total)
        self._progress.setAccessibleDescription(f"{progress.settled} of {progress.total}")
        for row in self._rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [StepRow(step) for step in self._steps]
        for row in self._rows:
            self._list.addWidget(row)
        self._show_open()

    def _show_open(self) -> None:
        words = "Hide the steps" if self._is_open else "Show all steps"
        self.fold.set_icon(Icon.CHEVRON_UP if self._is_open else Icon.CHEVRON_DOWN, words)
        self._scroll.setVisible(self._is_open)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if not self._is_open or event.position().y() <= self._scroll.y():
            self.toggle()
