"""The messages that wait for the next step, above the composer: each can be taken back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ankita.engine import QueuedMessage
from ankita.ui.main_window.fitting_scroll import FittingScroll
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.few_lines import FewLinesLabel
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

MOST_HEIGHT = 148
"""Pixels (at 100 % text) that waiting messages take from the chat; more of them scroll."""

_NAME_WORDS = 6


def first_words(text: str) -> str:
    """The beginning of a message, to tell it from the others."""
    words = text.split()
    return " ".join(words[:_NAME_WORDS]) + (" …" if len(words) > _NAME_WORDS else "")


def file_line(names: tuple[str, ...]) -> str:
    """ "With a.pdf and b.txt"."""
    if not names:
        return ""
    shown = [visible_text(name) for name in names]
    return f"With {', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else f"With {shown[0]}"


class QueuedRow(Surface):
    """One message; `take_back_wanted` carries its id."""

    take_back_wanted = Signal(str)

    def __init__(self, message: QueuedMessage, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.ATTACHMENT, parent)
        text, files = visible_text(message.text), file_line(message.attachments)
        self.setAccessibleName(f"Waits: {text or files}")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(10)
        words = QVBoxLayout()
        words.setSpacing(2)
        row.addLayout(words, 1)
        self.label = FewLinesLabel(text, role="control")
        words.addWidget(self.label)
        self.label.setVisible(bool(text.strip()))
        if files:
            words.addWidget(ElidedLabel(files, role="small"))
        self.take_back = ActButton("Take back", small=True)
        self.take_back.setAccessibleName(f"Take back: {first_words(text) or files}")
        self.take_back.clicked.connect(lambda: self.take_back_wanted.emit(message.id))
        row.addWidget(self.take_back, 0, Qt.AlignmentFlag.AlignTop)


class QueuedRows(FittingScroll):
    """Rows in the order in which they go in; hidden while there are none."""

    take_back_wanted = Signal(str)
    left = Signal()
    """The row with the keyboard is gone, and no other row took it over."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Messages that wait", MOST_HEIGHT, holds_controls=True, parent=parent)
        self._rows: dict[str, QueuedRow] = {}
        self.hide()

    def rows(self) -> tuple[QueuedRow, ...]:
        return tuple(self._rows.values())

    def show_messages(self, messages: tuple[QueuedMessage, ...]) -> None:
        """Bring the rows into line with the state; a row that stays keeps its focus."""
        focus = self.window().focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        wanted = {message.id for message in messages}
        for gone in [key for key in self._rows if key not in wanted]:
            self._remove(self._rows.pop(gone))
        for message in messages:
            if message.id not in self._rows:
                self._add(message)
        self.setVisible(bool(messages))
        self.fit()
        if had_focus and not any(row.isAncestorOf(focus) for row in self._rows.values() if focus):
            self._hand_focus_on()

    def _add(self, message: QueuedMessage) -> None:
        row = QueuedRow(message)
        row.take_back_wanted.connect(self.take_back_wanted)
        self._rows[message.id] = row
        self.column.addWidget(row)

    def _remove(self, row: QueuedRow) -> None:
        self.column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _hand_focus_on(self) -> None:
        rest = self.rows()
        if rest:
            rest[-1].take_back.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()
