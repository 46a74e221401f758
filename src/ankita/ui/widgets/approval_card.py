"""The one card that asks a person: the act in plain words, and buttons that say it."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QMoveEvent, QRegion, QShowEvent
from PySide6.QtWidgets import QWidget

from ankita.engine import Answer, PendingApproval
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.answer_row import AnswerRow
from ankita.ui.widgets.approval_words import NO_END, footer, heading, spoken
from ankita.ui.widgets.key_value_grid import KEY_WIDTH, KeyValueGrid
from ankita.ui.widgets.lasting_choice import LastingChoice
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant

GUARD_SECONDS = 0.4
"""For so long after it appeared or moved the card takes no answer: a click or a key that was
meant for something else must not fall on it."""

FULL_VALUE = 240
COMPACT_VALUE = 60
"""Characters of a value that are shown before it must be opened."""

BARE_KEY_WIDTH = 36
"""Pixels (at 100 % text) of the names in a bare card: the values stand under the title."""

LONGEST_BESIDE = 48
"""Characters of a reason that fit beside the buttons."""


class CardSize(StrEnum):
    FULL = "full"
    COMPACT = "compact"
    BARE = "bare"
    """Compact, without frame and heading: whoever holds it says who asks for what."""


_PADDINGS = {CardSize.FULL: 14, CardSize.COMPACT: 12, CardSize.BARE: 0}


class ApprovalCard(Card):
    """Shows one PendingApproval and never takes the focus by appearing.

    A yes while the end of a value is folded opens it first; only what could be read
    whole can be allowed. `now` gives monotonic seconds. With `opens_thread` a full card
    leads to its thread as a small one does.
    """

    answered = Signal(str, str, int)
    """The request's id, an `Answer` value, and the days of a lasting yes (NO_END without)."""
    open_requested = Signal(str)
    """The question's thread should be opened; carries its id."""

    def __init__(
        self,
        approval: PendingApproval,
        teammate_name: str,
        *,
        size: CardSize = CardSize.FULL,
        now: Callable[[], float] = time.monotonic,
        announces: bool = True,
        opens_thread: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        title = visible_text(approval.act.title())
        self._rest = _look(approval, size)
        super().__init__(
            f"{teammate_name} asks: {title}",
            self._rest,
            padding=_PADDINGS[size],
            parent=parent,
        )
        self.approval = approval
        self._size = size
        self._now = now
        self._name = visible_text(teammate_name)
        self._announces = announces
        self._opens_thread = opens_thread or size is not CardSize.FULL
        self._was_announced = False
        self._guarded_until = 0.0
        self._build(title)
        self.restart_guard()

    @property
    def is_guarded(self) -> bool:
        """While True, no button does anything."""
        return self._now() < self._guarded_until

    @property
    def size_name(self) -> CardSize:
        return self._size

    def restart_guard(self) -> None:
        self._guarded_until = self._now() + GUARD_SECONDS

    def set_position(self, words: str) -> None:
        """Which of several this is, such as "1 of 2"; empty hides it."""
        self._buttons.position.setText(words)
        self._buttons.position.setVisible(bool(words))

    def answer(self, answer: Answer) -> None:
        """Answer as a button would, for a key: a yes to what was not read whole only opens it."""
        if answer in (Answer.NO, Answer.NOT_NOW):
            self._send(answer)
        else:
            self._say_yes(answer)

    def close_confirm(self) -> bool:
        """Take the second step of "Always…" back; False when it is not on show."""
        is_open = self._confirm.isVisible()
        if is_open:
            self._show_confirm(False)
        return is_open

    # --- building ------------------------------------------------------------

    def _build(self, title: str) -> None:
        compact = self._size is not CardSize.FULL
        self._head = PlainLabel(heading(self.approval, self._name), role=self._head_role())
        self._title = PlainLabel(title, role="heading")
        self._grid = KeyValueGrid(
            [(name[:1].upper() + name[1:], text) for name, text in self.approval.act.fields],
            limit=COMPACT_VALUE if compact else FULL_VALUE,
            key_width=BARE_KEY_WIDTH if self._size is CardSize.BARE else KEY_WIDTH,
        )
        self._note = PlainLabel("", role="small")
        self._note.hide()
        if self._size is CardSize.BARE:
            self._head.hide()
            self._title.hide()
        for widget in (self._head, self._title, self._grid, self._note):
            self.column.addWidget(widget)
        if not self.approval.act.fields:
            self._grid.hide()
        self.column.addSpacing(6)
        lines = footer(self.approval)
        # A short reason stands beside the buttons, a long one must be able to wrap.
        beside = "" if compact or len(lines[0]) > LONGEST_BESIDE else lines.pop(0)
        self._buttons = self._build_buttons(beside, compact=compact)
        self._confirm = self._build_confirm()
        self._confirm.hide()
        self.column.addWidget(self._buttons)
        self.column.addWidget(self._confirm)
        self._foot = PlainLabel("\n".join(lines), role="faint")
        self._foot.setContentsMargins(0, 4, 0, 0)
        self.column.addWidget(self._foot)

    def _head_role(self) -> str:
        return "small" if self.approval.parked_at else "ask"

    def _build_buttons(self, beside: str, *, compact: bool) -> AnswerRow:
        row = AnswerRow(
            self.approval, compact=compact, opens_thread=self._opens_thread, beside=beside
        )
        row.pressed.connect(lambda answer: self.answer(Answer(answer)))
        row.always_wanted.connect(self._ask_about_always)
        row.open_wanted.connect(lambda: self.open_requested.emit(self.approval.thread_id))
        return row

    def _build_confirm(self) -> LastingChoice:
        confirm = LastingChoice(self.approval.scope_always)
        confirm.allowed.connect(lambda: self._say_yes(Answer.YES_ALWAYS))
        confirm.back_wanted.connect(lambda: self._show_confirm(False))
        return confirm

    # --- answering -------------------------------------------------------------

    def _ask_about_always(self) -> None:
        if self._is_ready_for_yes():
            self._show_confirm(True)

    def _show_confirm(self, shown: bool) -> None:
        focus = self.focusWidget()
        had_focus = focus is not None and focus.hasFocus()
        self._buttons.setVisible(not shown)
        self._confirm.setVisible(shown)
        self._foot.setVisible(not shown)
        self.setProperty("card", (CardVariant.LOWERS if shown else self._rest).value)
        self.style().unpolish(self)
        self.style().polish(self)
        if had_focus:
            back = self._confirm.back if shown else self._buttons.always
            if back is not None:
                back.setFocus()
        self.restart_guard()

    def _say_yes(self, answer: Answer) -> None:
        if self._is_ready_for_yes():
            self._send(answer)

    def _is_ready_for_yes(self) -> bool:
        if self.is_guarded:
            return False
        if self._grid.has_folded():
            self._grid.open_all()
            self._note.setText("This is all of it. Press again to answer.")
            self._note.show()
            announce(self, "Everything is shown now. Read it, then press again.")
            self.restart_guard()
            return False
        # The buttons stand below everything else: seen is the end, when they are.
        return not self._seen_end().isEmpty()

    def _seen_end(self) -> QRegion:
        row = self._confirm if self._confirm.isVisible() else self._buttons
        return row.visibleRegion()

    def _send(self, answer: Answer) -> None:
        if self.is_guarded:
            return
        self.restart_guard()
        days = self._confirm.days if answer is Answer.YES_ALWAYS else NO_END
        self.answered.emit(self.approval.id, answer.value, days)

    # --- appearing ---------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.restart_guard()
        if self._announces and not self._was_announced:
            self._was_announced = True
            announce(self, spoken(self.approval, self._name), at_once=True)

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802
        # Another card above went away: this one may have slid under the pointer.
        super().moveEvent(event)
        self.restart_guard()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            # The click that only brings a window forward is no answer.
            self.restart_guard()


def _look(approval: PendingApproval, size: CardSize) -> CardVariant:
    if size is CardSize.BARE:
        return CardVariant.BARE
    return CardVariant.PLAIN if approval.parked_at else CardVariant.ASK
