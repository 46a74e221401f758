"""The oldest question that waits, as a card; the others wait behind it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from ankita.engine import Answer, PendingApproval
from ankita.ids import RequestId
from ankita.ui.view_models.approvals import ApprovalsModel
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.widgets.approval_card import ApprovalCard, CardSize

SURFACE = "island"
LEAST_HEIGHT = 88
"""However small the screen, so much of a card can be seen and scrolled."""


class QuestionView(QWidget):
    """Shows one ApprovalCard and scrolls it when it is too tall. Hidden without a question."""

    open_requested = Signal(str)
    """Carries the id of the question's thread."""
    wants_size = Signal()
    """The card's height is different now."""

    def __init__(
        self, approvals: ApprovalsModel, teammates: TeammatesModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._approvals = approvals
        self._teammates = teammates
        self._size = CardSize.COMPACT
        self.card: ApprovalCard | None = None
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        self._scroll.setAccessibleName("Question")
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._scroll)
        self._margins_for(self._size)
        approvals.rowsInserted.connect(self.refresh)
        approvals.rowsRemoved.connect(self.refresh)
        approvals.dataChanged.connect(self.refresh)
        approvals.modelReset.connect(self.refresh)

    @property
    def question(self) -> PendingApproval | None:
        """The one to answer now; what was put off waits in Approvals."""
        waiting = self._approvals.waiting()
        return waiting[0] if waiting else None

    def show_as(self, size: CardSize) -> None:
        if size is not self._size:
            self._size = size
            self._margins_for(size)
            self.refresh()

    def refresh(self) -> None:
        """Show the oldest question; a card that stays keeps what was opened in it."""
        question = self.question
        shown = self.card.approval if self.card is not None else None
        size = self.card.size_name if self.card is not None else None
        if question is None:
            self._drop_card()
        elif shown != question or size is not self._size:
            self._drop_card()
            self._make_card(question)
        if self.card is not None:
            count = len(self._approvals.waiting())
            self.card.set_position(f"1 of {count}" if count > 1 else "")
        self.wants_size.emit()

    def answer(self, answer: Answer) -> None:
        """Answer the card on show, for a key."""
        if self.card is not None and self.isVisible():
            self.card.answer(answer)

    def scroll_by(self, pages: float) -> None:
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.value() + round(pages * bar.pageStep()))

    def wanted_height(self, width: int) -> int:
        """Height of the whole card at this width, with the room around it."""
        if self.card is None:
            return 0
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        card = self.card
        height = (
            card.heightForWidth(inner) if card.hasHeightForWidth() else card.sizeHint().height()
        )
        return height + margins.top() + margins.bottom()

    def take_height(self, height: int, wanted: int) -> None:
        """Be so high. The bar comes only for a card that is higher: it takes room from it."""
        policy = Qt.ScrollBarPolicy
        self._scroll.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if height < wanted else policy.ScrollBarAlwaysOff
        )
        if height != self.minimumHeight() or height != self.maximumHeight():
            self.setFixedHeight(height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if watched is self.card and event.type() == QEvent.Type.LayoutRequest:
            self.wants_size.emit()
        return False

    def _make_card(self, question: PendingApproval) -> None:
        face = self._teammates.face_of(question.teammate_id)
        # The main window announces it too while someone works in it.
        elsewhere = QApplication.activeWindow() not in (None, self.window())
        card = ApprovalCard(
            question,
            face.teammate.name if face is not None else "A teammate",
            size=self._size,
            announces=not elsewhere,
        )
        card.answered.connect(self._answered)
        card.open_requested.connect(self.open_requested)
        card.installEventFilter(self)
        self._scroll.setWidget(card)
        card.setAutoFillBackground(False)
        self.card = card

    def _drop_card(self) -> None:
        card = self._scroll.takeWidget()
        self.card = None
        if card is not None:
            card.removeEventFilter(self)
            card.hide()
            card.deleteLater()

    def _answered(self, request_id: str, answer: str) -> None:
        self._approvals.answer(RequestId(request_id), Answer(answer), SURFACE)

    def _margins_for(self, size: CardSize) -> None:
        if size is CardSize.BARE:
            self._column.setContentsMargins(14, 2, 14, 14)
        else:
            self._column.setContentsMargins(8, 4, 8, 10)
