"""The widgets of a thread's items that are near: made in slices, taken away when far."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QVBoxLayout, QWidget

from ankita.ui.theme import appearance_now

if TYPE_CHECKING:
    from ankita.ui.main_window.item_widget import ItemWidget

GAP = 16

MOST_ITEMS = 140
"""With more widgets than this, those at the far end are taken away."""

SLICE_SECONDS = 0.005
"""Widgets are made in slices of about this long, so that no frame is missed."""

FOCUS_BAR, FOCUS_DISTANCE = 2, 10
"""Pixels: how wide the bar is that marks text with the keyboard, and how far left of it."""


class ItemColumn(QWidget):
    """Holds the widgets of the rows from `first` up to `last`; `make` makes one of a row."""

    filled = Signal()
    """All widgets that are wanted stand; one event later they are laid out."""

    def __init__(self, make: Callable[[int], ItemWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self.first = 0
        self.widgets: list[ItemWidget] = []
        self._wanted_first = 0
        self._wanted_last = 0
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(GAP)
        self._layout.addStretch(1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fill)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_changed)

    @property
    def last(self) -> int:
        """The row after the last that has a widget."""
        return self.first + len(self.widgets)

    @property
    def is_filling(self) -> bool:
        return self._wanted_first < self.first or self.last < self._wanted_last

    def widget_of(self, row: int) -> ItemWidget | None:
        return self.widgets[row - self.first] if self.first <= row < self.last else None

    def start_at_end(self, first: int, last: int) -> None:
        """Drop everything and make these rows, the last one first."""
        self._clear()
        self.first = last
        self._wanted_first, self._wanted_last = first, last
        self._fill()

    def start_at(self, first: int, last: int) -> None:
        """Drop everything and make these rows, the first one first."""
        self._clear()
        self.first = self._wanted_first = first
        self._wanted_last = last
        self._fill()

    def want_from(self, first: int) -> None:
        """Make the rows before those that stand, back to this one."""
        self._wanted_first = first
        self._fill()

    def want_up_to(self, last: int) -> None:
        """Make the rows after those that stand, up to this one."""
        self._wanted_last = last
        self._fill()

    def inserted(self, first: int, last: int) -> None:
        """New rows came; they are wanted if they follow those on show."""
        if self._wanted_last == first:
            self.want_up_to(last + 1)

    def trim(self, keep_top: bool) -> bool:
        """Take away what is too much, from the far end; False when nothing was."""
        extra = len(self.widgets) - MOST_ITEMS
        if extra <= 0:
            return False
        gone = self.widgets[-extra:] if keep_top else self.widgets[:extra]
        if keep_top:
            del self.widgets[-extra:]
        else:
            del self.widgets[:extra]
            self.first += extra
        self._wanted_first, self._wanted_last = self.first, self.last
        for widget in gone:
            self._drop(widget)
        return True

    def set_margins(self, left: int, right: int) -> None:
        self._layout.setContentsMargins(left, 22, right, 22)

    def _clear(self) -> None:
        self._timer.stop()
        for widget in self.widgets:
            self._drop(widget)
        self.widgets.clear()

    def _drop(self, widget: ItemWidget) -> None:
        self._layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _fill(self) -> None:
        """Make the widgets that are wanted, for one slice of time; then again, until all stand."""
        ends_at = time.perf_counter() + SLICE_SECONDS
        while self.is_filling:
            if self._wanted_first < self.first:
                self._put_before()
            else:
                self._put_after()
            if time.perf_counter() >= ends_at:
                self._timer.start(0)
                return
        self.filled.emit()

    def _put_before(self) -> None:
        widget = self._make(self.first - 1)
        self.first -= 1
        self.widgets.insert(0, widget)
        self._layout.insertWidget(0, widget)

    def _put_after(self) -> None:
        widget = self._make(self.last)
        self.widgets.append(widget)
        # Before the stretch, which keeps a short thread at the top.
        self._layout.insertWidget(len(self.widgets) - 1, widget)

    # --- the keyboard in a text -------------------------------------------------------

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if any(each is not None and self.isAncestorOf(each) for each in (old, new)):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Text has no frame that could show the focus: a bar beside it does."""
        super().paintEvent(event)
        focus = QApplication.focusWidget()
        if not isinstance(focus, QAbstractScrollArea) or not self.isAncestorOf(focus):
            return
        around = focus.parentWidget() or focus
        top = focus.mapTo(self, QPoint(0, 0)).y()
        left = around.mapTo(self, QPoint(0, 0)).x() - FOCUS_DISTANCE
        bar = QRectF(left, top, FOCUS_BAR, focus.height())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(appearance_now().palette.accent))
        painter.drawRoundedRect(bar, 1, 1)
