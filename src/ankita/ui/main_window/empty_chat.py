"""What the chat shows before the first message: who answers, and three ways to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from ankita.messages import ModelInfo
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.teammates import TeammateFace
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.plain_label import PlainLabel

STARTERS = (
    ("Read a file I drop here", "Summarise the attached file in five sentences."),
    ("Look at my workspace", "List the files in my workspace and say what they are."),
    ("Write a list", "Write a short to-do list into todo.md"),
)
"""(words on the button, what it puts into the composer) while a model answers."""

BUILT_IN_STARTERS = (
    ("What can you do?", "help"),
    ("List files", "list files"),
    ("Run a command, after my yes", "run echo hello"),
)
"""The same for the built-in assistant, which only takes whole sentences that it knows."""

BUILT_IN_WORDS = (
    "The built-in assistant answers: it does what it is told, and it is no language model."
)


LOOKING_WORDS = "Looking for model servers…"

OFFER_WIDTH = 560
"""Pixels (at 100 % text) that an offer takes at most."""


class EmptyChat(QScrollArea):
    """A starter fills the draft and sends nothing. With large text it scrolls.

    `offers` is put under the words that say what answers.
    """

    starter_chosen = Signal(str)
    settings_wanted = Signal()

    def __init__(self, offers: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("New thread")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(10)
        column.addStretch(1)
        middle = Qt.AlignmentFlag.AlignHCenter
        self.mascot = MascotWidget("Mira", size=72, takes_focus=False)
        self.mascot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column.addWidget(self.mascot, 0, middle)
        self._title = PlainLabel("What shall we do?", role="title")
        self._title.setAlignment(middle)
        column.addWidget(self._title)
        self._note = PlainLabel(BUILT_IN_WORDS, role="muted")
        self._note.setAlignment(middle)
        column.addWidget(self._note)
        self._looking = PlainLabel(LOOKING_WORDS, role="faint")
        self._looking.setAlignment(middle)
        self._looking.hide()
        column.addWidget(self._looking)
        self._offers = offers
        self._offer_row = QHBoxLayout()
        self._offer_row.addStretch(1)
        self._offer_row.addWidget(offers, 100)
        self._offer_row.addStretch(1)
        column.addLayout(self._offer_row)
        self._link = ActButton("Add a model in Settings", Variant.LINK)
        self._link.clicked.connect(self.settings_wanted)
        column.addWidget(self._link, 0, middle)
        column.addSpacing(8)
        starters = QWidget()
        self._flow = FlowLayout(starters, align=middle)
        column.addWidget(starters)
        column.addStretch(2)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self._is_built_in: bool | None = None

    def show_looking(self, is_looking: bool) -> None:
        """While model servers are looked for on this computer."""
        self._looking.setVisible(is_looking)

    def show_face(self, face: TeammateFace) -> None:
        self.mascot.set_name(face.teammate.name)
        self.mascot.set_look(look_of(face.teammate))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._offers.setMaximumWidth(max(appearance_now().space(OFFER_WIDTH), OFFER_WIDTH))

    def show_answering(self, info: ModelInfo | None) -> None:
        """Say honestly what answers."""
        is_built_in = info is not None and info.is_built_in
        if is_built_in == self._is_built_in:
            return
        self._is_built_in = is_built_in
        self._note.setVisible(is_built_in)
        self._link.setVisible(is_built_in)
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for words, draft in BUILT_IN_STARTERS if is_built_in else STARTERS:
            button = ActButton(words)
            button.setAccessibleDescription("Fills the message; nothing is sent.")
            button.clicked.connect(lambda _=False, text=draft: self.starter_chosen.emit(text))
            self._flow.addWidget(button)
