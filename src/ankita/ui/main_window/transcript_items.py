"""The widgets of a thread: one for each kind of item, made from its value."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from ankita.engine import (
    Answer,
    Item,
    NoticeItem,
    NoticeLevel,
    PendingApproval,
    ReplyItem,
    ToolItem,
    UserItem,
)
from ankita.ids import RequestId
from ankita.ui.main_window.item_widget import ItemWidget, ThreadEvents
from ankita.ui.main_window.message_widgets import ReplyWidget, UserBubble
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant
from ankita.ui.widgets.tool_card import ToolCard

_NOTICE_TONES = {
    NoticeLevel.INFO: Tone.OFF,
    NoticeLevel.WARNING: Tone.ASK,
    NoticeLevel.ERROR: Tone.BAD,
}


class ToolWidget(ItemWidget):
    """A tool call, or, while a person must answer, the question about it."""

    def __init__(self, item: ToolItem, events: ThreadEvents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events = events
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.card = ToolCard(item)
        self._column.addWidget(self.card)
        self.approval_card: ApprovalCard | None = None

    @property
    def item(self) -> ToolItem:
        return self.card.item

    def set_item(self, item: Item) -> None:
        assert isinstance(item, ToolItem)
        self.card.set_item(item)

    def grow(self, text: str, item: Item) -> None:
        assert isinstance(item, ToolItem)
        self.card.grow(text, item)

    def set_approval(self, approval: PendingApproval | None) -> None:
        """The question itself, or what was put off: that waits in Approvals and is only said."""
        is_parked = approval is not None and bool(approval.parked_at)
        self.card.set_can_be_allowed(is_parked)
        self._show_question(None if is_parked else approval)

    def _show_question(self, approval: PendingApproval | None) -> None:
        shown = None if self.approval_card is None else self.approval_card.approval.id
        if shown == (None if approval is None else approval.id):
            return
        had_focus = self._remove_card()
        self.card.setVisible(approval is None)
        if had_focus and approval is None:
            self.card.setFocus()
        if approval is not None:
            card = ApprovalCard(approval, self._events.teammate_name())
            card.answered.connect(self._answered)
            self._column.addWidget(card)
            self.approval_card = card

    def _answered(self, request_id: str, answer: str, days: int) -> None:
        self._events.answer(RequestId(request_id), Answer(answer), days or None)

    def _remove_card(self) -> bool:
        """Whether it had the keyboard; one that only had it once must not take it back."""
        card, self.approval_card = self.approval_card, None
        if card is None:
            return False
        focus = QApplication.focusWidget()
        had_focus = focus is not None and card.isAncestorOf(focus)
        self._column.removeWidget(card)
        card.hide()
        card.deleteLater()
        return had_focus


class NoticeWidget(ItemWidget):
    """What the product itself says in the thread."""

    def __init__(
        self, item: NoticeItem, events: ThreadEvents, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._events = events
        words = visible_text(item.text)
        loud = item.level is not NoticeLevel.INFO or item.can_retry
        box: QWidget = Card(words, CardVariant.PLAIN, padding=0) if loud else QWidget()
        column.addWidget(box)
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(12 if loud else 0, 8 if loud else 0, 12, 8 if loud else 0)
        row.setSpacing(10)
        row.addWidget(StatusDot(_NOTICE_TONES[item.level]))
        self._label = PlainLabel(words, role="muted", selectable=True)
        row.addWidget(self._label, 1)
        self.retry = ActButton("Try again", small=True)
        self.retry.clicked.connect(events.retry)
        row.addWidget(self.retry)
        self._item, self._is_newest = item, True
        self._show_retry()
        if isinstance(box, Card):
            box.column.addWidget(body)
        else:
            inner = QVBoxLayout(box)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.addWidget(body)

    def set_item(self, item: Item) -> None:
        assert isinstance(item, NoticeItem)
        self._item = item
        self._label.setText(visible_text(item.text))
        self._show_retry()

    @property
    def item(self) -> NoticeItem:
        return self._item

    def set_is_newest(self, is_newest: bool) -> None:
        """Only the newest turn of a thread can be tried again."""
        self._is_newest = is_newest
        self._show_retry()

    def _show_retry(self) -> None:
        self.retry.setVisible(self._item.can_retry and self._is_newest)


def make_item_widget(item: Item, width: int, events: ThreadEvents) -> ItemWidget:
    """`width` is that of the column, so that text is laid out once."""
    match item:
        case UserItem():
            return UserBubble(item, width, events)
        case ReplyItem():
            return ReplyWidget(item, width, events)
        case ToolItem():
            return ToolWidget(item, events)
        case NoticeItem():
            return NoticeWidget(item, events)
