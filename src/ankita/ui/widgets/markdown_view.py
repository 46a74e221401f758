"""One reply in the chat column: read-only, as high as its text, safe to show whatever it says."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRectF, QSize, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.markdown_backdrop import (
    Backdrop,
    block_number,
    code_of_panel,
    first_of_panel,
)
from ankita.ui.widgets.markdown_flow import MarkdownFlow
from ankita.ui.widgets.markdown_formats import CODE_PADDING_Y, CODE_PROPERTY, ITEM_PROPERTY
from ankita.ui.widgets.markdown_inline import is_allowed_link
from ankita.ui.widgets.plain_label import plain_tip

_KEYS_OF_THE_COLUMN = (
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Escape,
)


class MarkdownView(QTextBrowser):
    """Loads nothing: images stay words and HTML stays text. Links are only announced."""

    link_activated = Signal(str)
    """An http, https or mailto address that the user chose. Nothing else is ever emitted."""
    laid_out = Signal()
    """The text given to `set_text` or `finish` is complete on screen."""

    def __init__(self, name: str = "Reply", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._prepare_widget()
        self._copy: IconButton | None = None
        self._copy_position = -1
        self._backdrop = Backdrop(self.document())
        self._flow = MarkdownFlow(self.document(), self)
        self._flow.laid_out.connect(self.laid_out)
        self.anchorClicked.connect(self._activate)
        self.highlighted.connect(self._show_target)
        self.cursorPositionChanged.connect(self._offer_copy_at_cursor)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    # --- text ----------------------------------------------------------------

    def text(self) -> str:
        """The Markdown given so far."""
        return self._flow.source

    def is_complete(self) -> bool:
        """False while it streams or while slices of a long text wait to be laid out."""
        return self._flow.is_complete

    def set_text(self, markdown: str) -> None:
        """Show a whole text. What is long appears from the top, slice by slice."""
        self._hide_copy()
        self._flow.set_text(markdown)

    def set_plain_text(self, text: str) -> None:
        """Show what a person typed, exactly; no Markdown, no links."""
        self._hide_copy()
        self._flow.set_plain_text(text)

    def append(self, text: str) -> None:
        """Take the next piece of a stream. Only the last block is laid out again."""
        self._flow.append(text)

    def finish(self, full_text: str) -> None:
        """End of the stream. Lays out again only when `full_text` is not what was streamed."""
        self._flow.finish(full_text)

    def natural_width(self) -> int:
        """The width at which nothing would wrap, in pixels; for bubbles that fit their words."""
        return math.ceil(self.document().idealWidth()) + 1

    def selected_text(self) -> str:
        """The selection as it reads, with the marks of list items."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        lines: list[str] = []
        block = self.document().findBlock(start)
        while block.isValid() and block.position() <= end and start != end:
            begins = max(start - block.position(), 0)
            words = block.text()[begins : end - block.position()].replace("\u2028", "\n")
            mark = block.blockFormat().stringProperty(ITEM_PROPERTY)
            depth = max(block.blockFormat().indent() - 1, 0)
            lines.append(f"{'  ' * depth}{mark} {words}" if mark and not begins else words)
            block = block.next()
        return "\n".join(lines)

    # --- the widget ------------------------------------------------------------

    def _prepare_widget(self) -> None:
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)

    def _fit(self, size: QSizeF) -> None:
        self.setFixedHeight(max(self._height(size), 1))

    def _height(self, size: QSizeF) -> int:
        """A document's size leaves out what is under its last block: the edge of a code panel."""
        last = self.document().lastBlock().blockFormat()
        edge = CODE_PADDING_Y + 1 if last.hasProperty(CODE_PROPERTY) else 0
        return math.ceil(size.height()) + edge

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().sizeHint().width(), self._height(self.document().size()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(80, 1)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self.text():
            self._flow.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = QRectF(event.rect())
        first = self.cursorForPosition(QPoint(0, math.floor(seen.top()))).block()
        self._backdrop.paint(painter, first, seen, appearance_now().palette)
        painter.end()
        super().paintEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        event.ignore()  # the column scrolls, not one reply

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in _KEYS_OF_THE_COLUMN and not event.modifiers():
            event.ignore()
            return
        super().keyPressEvent(event)

    # --- links and copying -----------------------------------------------------

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802
        """Nothing is ever loaded, from nowhere."""
        del kind, name
        return None

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802
        """Plain text only: colours of the window have no place in another program."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def _activate(self, url: QUrl) -> None:
        target = url.toString()
        if is_allowed_link(target):
            self.link_activated.emit(target)

    def _show_target(self, url: QUrl) -> None:
        """The words of a link may lie; its address is shown before it is followed."""
        self.viewport().setToolTip(plain_tip(url.toString()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        self._offer_copy(self.cursorForPosition(event.position().toPoint()).block())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        if self._copy is not None and not self._copy.underMouse():
            self._hide_copy()

    def _offer_copy_at_cursor(self) -> None:
        if self.hasFocus():
            self._offer_copy(self.textCursor().block())

    def _offer_copy(self, block: QTextBlock) -> None:
        """Put the copy button on the code panel at `block`, if it is one."""
        if not block_number(block, CODE_PROPERTY):
            self._hide_copy()
            return
        first = first_of_panel(block)
        if first.position() == self._copy_position:
            return
        button = self._copy_button()
        self._copy_position = first.position()
        top = self._backdrop.block_rect(first).top() - CODE_PADDING_Y + 4
        button.move(self.viewport().width() - button.width() - 4, math.ceil(top))
        button.show()

    def _copy_button(self) -> IconButton:
        """Made when it is first needed: most replies hold no code."""
        if self._copy is None:
            self._copy = IconButton(
                Icon.COPY, "Copy code", size=26, icon_size=16, parent=self.viewport()
            )
            self._copy.clicked.connect(self._copy_code)
        self._copy.adjustSize()
        return self._copy

    def _hide_copy(self) -> None:
        self._copy_position = -1
        if self._copy is not None:
            self._copy.hide()

    def _copy_code(self) -> None:
        block = self.document().findBlock(self._copy_position)
        QGuiApplication.clipboard().setText(code_of_panel(block))
