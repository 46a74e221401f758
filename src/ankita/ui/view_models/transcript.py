"""The items of one thread as a model; streamed growth is told apart from change."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from ankita.engine import (
    Item,
    ItemAdded,
    ItemChanged,
    NoticeItem,
    ReplyItem,
    TextAdded,
    ThreadDeleted,
    ThreadOpened,
    UserItem,
)
from ankita.ids import ItemId, ThreadId
from ankita.ui.bridge import EngineBridge

Index = QModelIndex | QPersistentModelIndex


class ItemRole(IntEnum):
    ITEM = Qt.ItemDataRole.UserRole + 1


class TranscriptModel(QAbstractListModel):
    """Rows are the items of `thread_id` under ItemRole.ITEM, the oldest first.

    While a reply or a tool's output grows, `grew` tells the row and the new text and
    the row's data is up to date; `dataChanged` is emitted only for a whole change.
    """

    grew = Signal(int, str)
    pins_changed = Signal()
    """Other messages are pinned now."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._thread_id: ThreadId | None = None
        self._rows: tuple[Item, ...] = ()
        self._pinned: tuple[int, ...] = ()
        bridge.listen(ThreadOpened, self._opened)
        bridge.listen(ThreadDeleted, self._deleted)
        bridge.listen(ItemAdded, self._added)
        bridge.listen(ItemChanged, self._changed)
        bridge.listen(TextAdded, self._grew)

    @property
    def thread_id(self) -> ThreadId | None:
        return self._thread_id

    @property
    def is_loaded(self) -> bool:
        """Whether the items of the shown thread have arrived."""
        return self._thread_id in self._bridge.state.items

    def show(self, thread_id: ThreadId | None) -> None:
        """Show another thread; its items may arrive later, with a reset."""
        self.beginResetModel()
        self._thread_id = thread_id
        self._rows = self._current()
        self.endResetModel()
        self._keep_pins(tuple(row for row, item in enumerate(self._rows) if is_pinned(item)))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        item = self._rows[index.row()]
        if role == ItemRole.ITEM:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _words(item)
        return None

    def item(self, row: int) -> Item:
        return self._rows[row]

    def pinned_rows(self) -> tuple[int, ...]:
        """The rows of the messages that go with every request."""
        return self._pinned

    def _current(self) -> tuple[Item, ...]:
        if self._thread_id is None:
            return ()
        return self._bridge.state.items.get(self._thread_id, ())

    def _opened(self, event: ThreadOpened) -> None:
        if event.thread_id == self._thread_id:
            self.show(event.thread_id)

    def _deleted(self, event: ThreadDeleted) -> None:
        if event.thread_id == self._thread_id:
            self.show(None)

    def _added(self, event: ItemAdded) -> None:
        if event.thread_id == self._thread_id:
            place = len(self._rows)
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows = self._current()
            self.endInsertRows()
            self._mark(place)

    def _changed(self, event: ItemChanged) -> None:
        if event.thread_id == self._thread_id:
            self._rows = self._current()
            row = self._row_of(event.item.id)
            if row >= 0:
                index = self.index(row)
                self.dataChanged.emit(index, index)
                self._mark(row)

    def _grew(self, event: TextAdded) -> None:
        if event.thread_id == self._thread_id:
            self._rows = self._current()
            row = self._row_of(event.item_id)
            if row >= 0:
                self.grew.emit(row, event.text)

    def _mark(self, row: int) -> None:
        """Look at one row again: a thread may be long."""
        others = [pinned for pinned in self._pinned if pinned != row]
        here = [row] if is_pinned(self._rows[row]) else []
        self._keep_pins(tuple(sorted([*others, *here])))

    def _keep_pins(self, rows: tuple[int, ...]) -> None:
        if rows != self._pinned:
            self._pinned = rows
            self.pins_changed.emit()

    def _row_of(self, item_id: ItemId) -> int:
        for row in range(len(self._rows) - 1, -1, -1):
            if self._rows[row].id == item_id:
                return row
        return -1


def is_pinned(item: Item) -> bool:
    return isinstance(item, UserItem | ReplyItem) and item.is_pinned


def _words(item: Item) -> str:
    match item:
        case UserItem() | ReplyItem() | NoticeItem():
            return item.text
        case _:
            return f"{item.title} {item.target}".strip()
