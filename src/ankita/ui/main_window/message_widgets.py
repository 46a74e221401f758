"""The messages of a thread: what the user wrote, what the teammate answered, and their pins."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import AttachmentRef, Item, ReplyItem, ReplyStatus, UserItem
from ankita.ui.main_window.attachment_row import file_words
from ankita.ui.main_window.item_widget import ItemWidget, ThreadEvents
from ankita.ui.main_window.pin_mark import PIN_KEYS, PinMark, offer_pinning
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.markdown_view import MarkdownView
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

BUBBLE_SHARE = 0.8
"""How much of the column a message of the user may take."""

_ENDINGS = {
    ReplyStatus.STOPPED: "Stopped here.",
    ReplyStatus.INTERRUPTED: "Cut off here.",
}


class MessagePin:
    """The mark of one message, made when it is first needed: most messages have none."""

    def __init__(self, column: QBoxLayout, align: Qt.AlignmentFlag) -> None:
        self._column = column
        self._align = align
        self._place = column.count()
        self.mark: PinMark | None = None

    def show(self, is_pinned: bool, view: MarkdownView) -> None:
        if is_pinned and self.mark is None:
            self.mark = PinMark(self._align)
            self._column.insertWidget(self._place, self.mark)
        if self.mark is not None:
            self.mark.setVisible(is_pinned)
        words = f"Pinned. {PIN_KEYS} unpins it." if is_pinned else f"{PIN_KEYS} pins it."
        view.setAccessibleDescription(words)


class UserBubble(ItemWidget):
    """A message of the user, at the right, with its files."""

    def __init__(
        self, item: UserItem, width: int, events: ThreadEvents, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._item = item
        self._events = events
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(4)
        self._pins = MessagePin(outer, Qt.AlignmentFlag.AlignRight)
        row = QHBoxLayout()
        outer.addLayout(row)
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
        offer_pinning(self._text, lambda: self._item.is_pinned, self.toggle_pin)
        self._pins.show(item.is_pinned, self._text)
        self._fit(width)

    def set_item(self, item: Item) -> None:
        """What was sent does not change, only whether it is pinned."""
        assert isinstance(item, UserItem)
        self._item = item
        self._pins.show(item.is_pinned, self._text)

    def toggle_pin(self) -> bool:
        self._events.pin(self._item.id, is_pinned=not self._item.is_pinned)
        return True

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
        self._item = item
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.speaker = PlainLabel("", role="faint", wraps=False)
        self.speaker.hide()
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.speaker)
        self._pins = MessagePin(head, Qt.AlignmentFlag.AlignLeft)
        head.addStretch(1)
        column.addLayout(head)
        self.view = MarkdownView("Reply")
        offer_pinning(self.view, self._is_pinned, self.toggle_pin)
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
        self._item = item
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

    def set_speaker(self, name: str, *, is_shown: bool) -> None:
        self.speaker.setText(visible_text(name))
        self.speaker.setVisible(is_shown)
        self.view.setAccessibleName(f"{name}'s reply")

    def toggle_pin(self) -> bool:
        is_pinned = self._is_pinned()
        if is_pinned is not None:
            self._events.pin(self._item.id, is_pinned=not is_pinned)
        return is_pinned is not None

    def _is_pinned(self) -> bool | None:
        is_written = self._item.status is not ReplyStatus.STREAMING and bool(self._item.text)
        return self._item.is_pinned if is_written else None

    def _show_ending(self, item: ReplyItem) -> None:
        self.view.setVisible(bool(item.text) or item.status is ReplyStatus.STREAMING)
        words = _ENDINGS.get(item.status, "")
        self._pins.show(item.is_pinned, self.view)
        self._ending.setText(words)
        self._ending.setVisible(bool(words))
