"""The widgets of a thread: one for each kind of item, made from its value."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import (
    Answer,
    AttachmentRef,
    Item,
    NoticeItem,
    NoticeLevel,
    PendingApproval,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    UserItem,
)
from ankita.ids import RequestId
from ankita.ui.main_window.attachment_row import file_words
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.markdown_view import MarkdownView
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant, Surface, SurfaceKind
from ankita.ui.widgets.tool_card import ToolCard

BUBBLE_SHARE = 0.8
"""How much of the column a message of the user may take."""

_NOTICE_TONES = {
    NoticeLevel.INFO: Tone.OFF,
    NoticeLevel.WARNING: Tone.ASK,
    NoticeLevel.ERROR: Tone.BAD,
}

_ENDINGS = {
    ReplyStatus.STOPPED: "Stopped here.",
    ReplyStatus.INTERRUPTED: "Cut off here.",
}


class ThreadEvents(Protocol):
    """What the items' widgets ask for."""

    def retry(self) -> None: ...

    def follow_link(self, address: str) -> None: ...

    def answer(self, request_id: RequestId, answer: Answer) -> None: ...

    def teammate_name(self) -> str: ...


class ItemWidget(QWidget):
    """One item. `set_item` shows a changed value, `grow` adds what was streamed."""

    def set_item(self, item: Item) -> None:
        raise NotImplementedError

    def grow(self, text: str, item: Item) -> None:
        """Only replies and tool calls grow."""

    def set_approval(self, approval: PendingApproval | None) -> None:
        """Only tool calls are asked about."""


class UserBubble(ItemWidget):
    """A message of the user, at the right, with its files."""

    def __init__(self, item: UserItem, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        bubble = Surface(SurfaceKind.BUBBLE)
        bubble.setAccessibleName("You")
        row.addWidget(bubble)
        column = QVBoxLayout(bubble)
        # The line height adds its room below the letters.
        column.setContentsMargins(14, 10, 14, 8)
        column.setSpacing(6)
        self._files: QWidget | None = None
        if item.attachments:
            self._files = QWidget()
            flow = FlowLayout(self._files, gap=6)
            for attachment in item.attachments:
                flow.addWidget(SentFile(attachment))
            column.addWidget(self._files)
        self._text = MarkdownView("Your message")
        self._text.set_plain_text(visible_text(item.text))
        column.addWidget(self._text)
        self._text.setVisible(bool(item.text.strip()))
        self._fit(width)

    def set_item(self, item: Item) -> None:
        """What was sent does not change."""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit(event.size().width())

    def _fit(self, width: int) -> None:
        most = max(round(width * BUBBLE_SHARE) - 28, 80)
        self._text.document().setTextWidth(most)
        needed = self._text.natural_width()
        if self._files is not None:
            needed = max(needed, self._files.sizeHint().width())
        fitting = min(needed, most)
        self._text.document().setTextWidth(fitting)
        self._text.setFixedWidth(fitting)
        if self._files is not None:
            self._files.setFixedWidth(fitting)


class SentFile(Surface):
    """A file that came with a message: its name and how large it is."""

    def __init__(self, attachment: AttachmentRef) -> None:
        super().__init__(SurfaceKind.ATTACHMENT)
        name = visible_text(attachment.name)
        words = file_words(attachment.kind, attachment.pages)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 10, 5)
        row.setSpacing(6)
        row.addWidget(ElidedLabel(name, role="control", mode=Qt.TextElideMode.ElideMiddle))
        if words:
            row.addWidget(ElidedLabel(f"· {words}", role="small"))
        self.setAccessibleName(f"{name}, {words}")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)


class ReplyWidget(ItemWidget):
    """What the model wrote, as Markdown; while it streams only the end is laid out again."""

    def __init__(
        self, item: ReplyItem, width: int, events: ThreadEvents, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._events = events
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.view = MarkdownView("Reply")
        self.view.document().setTextWidth(width)
        self.view.link_activated.connect(events.follow_link)
        column.addWidget(self.view)
        self._ending = PlainLabel("", role="faint")
        self._ending.hide()
        column.addWidget(self._ending)
        self._is_streaming = item.status is ReplyStatus.STREAMING
        if self._is_streaming:
            self.view.append(item.text)
        else:
            self.view.set_text(item.text)
        self._show_ending(item)

    def set_item(self, item: Item) -> None:
        assert isinstance(item, ReplyItem)
        if item.status is ReplyStatus.STREAMING:
            if item.text != self.view.text():
                self.view.set_text(item.text)
            return
        was_streaming, self._is_streaming = self._is_streaming, False
        self.view.finish(item.text)
        self._show_ending(item)
        if was_streaming and item.text.strip():
            announce(self, f"{self._events.teammate_name()}: {visible_text(item.text)}")

    def grow(self, text: str, item: Item) -> None:
        del item
        self.view.append(text)

    def _show_ending(self, item: ReplyItem) -> None:
        self.view.setVisible(bool(item.text) or item.status is ReplyStatus.STREAMING)
        words = _ENDINGS.get(item.status, "")
        self._ending.setText(words)
        self._ending.setVisible(bool(words))


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
        shown = None if self.approval_card is None else self.approval_card.approval.id
        if shown == (None if approval is None else approval.id):
            return
        self._remove_card()
        self.card.setVisible(approval is None)
        if approval is not None:
            card = ApprovalCard(approval, self._events.teammate_name())
            card.answered.connect(self._answered)
            self._column.addWidget(card)
            self.approval_card = card

    def _answered(self, request_id: str, answer: str) -> None:
        self._events.answer(RequestId(request_id), Answer(answer))

    def _remove_card(self) -> None:
        card, self.approval_card = self.approval_card, None
        if card is None:
            return
        had_focus = card.isAncestorOf(self.focusWidget() or self)
        self._column.removeWidget(card)
        card.hide()
        card.deleteLater()
        if had_focus:
            self.card.setFocus()


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
        self.retry.setVisible(item.can_retry)
        if isinstance(box, Card):
            box.column.addWidget(body)
        else:
            inner = QVBoxLayout(box)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.addWidget(body)

    def set_item(self, item: Item) -> None:
        assert isinstance(item, NoticeItem)
        self._label.setText(visible_text(item.text))
        self.retry.setVisible(item.can_retry)


def make_item_widget(item: Item, width: int, events: ThreadEvents) -> ItemWidget:
    """`width` is that of the column, so that text is laid out once."""
    match item:
        case UserItem():
            return UserBubble(item, width)
        case ReplyItem():
            return ReplyWidget(item, width, events)
        case ToolItem():
            return ToolWidget(item, events)
        case NoticeItem():
            return NoticeWidget(item, events)
