"""Where a message is written: text that grows, files, and Send."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ankita.engine import AttachmentState, AttachmentStatus
from ankita.ui.main_window.attachment_row import AttachmentRow
from ankita.ui.widgets.buttons import ActButton, IconButton, Variant
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import ElidedLabel
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

MOST_LINES = 10
"""The text grows to this many lines, then it scrolls."""

READING_WORDS = "Reading, then you can send"
QUEUE_WORDS = "Goes in at the next step."

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MessageEdit(QPlainTextEdit):
    """Enter sends, Shift+Enter starts a line; files that are pasted are not text."""

    send_wanted = Signal()
    files_pasted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("bare", True)
        self.setAccessibleName("Message")
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Files dropped here belong to the whole pane, which says so while they hover.
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        shift = Qt.KeyboardModifier.ShiftModifier
        if event.key() in _ENTER and not event.modifiers() & shift:
            if not event.isAutoRepeat():
                self.send_wanted.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        return bool(local_files(source)) or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        paths = local_files(source)
        if paths:
            self.files_pasted.emit(paths)
        elif source.hasText():
            self.insertPlainText(source.text())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().sizeHint().width(), self._height())

    def _fit(self) -> None:
        policy = Qt.ScrollBarPolicy
        is_long = self._lines() > MOST_LINES
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
        self.setFixedHeight(self._height())

    def _height(self) -> int:
        lines = min(max(self._lines(), 1), MOST_LINES)
        return lines * self.fontMetrics().lineSpacing() + 8

    def _lines(self) -> int:
        return int(self.document().size().height())


class Composer(Surface):
    """Says what the user wants; it sends nothing itself."""

    send_wanted = Signal(str)
    files_given = Signal(list)
    remove_wanted = Signal(str)
    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.COMPOSER, parent)
        self._attachments: tuple[AttachmentState, ...] = ()
        self._is_working = False
        self._is_quiet = False
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        self._files = AttachmentRow()
        self._files.remove_wanted.connect(self.remove_wanted)
        self.edit = MessageEdit()
        self.edit.send_wanted.connect(self._send)
        self.edit.files_pasted.connect(self.files_given)
        self.edit.textChanged.connect(self._text_changed)
        column.addWidget(self._files)
        column.addWidget(self.edit)
        column.addLayout(self._buttons())
        self._refresh()

    def text(self) -> str:
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Show a stored draft or a starter; `edited` is not emitted."""
        self._is_quiet = True
        self.edit.setPlainText(text)
        cursor = self.edit.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.edit.setTextCursor(cursor)
        self._is_quiet = False
        self._refresh()

    def set_teammate(self, name: str) -> None:
        self.edit.setPlaceholderText(f"Message {name}, or drop a file…")

    def show_attachments(self, attachments: tuple[AttachmentState, ...]) -> None:
        self._attachments = attachments
        self._files.show_attachments(attachments)
        self._refresh()

    def set_working(self, is_working: bool) -> None:
        """While a turn runs, what is sent waits for its next step; that is said."""
        if is_working != self._is_working:
            self._is_working = is_working
            self._refresh()

    def choose_files(self) -> None:
        """Let the user pick files; the window stays usable meanwhile."""
        dialog = QFileDialog(self, "Attach files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self.files_given)
        dialog.open()

    def can_send(self) -> bool:
        statuses = [attachment.status for attachment in self._attachments]
        if AttachmentStatus.READING in statuses:
            return False
        return bool(self.text().strip()) or AttachmentStatus.READY in statuses

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.attach_button = IconButton(Icon.PAPERCLIP, "Attach files", size=30, icon_size=18)
        self.attach_button.clicked.connect(self.choose_files)
        self._hint = ElidedLabel("", role="faint")
        self.send_button = ActButton("Send", Variant.PRIMARY)
        self.send_button.clicked.connect(self._send)
        row.addWidget(self.attach_button)
        row.addWidget(self._hint)
        row.addStretch(1)
        row.addWidget(self.send_button)
        return row

    def _send(self) -> None:
        if self.can_send():
            self.send_wanted.emit(self.text())

    def _text_changed(self) -> None:
        self._refresh()
        if not self._is_quiet:
            self.edited.emit(self.text())

    def _refresh(self) -> None:
        self.send_button.setEnabled(self.can_send())
        self._hint.setText(self._hint_words())
        self.edit.setAccessibleDescription(QUEUE_WORDS if self._is_working else "")

    def _hint_words(self) -> str:
        if any(a.status is AttachmentStatus.READING for a in self._attachments):
            return READING_WORDS
        return QUEUE_WORDS if self._is_working else ""


def local_files(data: QMimeData) -> list[str]:
    """The paths of files on this computer that `data` names."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
