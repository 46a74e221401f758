"""The column of a thread: widgets for what is near, more of them as the user scrolls."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from ankita.engine import Answer, Item, PendingApproval, ToolItem
from ankita.ids import RequestId
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.approvals import ApprovalsModel
from ankita.ui.view_models.transcript import TranscriptModel
from ankita.ui.widgets.buttons import ActButton

if TYPE_CHECKING:
    from ankita.ui.main_window.transcript_items import ItemWidget

COLUMN_WIDTH = 720
SIDE_MARGIN = 20
GAP = 16

FIRST_ITEMS = 40
"""Items that get a widget when a thread is opened."""

PAGE_ITEMS = 20
"""Items that are added when the user comes near an end of what has widgets."""

MOST_ITEMS = 140
"""With more widgets than this, those at the far end are taken away."""

SLICE_SECONDS = 0.005
"""Widgets are made in slices of about this long, so that no frame is missed."""

BOTTOM_SLACK = 8
"""Pixels above the end that still count as the end."""


class TranscriptView(QScrollArea):
    """Follows the newest text while the user is at the end; else what is read stays in place."""

    retry_wanted = Signal()

    def __init__(
        self, model: TranscriptModel, approvals: ApprovalsModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._approvals = approvals
        self._name = "Ankita"
        self._first = 0
        self._widgets: list[ItemWidget] = []
        self._wanted_first = 0
        self._wanted_last = 0
        self._anchor: tuple[ItemWidget, int] | None = None
        self._is_adjusting = False
        self._build()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fill)
        self._fetch_timer = QTimer(self)
        self._fetch_timer.setSingleShot(True)
        self._fetch_timer.timeout.connect(self._fetch)
        self._connect()
        self._reset()

    def set_teammate_name(self, name: str) -> None:
        """Who asks and answers here."""
        self._name = name

    @property
    def widget_count(self) -> int:
        """How many items have a widget now."""
        return len(self._widgets)

    def shown_rows(self) -> range:
        """The rows that have a widget now."""
        return range(self._first, self._last)

    def is_at_end(self) -> bool:
        return self._anchor is None and self._last == self._model.rowCount()

    def to_latest(self) -> None:
        """Go to the newest item and follow it."""
        if self._last < self._model.rowCount():
            self._reset()
            return
        self._anchor = None
        self._settle()
        self._show_jump()

    def to_oldest(self) -> None:
        """Go to the first item."""
        count = self._model.rowCount()
        if self._first > 0:
            self._clear()
            self._first = self._wanted_first = 0
            self._wanted_last = min(FIRST_ITEMS, count)
            self._fill()
        self.verticalScrollBar().setValue(0)
        if self._widgets:
            self._anchor = (self._widgets[0], 0)
        self._show_jump()

    # --- what the items ask for (ThreadEvents) ---------------------------------

    def retry(self) -> None:
        self.retry_wanted.emit()

    def follow_link(self, address: str) -> None:
        QDesktopServices.openUrl(QUrl(address))

    def answer(self, request_id: RequestId, answer: Answer) -> None:
        self._approvals.answer(request_id, answer, "window")

    def teammate_name(self) -> str:
        return self._name

    # --- building ----------------------------------------------------------------

    def _build(self) -> None:
        self.setAccessibleName("Conversation")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._column = QWidget()
        self._layout = QVBoxLayout(self._column)
        self._layout.setSpacing(GAP)
        self._layout.addStretch(1)
        self.setWidget(self._column)
        self._column.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self._jump = ActButton("Jump to latest", small=True, parent=self)
        self._jump.clicked.connect(self.to_latest)
        self._jump.hide()

    def _connect(self) -> None:
        self._model.modelReset.connect(self._reset)
        self._model.rowsInserted.connect(self._inserted)
        self._model.dataChanged.connect(self._changed)
        self._model.grew.connect(self._grew)
        self._approvals.rowsInserted.connect(self._sync_approvals)
        self._approvals.rowsRemoved.connect(self._sync_approvals)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._settle)

    @property
    def _last(self) -> int:
        return self._first + len(self._widgets)

    def _reset(self) -> None:
        self._clear()
        count = self._model.rowCount()
        self._first = count
        self._wanted_first = max(count - FIRST_ITEMS, 0)
        self._wanted_last = count
        self._fill()
        self._show_jump()

    def _clear(self) -> None:
        self._timer.stop()
        self._anchor = None
        for widget in self._widgets:
            self._drop(widget)
        self._widgets.clear()

    def _drop(self, widget: ItemWidget) -> None:
        self._layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _fill(self) -> None:
        """Make the widgets that are wanted, for one slice of time; then again, until all stand."""
        ends_at = time.perf_counter() + SLICE_SECONDS
        while self._is_wanting():
            if self._wanted_first < self._first:
                self._put(self._first - 1)
            else:
                self._put(self._last)
            if time.perf_counter() >= ends_at:
                self._timer.start(0)
                break
        else:
            self._trim()
            # Once the new ones are laid out, the user may still stand near the end of them.
            self._fetch_timer.start(0)

    def _is_wanting(self) -> bool:
        return self._wanted_first < self._first or self._last < self._wanted_last

    def _put(self, row: int) -> None:
        # Only now: an empty window needs no Markdown, and this is a good part of its start.
        from ankita.ui.main_window.transcript_items import make_item_widget

        item = self._model.item(row)
        widget = make_item_widget(item, self._column_width(), self)
        if isinstance(item, ToolItem):
            widget.set_approval(self._approval_for(item))
        if row < self._first:
            self._first = row
            self._widgets.insert(0, widget)
            self._layout.insertWidget(0, widget)
        else:
            self._widgets.append(widget)
            # Before the stretch, which keeps a short thread at the top.
            self._layout.insertWidget(len(self._widgets) - 1, widget)

    def _trim(self) -> None:
        """Take away what is far from where the user is."""
        extra = len(self._widgets) - MOST_ITEMS
        if extra <= 0:
            return
        near_top = (
            self._anchor is not None and self._widgets.index(self._anchor[0]) < MOST_ITEMS / 2
        )
        gone = self._widgets[-extra:] if near_top else self._widgets[:extra]
        if near_top:
            del self._widgets[-extra:]
        else:
            del self._widgets[:extra]
            self._first += extra
        self._wanted_first, self._wanted_last = self._first, self._last
        for widget in gone:
            self._drop(widget)
        self._show_jump()

    # --- following the model -------------------------------------------------------

    def _widget_of(self, row: int) -> ItemWidget | None:
        return self._widgets[row - self._first] if self._first <= row < self._last else None

    def _inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        del parent
        if self._wanted_last == first:
            self._wanted_last = last + 1
            self._fill()
        self._show_jump()

    def _changed(self, top: QModelIndex, bottom: QModelIndex) -> None:
        for row in range(top.row(), bottom.row() + 1):
            widget = self._widget_of(row)
            if widget is not None:
                item = self._model.item(row)
                widget.set_item(item)
                self._sync(widget, item)

    def _grew(self, row: int, text: str) -> None:
        widget = self._widget_of(row)
        if widget is not None:
            widget.grow(text, self._model.item(row))

    def _approval_for(self, item: ToolItem) -> PendingApproval | None:
        return next(
            (
                approval
                for approval in self._approvals.all()
                if approval.thread_id == self._model.thread_id
                and approval.turn_id == item.turn_id
                and approval.call_id == item.call_id
            ),
            None,
        )

    def _sync_approvals(self) -> None:
        from ankita.ui.main_window.transcript_items import ToolWidget

        for widget in self._widgets:
            if isinstance(widget, ToolWidget):
                self._sync(widget, widget.item)
        self._show_jump()

    def _sync(self, widget: ItemWidget, item: Item) -> None:
        if isinstance(item, ToolItem):
            widget.set_approval(self._approval_for(item))

    # --- scrolling -----------------------------------------------------------------

    def _scrolled(self, value: int) -> None:
        """The user moved: remember what is at the top, and fetch what comes near."""
        if self._is_adjusting:
            return
        bar = self.verticalScrollBar()
        at_end = value >= bar.maximum() - BOTTOM_SLACK and self._last == self._model.rowCount()
        self._anchor = None if at_end else self._find_anchor(value)
        self._fetch()
        self._show_jump()

    def _fetch(self) -> None:
        """Want more items where the user is near an end of those that have widgets."""
        bar = self.verticalScrollBar()
        if self._is_wanting() or (self._anchor is None and bar.maximum() > 0):
            return
        page = self.viewport().height()
        if bar.value() < page and self._first > 0:
            self._wanted_first = max(self._first - PAGE_ITEMS, 0)
            self._fill()
        elif bar.value() > bar.maximum() - page and self._last < self._model.rowCount():
            self._wanted_last = min(self._last + PAGE_ITEMS, self._model.rowCount())
            self._fill()

    def _find_anchor(self, value: int) -> tuple[ItemWidget, int] | None:
        for widget in self._widgets:
            if widget.geometry().bottom() >= value:
                return widget, widget.y() - value
        return None

    def _settle(self) -> None:
        """After a change of layout: stay at the end, or keep what is read where it was."""
        bar = self.verticalScrollBar()
        self._is_adjusting = True
        if self._anchor is None:
            bar.setValue(bar.maximum())
        else:
            widget, offset = self._anchor
            bar.setValue(widget.y() - offset)
        self._is_adjusting = False

    def _show_jump(self) -> None:
        needed = not self.is_at_end() and self._model.rowCount() > 0
        if needed:
            asks = any(a.thread_id == self._model.thread_id for a in self._approvals.all())
            words = "Needs your yes, jump there" if asks else "Jump to latest"
            self._jump.setText(words)
            self._jump.setAccessibleName(words)
            self._place_jump()
        self._jump.setVisible(needed)

    def _place_jump(self) -> None:
        self._jump.adjustSize()
        left = (self.width() - self._jump.width()) // 2
        self._jump.move(left, self.height() - self._jump.height() - 10)
        self._jump.raise_()

    # --- widths, keys, focus ----------------------------------------------------------

    def _column_width(self) -> int:
        return min(
            max(appearance_now().space(COLUMN_WIDTH), COLUMN_WIDTH),
            max(self.viewport().width() - 2 * SIDE_MARGIN, 200),
        )

    def _set_margins(self) -> None:
        # Centred in the whole width, as the composer is, whether a scroll bar shows or not.
        width = self._column_width()
        left = max((self.width() - width) // 2, SIDE_MARGIN)
        right = max(self.viewport().width() - width - left, 0)
        self._layout.setContentsMargins(left, 22, right, 22)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._set_margins()
        super().resizeEvent(event)
        self._settle()
        self._place_jump()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._settle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_jump"):
            self._set_margins()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_End:
            self.to_latest()
        elif event.key() == Qt.Key.Key_Home:
            self.to_oldest()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        handled = super().viewportEvent(event)
        if isinstance(event, QPaintEvent) and self.hasFocus():
            painter = QPainter(self.viewport())
            edge = QRectF(0, 0, 2, self.viewport().height())
            painter.fillRect(edge, QColor(appearance_now().palette.accent))
        return handled
