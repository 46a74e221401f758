"""The buttons of an approval card: each says its act, and what a longer yes covers."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ankita.engine import Answer, PendingApproval
from ankita.ui.widgets.approval_words import NOT_NOW_WORDS
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel, plain_tip, visible_text


class AnswerRow(QWidget):
    """Decides nothing: the card says whether a press counts.

    `beside` are a few words that stand at the end of the row.
    """

    pressed = Signal(str)
    """An `Answer` value."""
    always_wanted = Signal()
    open_wanted = Signal()

    def __init__(
        self, approval: PendingApproval, *, compact: bool, opens_thread: bool, beside: str
    ) -> None:
        super().__init__()
        self._approval = approval
        self._compact = compact
        self.always: ActButton | None = None
        row = FlowLayout(self, gap=6 if compact else 8, last_apart=True)
        for button in self._buttons(opens_thread):
            row.addWidget(button)
        self.position = PlainLabel(beside, role="faint", wraps=False)
        if not beside:
            self.position.hide()  # never shown here: without a parent it would be a window
        row.addWidget(self.position)

    def _buttons(self, opens_thread: bool) -> list[ActButton]:
        approval = self._approval
        buttons = [self._run_button()] if approval.scope_once else []
        buttons += [self._yes_button(), self._no_button()]
        if not approval.parked_at:
            buttons.append(self._not_now_button())
        if approval.scope_always and not self._compact:
            self.always = self._always_button()
            buttons.append(self.always)
        if opens_thread:
            buttons.append(self._open_button())
        return buttons

    def _button(self, words: str, variant: Variant, answer: Answer, key: str = "") -> ActButton:
        button = ActButton(words, variant, small=self._compact)
        if key and self._compact:
            button.setToolTip(f"Key: {key}")
        button.clicked.connect(lambda: self.pressed.emit(answer.value))
        return button

    def _run_button(self) -> ActButton:
        words = "Until Ankita closes"
        short = "Until closed" if self._compact else words
        run = self._button(short, Variant.PRIMARY, Answer.YES_THIS_RUN)
        run.setAccessibleName(words)
        run.setToolTip(plain_tip(self._approval.scope_once))
        run.setAccessibleDescription(visible_text(self._approval.scope_once))
        return run

    def _yes_button(self) -> ActButton:
        variant = Variant.PLAIN if self._approval.scope_once else Variant.PRIMARY
        return self._button(visible_text(self._approval.act.yes), variant, Answer.YES_ONCE, "Y")

    def _no_button(self) -> ActButton:
        refusal = visible_text(self._approval.act.no)
        # With four other buttons beside it, the short word keeps them in one row.
        is_short = bool(self._approval.scope_once) and self._compact
        no = self._button("No" if is_short else refusal, Variant.DANGER, Answer.NO, "N")
        no.setAccessibleName(refusal)
        return no

    def _not_now_button(self) -> ActButton:
        later = self._button("Not now", Variant.PLAIN, Answer.NOT_NOW)
        later.setAccessibleDescription(NOT_NOW_WORDS)
        later.setToolTip(f"{NOT_NOW_WORDS} Key: L" if self._compact else NOT_NOW_WORDS)
        return later

    def _always_button(self) -> ActButton:
        always = ActButton("Always…")
        always.setToolTip(plain_tip(self._approval.scope_always))
        always.setAccessibleDescription(visible_text(self._approval.scope_always))
        always.clicked.connect(self.always_wanted)
        return always

    def _open_button(self) -> ActButton:
        # A link, as it answers nothing; and so the row of a small card holds one button more.
        words = "Open" if self._compact else "Open thread"
        opener = ActButton(words, Variant.LINK, small=self._compact)
        opener.setAccessibleName("Open the thread of this question")
        opener.clicked.connect(self.open_wanted)
        return opener
