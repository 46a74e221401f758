"""Rows and columns that panes are made of: a panel with dividing lines, pages that scroll."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

NARROW = 760
"""Below this width (at 100 % text) two columns become one."""


class PanelRow(Surface):
    """A title, a quieter line below it, and controls at the right or, with no room, below."""

    def __init__(
        self,
        title: str = "",
        words: str = "",
        controls: Sequence[QWidget] = (),
        *,
        first: bool = False,
        lead: QWidget | None = None,
        role: str = "strong",
    ) -> None:
        super().__init__(SurfaceKind.ROW if first else SurfaceKind.DIVIDED)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(12)
        if lead is not None:
            row.addWidget(lead)
        column = QVBoxLayout()
        column.setSpacing(1)
        row.addLayout(column, 1)
        self.title = PlainLabel(visible_text(title), role=role)
        self.words = PlainLabel(visible_text(words), role="small")
        column.addWidget(self.title)
        column.addWidget(self.words)
        self.title.setVisible(bool(title))
        self.words.setVisible(bool(words))
        if controls:
            self._controls = QWidget()
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self._controls.setSizePolicy(policy)
            flow = FlowLayout(self._controls, align=Qt.AlignmentFlag.AlignRight)
            for control in controls:
                flow.addWidget(control)
            row.addWidget(self._controls)

    def set_words(self, words: str) -> None:
        self.words.setText(visible_text(words))
        self.words.setVisible(bool(words))


class Panel(QWidget):
    """A small heading and a framed list of rows."""

    def __init__(self, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self.heading = SectionHead(heading)
        column.addWidget(self.heading)
        self._frame = Surface(SurfaceKind.PANEL)
        self._frame.setAccessibleName(heading)
        column.addWidget(self._frame)
        self._rows = QVBoxLayout(self._frame)
        self._rows.setContentsMargins(1, 1, 1, 1)
        self._rows.setSpacing(0)

    def add(self, row: QWidget) -> None:
        self._rows.addWidget(row)

    def clear(self) -> None:
        """Take all rows away."""
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


class ScrollColumn(QScrollArea):
    """A column of panels that scrolls when it is too high."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_whole = False
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.content = QWidget()
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(0, 0, 6, 24)
        self.column.setSpacing(16)
        self.setWidget(self.content)
        self.content.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def set_whole(self, is_whole: bool) -> None:
        """As high as all that is in it, for a page that scrolls as one; else it scrolls itself."""
        if is_whole != self._is_whole:
            self._is_whole = is_whole
            self._fit()

    def _fit(self) -> None:
        column, width = self.column, self.viewport().width()
        whole = (
            column.totalHeightForWidth(width)
            if column.hasHeightForWidth()
            else column.totalSizeHint().height()
        )
        self.setMinimumHeight(whole if self._is_whole else 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        handled = super().eventFilter(watched, event)
        if self._is_whole and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit()
        return handled


class TwoColumns(QWidget):
    """Two columns side by side, or one below the other where the window is narrow."""

    stacked = Signal(bool)
    """They stand below each other from now on, or beside each other again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(16)
        self.left = QVBoxLayout()
        self.right = QVBoxLayout()
        for column in (self.left, self.right):
            column.setSpacing(16)
            self._box.addLayout(column, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        narrow = event.size().width() < NARROW * appearance_now().scale
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        if narrow != (self._box.direction() == down):
            self._box.setDirection(down if narrow else across)
            self.stacked.emit(narrow)
        super().resizeEvent(event)


class Page(Surface):
    """A pane with a title and a line under it; `body` takes the rest."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.PAGE, parent)
        self.setAccessibleName(title)
        # Takes the focus when the pane is opened, so that no control in it does by itself.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(28, 20, 22, 0)
        self.body.setSpacing(4)
        self.body.addWidget(PlainLabel(title, role="title"))
        self.line = PlainLabel("", role="muted")
        self.body.addWidget(self.line)
        self.body.addSpacing(10)
