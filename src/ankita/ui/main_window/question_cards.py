"""A column of questions as cards, kept in line with the requests that it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.engine import PendingApproval
from ankita.ids import RequestId
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead

NameOf = Callable[[str], str]


class QuestionCards(QWidget):
    """A heading and the cards below it; a card that stays keeps what was opened in it."""

    answered = Signal(str, str, int)
    """As `ApprovalCard.answered`."""
    thread_wanted = Signal(str)
    left = Signal()
    """The card with the keyboard is gone."""

    def __init__(
        self, heading: str, name_of: NameOf, *, announces: bool = True, none: str = ""
    ) -> None:
        super().__init__()
        self._name_of = name_of
        self._announces = announces
        self._cards: dict[RequestId, ApprovalCard] = {}
        section = QVBoxLayout(self)
        section.setContentsMargins(0, 0, 0, 0)
        section.setSpacing(2)
        section.addWidget(SectionHead(heading))
        self._column = QVBoxLayout()
        self._column.setSpacing(10)
        section.addLayout(self._column)
        self._none = PlainLabel(none, role="muted")
        self._none.setContentsMargins(8, 0, 8, 0)
        self._column.addWidget(self._none)

    def cards(self) -> list[ApprovalCard]:
        """The cards on show, the oldest first."""
        return list(self._cards.values())

    def show_questions(self, approvals: Sequence[PendingApproval]) -> None:
        """Take away the cards of what is not among them, and add what is new."""
        for gone in set(self._cards) - {approval.id for approval in approvals}:
            self._remove(self._cards.pop(gone))
        for approval in approvals:
            if approval.id not in self._cards:
                self._add(approval)
        self._none.setVisible(not approvals and bool(self._none.text()))

    def close_confirm(self) -> bool:
        """Take back the step that a question is at; False without one."""
        return any(card.close_confirm() for card in self.cards())

    def _add(self, approval: PendingApproval) -> None:
        card = ApprovalCard(
            approval,
            self._name_of(approval.teammate_id),
            announces=self._announces,
            opens_thread=True,
        )
        card.answered.connect(self.answered)
        card.open_requested.connect(self.thread_wanted)
        self._cards[approval.id] = card
        self._column.addWidget(card)

    def _remove(self, card: ApprovalCard) -> None:
        focus = card.focusWidget()
        had_focus = focus is not None and focus.hasFocus()
        self._column.removeWidget(card)
        card.hide()
        card.deleteLater()
        if had_focus:
            self.left.emit()
