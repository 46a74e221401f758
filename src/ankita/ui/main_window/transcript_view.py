"""The column of a thread: widgets for what is near, more of them as the user scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QScrollArea, QWidget

from ankita.engine import Answer, Item, PendingApproval, ReplyItem, ToolItem, UserItem
from ankita.ids import ItemId, RequestId
from ankita.ui.main_window.item_column import MOST_ITEMS, ItemColumn
from ankita.ui.main_window.jump_button import JumpButton
from ankita.ui.main_window.measures import COLUMN_WIDTH, SIDE_MARGIN
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.approvals import ApprovalsModel
from ankita.ui.view_models.transcript import TranscriptModel
from ankita.ui.widgets.reading_order import tab_stops

if TYPE_CHECKING:
    from ankita.ui.main_window.item_widget import ItemWidget


FIRST_ITEMS = 40
"""Items that get a widget when a thread is opened."""

PAGE_ITEMS = 20
"""Items that are added when the user comes near an end of what has widgets."""

ABOVE_ROW = 24
"""Pixels that stay free above a row that was gone to."""

BOTTOM_SLACK = 8
"""Pixels above the end that still count as the end."""


class TranscriptView(QScrollArea):
    """Follows the newest text while the user is at the end; else what is read stays in place."""

    retry_wanted = Signal()
    pin_wanted = Signal(str, bool)
    """The id of a message and whether it is to be pinned."""

    def __init__(
        self, model: TranscriptModel, approvals: ApprovalsModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._approvals = approvals
        self._name = "Ankita"
        self._last_pin = -1
        self._anchor: tuple[ItemWidget, int] | None = None
        self._is_adjusting = False
        self._build()
        self._fetch_timer = QTimer(self)
        self._fetch_timer.setSingleShot(True)
        self._fetch_timer.timeout.connect(self._fetch)
        self._connect()
        self._reset()

    def set_teammate_name(self, name: str) -> None:
        """Who asks and answers here."""
        if name != self._name:
            self._name = name
            for row in self.shown_rows():
                self._say_speaker(row)

    @property
    def widget_count(self) -> int:
        """How many items have a widget now."""
        return len(self._column.widgets)

    def widgets(self) -> tuple[ItemWidget, ...]:
        """The items' widgets, those of `shown_rows` in order."""
        return tuple(self._column.widgets)

    def shown_rows(self) -> range:
        """The rows that have a widget now."""
        return range(self._column.first, self._column.last)

    def is_at_end(self) -> bool:
        return self._anchor is None and self._shows_last()

    def to_latest(self) -> None:
        """Go to the newest item and follow it."""
        if self._column.last < self._model.rowCount():
            self._reset()
            return
        self._anchor = None
        self._settle()
        self._show_jump()

    def to_oldest(self) -> None:
        """Go to the first item."""
        if self._model.rowCount():
            self.to_row(0)
        self.verticalScrollBar().setValue(0)

    def to_row(self, row: int) -> ItemWidget:
        """Bring a row to the top of the view, as far as what follows it allows."""
        widget = self._column.widget_of(row)
        if widget is None:
            self._anchor = None
            self._column.start_at(row, min(row + FIRST_ITEMS, self._model.rowCount()))
            widget = self._column.widgets[0]
        self._anchor = (widget, 0 if row == 0 else ABOVE_ROW)
        self._settle()
        self._show_jump()
        self._fetch_timer.start(0)
        return widget

    def to_next_pin(self) -> bool:
        """Go to the pinned message after the last one shown so; False without any."""
        rows = self._model.pinned_rows()
        if not rows:
            return False
        row = next((row for row in rows if row > self._last_pin), rows[0])
        self._last_pin = row
        widget = self.to_row(row)
        # One that was just made is shown by its layout only later.
        widget.show()
        stops = tab_stops(widget)
        if stops:
            stops[0].setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def toggle_pin(self) -> bool:
        """Pin or unpin the message with the keyboard; False when none has it."""
        focus = self.window().focusWidget()
        if focus is None:
            return False
        has_it = (w for w in self._column.widgets if w is focus or w.isAncestorOf(focus))
        widget = next(has_it, None)
        return widget is not None and widget.toggle_pin()

    def close_confirm(self) -> bool:
        """Take back the step that a question in this thread was at; False without one."""
        from ankita.ui.main_window.transcript_items import ToolWidget

        widgets = self._column.widgets
        cards = (w.approval_card for w in widgets if isinstance(w, ToolWidget))
        return any(card.close_confirm() for card in cards if card is not None)

    # --- what the items ask for (ThreadEvents) ---------------------------------

    def retry(self) -> None:
        self.retry_wanted.emit()

    def follow_link(self, address: str) -> None:
        QDesktopServices.openUrl(QUrl(address))

    def answer(self, request_id: RequestId, answer: Answer, days: int | None) -> None:
        self._approvals.answer(request_id, answer, "window", days)

    def pin(self, item_id: ItemId, *, is_pinned: bool) -> None:
        self.pin_wanted.emit(item_id, is_pinned)

    def teammate_name(self) -> str:
        return self._name

    # --- building ----------------------------------------------------------------

    def _build(self) -> None:
        self.setAccessibleName("Conversation")
        # A click on a button in it leaves the keyboard where it is: in the composer, mostly.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._column = ItemColumn(self._make)
        self._column.filled.connect(self._filled)
        self.setWidget(self._column)
        self._column.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.to_latest)

    def _connect(self) -> None:
        self._model.modelReset.connect(self._reset)
        self._model.rowsInserted.connect(self._inserted)
        self._model.dataChanged.connect(self._changed)
        self._model.grew.connect(self._grew)
        self._approvals.rowsInserted.connect(self._sync_approvals)
        self._approvals.rowsRemoved.connect(self._sync_approvals)
        self._approvals.dataChanged.connect(self._sync_approvals)
        pin = QShortcut(QKeySequence("Ctrl+P"), self)
        pin.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        pin.activated.connect(self.toggle_pin)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._settle)

    def _reset(self) -> None:
        self._anchor = None
        self._last_pin = -1
        count = self._model.rowCount()
        self._column.start_at_end(max(count - FIRST_ITEMS, 0), count)
        self._show_jump()

    def _make(self, row: int) -> ItemWidget:
        # Only now: an empty window needs no Markdown, and this is a good part of its start.
        from ankita.ui.main_window.transcript_items import make_item_widget

        item = self._model.item(row)
        widget = make_item_widget(item, self._column_width(), self)
        widget.set_speaker(self._name, is_shown=self._begins_answer(row))
        self._sync(widget, item)
        return widget

    def _say_speaker(self, row: int) -> None:
        widget = self._column.widget_of(row)
        if widget is not None:
            widget.set_speaker(self._name, is_shown=self._begins_answer(row))

    def _begins_answer(self, row: int) -> bool:
        """Whether the row is what the teammate says first after the user."""
        if not isinstance(self._model.item(row), ReplyItem):
            return False
        return row == 0 or isinstance(self._model.item(row - 1), UserItem)

    def _filled(self) -> None:
        widgets = self._column.widgets
        anchor = self._anchor
        near_top = anchor is not None and widgets.index(anchor[0]) < MOST_ITEMS / 2
        if self._column.trim(near_top):
            self._show_jump()
        # Once the new ones are laid out, the user may still stand near the end of them.
        self._fetch_timer.start(0)

    # --- following the model -------------------------------------------------------

    def _inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        del parent
        self._column.inserted(first, last)
        self._sync_notices()
        self._show_jump()

    def _changed(self, top: QModelIndex, bottom: QModelIndex) -> None:
        for row in range(top.row(), bottom.row() + 1):
            widget = self._column.widget_of(row)
            if widget is not None:
                item = self._model.item(row)
                widget.set_item(item)
                self._sync(widget, item)

    def _grew(self, row: int, text: str) -> None:
        widget = self._column.widget_of(row)
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

        for widget in self._column.widgets:
            if isinstance(widget, ToolWidget):
                self._sync(widget, widget.item)
        self._show_jump()

    def _sync_notices(self) -> None:
        """What was the newest turn may be it no longer."""
        from ankita.ui.main_window.transcript_items import NoticeWidget

        for widget in self._column.widgets:
            if isinstance(widget, NoticeWidget):
                self._sync(widget, widget.item)

    def _sync(self, widget: ItemWidget, item: Item) -> None:
        from ankita.ui.main_window.transcript_items import NoticeWidget

        if isinstance(item, ToolItem):
            widget.set_approval(self._approval_for(item))
        elif isinstance(widget, NoticeWidget):
            newest = self._model.item(self._model.rowCount() - 1)
            widget.set_is_newest(newest.turn_id == item.turn_id)

    # --- scrolling -----------------------------------------------------------------

    def _scrolled(self, value: int) -> None:
        """The user moved: remember what is at the top, and fetch what comes near."""
        if self._is_adjusting:
            return
        bar = self.verticalScrollBar()
        at_end = value >= bar.maximum() - BOTTOM_SLACK and self._shows_last()
        self._anchor = None if at_end else self._find_anchor(value)
        self._fetch()
        self._show_jump()

    def _fetch(self) -> None:
        """Want more items where the user is near an end of those that have widgets."""
        bar = self.verticalScrollBar()
        column = self._column
        if column.is_filling or (self._anchor is None and bar.maximum() > 0):
            return
        page = self.viewport().height()
        if bar.value() < page and column.first > 0:
            column.want_from(max(column.first - PAGE_ITEMS, 0))
        elif bar.value() > bar.maximum() - page and not self._shows_last():
            column.want_up_to(min(column.last + PAGE_ITEMS, self._model.rowCount()))

    def _shows_last(self) -> bool:
        return self._column.last == self._model.rowCount()

    def _find_anchor(self, value: int) -> tuple[ItemWidget, int] | None:
        for widget in self._column.widgets:
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
        asks = any(
            a.thread_id == self._model.thread_id and not a.parked_at for a in self._approvals.all()
        )
        self._jump.offer(needed=needed, asks=asks)

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
        self._column.set_margins(left, right)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._set_margins()
        super().resizeEvent(event)
        self._settle()
        self._jump.place()

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
