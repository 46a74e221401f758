"""The line above a thread: who, what about, what answers and how, what is pinned, and Stop."""

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
from ankita.ui.widgets.icons import Icon, icon_for
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.plain_label import ElidedLabel, plain_tip, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

BUSY = (ThreadStatus.WORKING, ThreadStatus.ASKING)
MOST_CHIP_WIDTH = 220
CHIP_SHARE, NARROW_CHIP_SHARE = 0.4, 0.28
PIN_ICON = 14
STEP_NEEDS, MODE_NEEDS, NAME_NEEDS = 520, 660, 760
"""Pixels of width (at 100 % text) from which these parts are shown."""
PINS_TAKE = 110
"""Pixels that the pins take, with their words."""


class ChatHeader(Surface):
    stop_wanted = Signal()
    pins_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.HEADER, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 6, 20, 6)
        row.setSpacing(12)
        self.mascot = MascotWidget("Mira", size=30, takes_focus=False)
        self.name = ElidedLabel("", role="muted")
        self._title = ElidedLabel("New thread", role="strong")
        self.answering = Chip("", Tone.OFF)
        self.mode = Chip("")
        self.mode.hide()
        self._step = Chip("")
        self._step.hide()
        self._pins = 0
        self._build_buttons()
        for widget in (self.mascot, self.name, self._title, self.answering, self.mode):
            row.addWidget(widget)
        row.addStretch(1)
        for button in (self._step, self.pins, self.stop):
            row.addWidget(button)

    def show_thread(self, thread: ThreadSummary | None) -> None:
        title = "New thread" if thread is None else visible_text(thread.title) or "New thread"
        self._title.setText(title)
        working = thread is not None and thread.status in BUSY
        self.stop.setVisible(working)
        step = thread.step if thread is not None and working else 0
        self._step.set_state(f"Step {step} of {MAX_TOOL_STEPS}" if step > 0 else "")
        self._share_room()

    def show_answering(self, info: ModelInfo | None, mode: tuple[str, str] = ("", "")) -> None:
        """What answers is always said; before it is known, that is said too.

        `mode` is how the model acts, in a few words and in a sentence.
        """
        words, sentence = mode
        label = "looking what answers" if info is None else visible_text(info.label)
        tone = Tone.INFO if info is not None and info.is_built_in else Tone.GOOD
        self.answering.set_state(label, Tone.OFF if info is None else tone)
        spoken = f"Answers: {label}" + (f", {words}" if words else "")
        self.answering.setAccessibleName(label if info is None else spoken)
        self.answering.setAccessibleDescription(sentence)
        self.answering.setToolTip(plain_tip(f"{label}\n{sentence}" if sentence else label))
        self.mode.set_state(words)
        self.mode.setAccessibleDescription(sentence)
        self.mode.setToolTip(plain_tip(sentence))
        self._share_room()

    def show_pins(self, count: int) -> None:
        """How many messages are pinned; pressing it goes from one to the next."""
        self._pins = count
        self._share_room()

    def show_face(self, face: TeammateFace) -> None:
        name = visible_text(face.teammate.name)
        self.name.setText(name)
        self.mascot.set_name(name)
        self.mascot.set_look(look_of(face.teammate))
        self.mascot.set_reduced_motion(appearance_now().reduced_motion)
        self.mascot.set_state(face.mood)

    def _build_buttons(self) -> None:
        self.pins = ActButton("", small=True)
        self.pins.setToolTip("Go to the next pinned message")
        self.pins.clicked.connect(self.pins_wanted)
        self._draw_pin()
        self.pins.hide()
        self.stop = ActButton("Stop", Variant.DANGER, small=True)
        self.stop.setToolTip("Stop (Esc)")
        self.stop.clicked.connect(self.stop_wanted)
        self.stop.hide()

    def _share_room(self) -> None:
        """In a narrow header what is said elsewhere too gives way first, the title next."""
        self._step.setVisible(bool(self._step.text()) and self._has(STEP_NEEDS))
        self.mode.setVisible(bool(self.mode.text()) and self._has(MODE_NEEDS))
        self.name.setVisible(bool(self.name.text()) and self._has(NAME_NEEDS))
        self._keep_room(self.answering)
        self._keep_room(self._step)
        self._keep_room(self.mode)
        self._show_pins()

    def _show_pins(self) -> None:
        noun = "message" if self._pins == 1 else "messages"
        self.pins.setText(f"{self._pins} pinned" if self._has(MODE_NEEDS) else f"{self._pins}")
        self.pins.setAccessibleName(f"{self._pins} pinned {noun}, go to the next")
        self.pins.setVisible(self._pins > 0)

    def _draw_pin(self) -> None:
        side = appearance_now().space(PIN_ICON)
        self.pins.setIcon(icon_for(Icon.PIN, appearance_now().palette.muted, side))
        self.pins.setIconSize(QSize(side, side))

    def _has(self, pixels: int) -> bool:
        taken = PINS_TAKE if self._pins else 0
        return self.width() >= appearance_now().space(pixels + taken)

    def _keep_room(self, chip: Chip) -> None:
        """The title gives way first: what answers must stay readable."""
        share = CHIP_SHARE if self._has(STEP_NEEDS) else NARROW_CHIP_SHARE
        most = min(appearance_now().space(MOST_CHIP_WIDTH), round(self.width() * share))
        chip.setMinimumWidth(min(chip.sizeHint().width(), most))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # Not a fixed minimum: with large text its buttons need more.
        return super().minimumSizeHint().expandedTo(QSize(0, HEADER_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_room()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "stop"):
            self._draw_pin()
            self._share_room()
