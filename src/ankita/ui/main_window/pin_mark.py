"""How a message says that it is pinned, and the menu that pins it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.markdown_view import MarkdownView
from ankita.ui.widgets.plain_label import PlainLabel

PIN_KEYS = "Ctrl+P"
PINNED_TIP = f"Goes with every request of this thread. {PIN_KEYS} unpins it."

_SIDE = 14


class PinIcon(QWidget):
    """The words beside it say the same."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        side = round(_SIDE * appearance_now().scale)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        palette = appearance_now().palette
        draw_icon(QPainter(self), Icon.PIN, QRectF(self.rect()), palette.accent_text)


class PinMark(QWidget):
    """A small pin and the word, above a pinned message."""

    def __init__(self, align: Qt.AlignmentFlag) -> None:
        super().__init__()
        self.setToolTip(PINNED_TIP)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        if align == Qt.AlignmentFlag.AlignRight:
            row.addStretch(1)
        row.addWidget(PinIcon())
        label = PlainLabel("Pinned", role="accent", wraps=False)
        label.setAccessibleDescription(PINNED_TIP)
        row.addWidget(label)
        if align == Qt.AlignmentFlag.AlignLeft:
            row.addStretch(1)


def offer_pinning(
    view: MarkdownView, is_pinned: Callable[[], bool | None], toggle: Callable[[], object]
) -> None:
    """Put Pin or Unpin into the menu of a message; `is_pinned` gives None while it can't be."""

    def open_menu(place: QPoint) -> None:
        menu = view.createStandardContextMenu(place)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pinned = is_pinned()
        if pinned is not None:
            action = QAction("Unpin" if pinned else "Pin", menu)
            action.setShortcut(QKeySequence(PIN_KEYS))
            action.setShortcutVisibleInContextMenu(True)
            action.triggered.connect(lambda: toggle())
            others = menu.actions()
            menu.addAction(action)
            if others:
                menu.insertAction(others[0], action)
                menu.insertSeparator(others[0])
        menu.popup(view.viewport().mapToGlobal(place))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(open_menu)
