"""The question before a teammate is removed: it names how many threads go with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from ankita.ids import TeammateId
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel, visible_text

_WIDTH = 400


class TeamRemoval(QDialog):
    """Open it with `open()`. Enter keeps the teammate, as the focus is there at first."""

    confirmed = Signal()

    def __init__(self, teammate_id: TeammateId, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.teammate_id = teammate_id
        self._name = visible_text(name)
        self.setWindowTitle(f"Remove {self._name}?")
        self.setMinimumWidth(appearance_now().space(_WIDTH))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(10)
        column.addWidget(PlainLabel(f"Remove {self._name}?", role="heading"))
        self.words = PlainLabel("", role="body")
        column.addWidget(self.words)
        buttons = QWidget()
        row = FlowLayout(buttons)
        self.keep = ActButton("Keep")
        self.keep.setAccessibleName(f"Keep {self._name}")
        self.remove = ActButton("Remove", Variant.DANGER)
        self.keep.clicked.connect(self.reject)
        self.remove.clicked.connect(self._confirm)
        row.addWidget(self.keep)
        row.addWidget(self.remove)
        column.addWidget(buttons)
        self.keep.setFocus()

    def show_threads(self, count: int, *, is_working: bool = False) -> None:
        """Say what goes with it, as it is now."""
        words = removal_words(count, is_working=is_working)
        self.words.setText(words)
        self.setAccessibleDescription(words)
        self.remove.setAccessibleName(f"Remove {self._name} with {threads_words(count)}")

    def _confirm(self) -> None:
        self.confirmed.emit()
        self.accept()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.setMinimumWidth(appearance_now().space(_WIDTH))


def threads_words(count: int) -> str:
    """ "no thread", "1 thread" or "3 threads"."""
    return "no thread" if count == 0 else "1 thread" if count == 1 else f"{count} threads"


def removal_words(count: int, *, is_working: bool) -> str:
    """What is lost, and that it is lost for good."""
    stops = "It stops what it is doing. " if is_working else ""
    if count == 0:
        return f"{stops}It has no threads. Its instructions go with it. This can't be undone."
    whose = "Its 1 thread goes" if count == 1 else f"Its {count} threads go"
    return f"{stops}{whose} with it, with all messages. This can't be undone."
