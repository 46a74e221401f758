"""Files held over a pane: it says what letting go does, and takes them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.ui.main_window.composer import local_files
from ankita.ui.widgets.plain_label import PlainLabel
from ankita.ui.widgets.surfaces import Card, Surface, SurfaceKind


class FileDrops(QObject):
    """Watches one pane. Whatever is no file on this computer is left to others."""

    dropped = Signal(list)
    """Paths that were let go over the pane."""

    def __init__(self, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        self._overlay: DropOverlay | None = None
        pane.setAcceptDrops(True)
        pane.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        del watched
        match event:
            case QDropEvent() if event.type() is QEvent.Type.Drop:
                self._drop(event)
            case QDragEnterEvent():
                self._enter(event)
            case QDragMoveEvent():
                event.acceptProposedAction()
            case _:
                self._follow(event)
                return False
        return True

    def _follow(self, event: QEvent) -> None:
        if self._overlay is None:
            return
        if event.type() is QEvent.Type.DragLeave:
            self._overlay.hide()
        elif event.type() is QEvent.Type.Resize:
            self._overlay.setGeometry(self._pane.rect())

    def _enter(self, event: QDragEnterEvent) -> None:
        if not local_files(event.mimeData()):
            event.ignore()
            return
        event.acceptProposedAction()
        if self._overlay is None:
            self._overlay = DropOverlay(self._pane)
        self._overlay.setGeometry(self._pane.rect())
        self._overlay.show()
        self._overlay.raise_()

    def _drop(self, event: QDropEvent) -> None:
        if self._overlay is not None:
            self._overlay.hide()
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)


class DropOverlay(Surface):
    """Says over the whole pane what letting go of the files does."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(SurfaceKind.PAGE, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        card = Card("Drop to attach", padding=28)
        words = PlainLabel("Drop to attach", role="title", wraps=False)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        card.column.addWidget(words)
        note = PlainLabel("The files are read for your next message.", role="muted", wraps=False)
        card.column.addWidget(note)
        column.addStretch(1)
        column.addWidget(card, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(1)
