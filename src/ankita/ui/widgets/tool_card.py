"""One tool call in the thread: what, with what, how it ended, and what came out."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ankita.engine import CallStatus, ToolItem
from ankita.ui.theme import appearance_now, mono_font
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.plain_label import ElidedLabel, visible_text
from ankita.ui.widgets.surfaces import Card, Surface, SurfaceKind

FOLD_LINES = 6
"""Lines of a finished output that are shown before it must be opened."""

OPEN_LINES = 24
"""Lines of an opened output; what is longer scrolls inside."""

LARGEST_SHOWN = 200_000
"""Characters of an output that the card lays out; the newest are kept while it runs."""

TITLE_SHARE, STATE_SHARE, PARKED_SHARE = 0.3, 0.36, 0.56
"""How much of the head's width the title and the state keep, if they need it.

What was put off says where it can be allowed, which needs more.
"""

_CODE_POINTS = 9.4

_TONES = {
    CallStatus.WAITING: Tone.OFF,
    CallStatus.ASKING: Tone.ASK,
    CallStatus.RUNNING: Tone.INFO,
    CallStatus.OK: Tone.GOOD,
    CallStatus.FAILED: Tone.BAD,
    CallStatus.DENIED: Tone.BAD,
    CallStatus.PARKED: Tone.OFF,
    CallStatus.STOPPED: Tone.OFF,
    CallStatus.NOT_RUN: Tone.OFF,
    CallStatus.INTERRUPTED: Tone.ASK,
    CallStatus.UNCERTAIN: Tone.ASK,
}

_WORDS = {
    CallStatus.WAITING: "waiting",
    CallStatus.ASKING: "needs your yes",
    CallStatus.RUNNING: "running",
    CallStatus.OK: "",
    CallStatus.FAILED: "failed",
    CallStatus.DENIED: "not allowed",
    CallStatus.PARKED: "Not now",
    CallStatus.STOPPED: "stopped",
    CallStatus.NOT_RUN: "not run",
    CallStatus.INTERRUPTED: "cut off, check what happened",
    CallStatus.UNCERTAIN: "uncertain: it may have happened",
}


PARKED_ADVICE = "can be allowed in Approvals"


def state_words(item: ToolItem, *, can_be_allowed: bool = False) -> str:
    """How the call stands, such as "0.4 s · allowed: it only reads" or "not run: …".

    `can_be_allowed` while the question that was put off still waits in Approvals.
    """
    parts: list[str] = []
    if item.seconds is not None:
        parts.append(duration_words(item.seconds))
    state = _WORDS[item.status]
    why = visible_text(item.why)
    if item.status in (CallStatus.OK, CallStatus.RUNNING):
        parts.append(state)
        parts.append(_allowed(why))
    elif item.status is CallStatus.ASKING:
        parts.append(state)
    elif item.status is CallStatus.FAILED and why.startswith(("allowed", "you ")):
        parts.extend((state, why))  # why it ran is not why it failed
    elif item.status is CallStatus.PARKED:
        parts.extend((state, PARKED_ADVICE if can_be_allowed else ""))
    else:
        parts.append(f"{state}: {why}" if why and ":" not in state else state)
    return " · ".join(part for part in parts if part)


def _allowed(why: str) -> str:
    """`why` as the gate gave it; a bare reason is introduced by "allowed"."""
    if not why or why.startswith(("allowed", "you ")):
        return why
    return f"allowed: {why}"


def duration_words(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def _shown_output(item: ToolItem) -> str:
    """What a person reads; of a call that was put off the output is words to the model."""
    return "" if item.status is CallStatus.PARKED else item.output


class ToolCard(Card):
    """Shows one ToolItem. Its output is plain text, appended while it grows."""

    resized = Signal()

    def __init__(self, item: ToolItem, parent: QWidget | None = None) -> None:
        super().__init__("Tool call", padding=1, parent=parent)
        self._item = item
        self._is_open = False
        self._can_be_allowed = False
        self._output: OutputText | None = None
        self.column.setSpacing(0)
        self._build_head()
        self._body = Surface(SurfaceKind.CODE)
        self._body_column = QVBoxLayout(self._body)
        self._body_column.setContentsMargins(12, 8, 12, 8)
        self._body_column.setSpacing(4)
        self._fold = ActButton("", Variant.LINK, small=True)
        self._fold.clicked.connect(lambda: self._set_open(not self._is_open))
        self._body_column.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignLeft)
        self._body.hide()
        self.column.addWidget(self._body)
        self.set_item(item)

    @property
    def item(self) -> ToolItem:
        return self._item

    def set_item(self, item: ToolItem) -> None:
        """Show the call as it is now."""
        before, self._item = self._item, item
        self._dot.set_tone(Tone.ASK if self._can_be_allowed else _TONES[item.status])
        self._title.setText(visible_text(item.title))
        self._target.setText(visible_text(item.target))
        self._target.setVisible(bool(item.target))
        words = state_words(item, can_be_allowed=self._can_be_allowed)
        self._state.setText(words)
        self.setAccessibleName(f"{item.title} {visible_text(item.target)}, {words or 'done'}")
        self._share_room()
        shown = _shown_output(item)
        if self._output is None or _shown_output(before) != shown:
            self._show_output(shown)
        self._fit()

    def set_can_be_allowed(self, can_be_allowed: bool) -> None:
        """Whether what was put off still waits in Approvals."""
        if can_be_allowed != self._can_be_allowed:
            self._can_be_allowed = can_be_allowed
            self.set_item(self._item)

    def grow(self, text: str, item: ToolItem) -> None:
        """More output arrived; only that is added."""
        self._item = item
        if self._output is None:
            self._show_output(_shown_output(item))
        else:
            self._output.add(visible_text(text))
        self._fit()

    def output_text(self) -> str:
        """The output as it is shown."""
        return "" if self._output is None else self._output.toPlainText()

    def is_folded(self) -> bool:
        return self._output is not None and not self._is_open and self._output.lines() > FOLD_LINES

    def _build_head(self) -> None:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(11, 7, 11, 7)
        row.setSpacing(8)
        self._dot = StatusDot()
        self._title = ElidedLabel(role="control")
        self._target = ElidedLabel(role="strong", mode=Qt.TextElideMode.ElideMiddle)
        self._state = ElidedLabel(role="faint")
        for widget, stretch in (
            (self._dot, 0),
            (self._title, 0),
            (self._target, 0),
        ):
            row.addWidget(widget, stretch)
        row.addStretch(1)
        row.addWidget(self._state)
        self.column.addWidget(head)
        margins = row.contentsMargins()
        self._head_room = margins.left() + margins.right() + 4 * row.spacing() + 2
        self._head_room += self._dot.sizeHint().width()

    def _share_room(self) -> None:
        """A long target gives way first: what was called and how it ended stay readable."""
        title, target, state = (
            label.sizeHint().width() if label.text() else 0
            for label in (self._title, self._target, self._state)
        )
        room = max(self.width() - self._head_room, 0)
        share = PARKED_SHARE if self._can_be_allowed else STATE_SHARE
        state = min(state, max(round(room * share), room - title - target))
        title = min(title, max(round(room * TITLE_SHARE), room - state - target))
        # Only upper limits: a lower one would keep the card from becoming narrower.
        self._title.setMaximumWidth(title)
        self._target.setMaximumWidth(max(room - title - state, 0))
        self._state.setMaximumWidth(state)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_room()

    def _show_output(self, text: str) -> None:
        if not text:
            self._body.hide()
            if self._output is not None:
                self._output.setPlainText("")
            return
        if self._output is None:
            self._output = OutputText()
            self._output.rewrapped.connect(self._fit)
            self._body_column.insertWidget(0, self._output)
        self._output.setPlainText(visible_text(text[-LARGEST_SHOWN:].rstrip("\n")))
        self._body.show()

    def _set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self._fit()

    def _fit(self) -> None:
        if self._output is None:
            return
        running = self._item.status is CallStatus.RUNNING
        lines = self._output.lines()
        limit = OPEN_LINES if self._is_open else FOLD_LINES
        self._output.show_lines(min(lines, limit), scrolls=self._is_open or running)
        if running:
            self._output.to_end()
        elif not self._is_open:
            self._output.to_start()
        can_fold = lines > FOLD_LINES
        self._fold.setVisible(can_fold)
        if can_fold:
            words = "show less" if self._is_open else f"show all, {lines} lines"
            self._fold.setText(words)
            self._fold.setAccessibleName(f"{words} of the output")
            # The style's hint is cached until the next polish.
            self._fold.updateGeometry()
        self.resized.emit()


class OutputText(QPlainTextEdit):
    """Monospace text that can be selected, as high as it is told to be."""

    rewrapped = Signal()
    """Its width changed, and with it the number of its lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setProperty("bare", True)
        self.setProperty("quiet", True)
        self.setAccessibleName("Output")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._scrolls = False
        self.setFont(mono_font(appearance_now().points(_CODE_POINTS)))

    def add(self, text: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def lines(self) -> int:
        """Lines as wrapped at the present width."""
        advance = self.fontMetrics().horizontalAdvance("0")
        columns = max(self.viewport().width() // max(advance, 1), 1)
        block = self.document().begin()
        count = 0
        while block.isValid():
            count += max(math.ceil((block.length() - 1) / columns), 1)
            block = block.next()
        return count

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.rewrapped.emit()

    def show_lines(self, count: int, *, scrolls: bool) -> None:
        self._scrolls = scrolls
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if scrolls else policy.ScrollBarAlwaysOff
        )
        self.setFixedHeight(self.fontMetrics().lineSpacing() * max(count, 1) + 4)

    def to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def to_start(self) -> None:
        self.verticalScrollBar().setValue(0)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if self._scrolls and self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()  # the thread scrolls, not a folded output
