"""The line above a thread: who, what about, what answers, how far, and Stop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ankita.engine import MAX_TOOL_STEPS, ThreadStatus, ThreadSummary
from ankita.messages import ModelInfo
from ankita.ui.main_window.measures import HEADER_HEIGHT
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.chips import Chip, Tone
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

BUSY = (ThreadStatus.WORKING, ThreadStatus.ASKING)
MOST_CHIP_WIDTH = 220
CHIP_SHARE = 0.4
STEP_NEEDS = 480
"""Pixels of width (at 100 % text) from which the step is shown."""


class ChatHeader(Surface):
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.HEADER, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 6, 20, 6)
        row.setSpacing(12)
        self.mascot = MascotWidget("Mira", size=30, takes_focus=False)
        self._title = ElidedLabel("New thread", role="strong")
        self.answering = Chip("", Tone.OFF)
        self._step = Chip("")
        self._step.hide()
        self.stop = ActButton("Stop", Variant.DANGER, small=True)
        self.stop.setToolTip("Stop (Esc)")
        self.stop.clicked.connect(self.stop_wanted)
        self.stop.hide()
        for widget in (self.mascot, self._title, self.answering):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self._step)
        row.addWidget(self.stop)

    def show_thread(self, thread: ThreadSummary | None) -> None:
        title = "New thread" if thread is None else visible_text(thread.title) or "New thread"
        self._title.setText(title)
        working = thread is not None and thread.status in BUSY
        self.stop.setVisible(working)
        step = thread.step if thread is not None and working else 0
        self._step.set_state(f"Step {step} of {MAX_TOOL_STEPS}" if step > 0 else "")
        self._show_step()

    def show_answering(self, info: ModelInfo | None) -> None:
        """What answers is always said; before it is known, that is said too."""
        if info is None:
            self.answering.set_state("looking what answers", Tone.OFF)
            return
        tone = Tone.INFO if info.is_built_in else Tone.GOOD
        label = visible_text(info.label)
        self.answering.set_state(label, tone)
        self.answering.setAccessibleName(f"Answers: {label}")
        self._keep_room(self.answering)

    def _keep_room(self, chip: Chip) -> None:
        """The title gives way first: what answers must stay readable."""
        most = min(appearance_now().space(MOST_CHIP_WIDTH), round(self.width() * CHIP_SHARE))
        chip.setMinimumWidth(min(chip.sizeHint().width(), most))

    def _show_step(self) -> None:
        """In a narrow header the step gives way to what answers and to Stop."""
        has_room = self.width() >= appearance_now().space(STEP_NEEDS)
        self._step.setVisible(bool(self._step.text()) and has_room)
        self._keep_room(self._step)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # Not a fixed minimum: with large text its buttons need more.
        return super().minimumSizeHint().expandedTo(QSize(0, HEADER_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._keep_room(self.answering)
        self._show_step()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_step"):
            self._keep_room(self.answering)
            self._show_step()

    def show_face(self, face: TeammateFace) -> None:
        self.mascot.set_name(face.teammate.name)
        self.mascot.set_look(look_of(face.teammate))
        self.mascot.set_reduced_motion(appearance_now().reduced_motion)
        self.mascot.set_state(face.mood)
