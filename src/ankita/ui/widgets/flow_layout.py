"""A row that goes on in the next line when there is no room."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Keeps every widget at its own size, at most as wide as the row.

    With `last_apart` the last widget stands at the far end of its line, if others stand
    there too.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        gap: int = 8,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        last_apart: bool = False,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._align = align
        self._last_apart = last_apart
        self.setSpacing(gap)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:  # noqa: N802
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in shown) + self.spacing() * max(len(shown) - 1, 0)
        height = max((size.height() for size in shown), default=0)
        return self._with_margins(QSize(width, height))

    def minimumSize(self) -> QSize:  # noqa: N802
        least = QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return self._with_margins(least)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Lay the lines out in `rect`; the height they need."""
        inner = rect.marginsRemoved(self._margins())
        top = inner.top()
        lines = self._lines(inner.width())
        for line in lines:
            height = max(size.height() for _, size in line)
            if move:
                self._place_line(line, inner, top, height)
            top += height + self.spacing()
        used = top - self.spacing() - inner.top() if lines else 0
        margins = self._margins()
        return used + margins.top() + margins.bottom()

    def _lines(self, room: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = _size_in(item, max(room, 1))
            if not lines or left + size.width() > room:
                lines.append([])
                left = 0
            lines[-1].append((item, size))
            left += size.width() + self.spacing()
        return lines

    def _place_line(
        self, line: list[tuple[QLayoutItem, QSize]], inner: QRect, top: int, height: int
    ) -> None:
        width = sum(size.width() for _, size in line) + self.spacing() * (len(line) - 1)
        spare = max(inner.width() - width, 0)
        shares = {Qt.AlignmentFlag.AlignRight: 1.0, Qt.AlignmentFlag.AlignHCenter: 0.5}
        left = inner.left() + round(spare * shares.get(self._align, 0.0))
        for item, size in line:
            if self._last_apart and len(line) > 1 and item is self._items[-1]:
                left = inner.left() + inner.width() - size.width()
            place = QPoint(left, top + (height - size.height()) // 2)
            item.setGeometry(QRect(place, size))
            left += size.width() + self.spacing()

    def _margins(self) -> QMargins:
        return self.contentsMargins()

    def _with_margins(self, size: QSize) -> QSize:
        margins = self._margins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())


def _size_in(item: QLayoutItem, room: int) -> QSize:
    """Its own size; what is wider than the row and can wrap becomes higher instead."""
    hint = item.sizeHint()
    if hint.width() <= room:
        return hint
    return QSize(room, item.heightForWidth(room) if item.hasHeightForWidth() else hint.height())
