"""Names and values of a call, as plain text; a long value can be opened whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QVBoxLayout, QWidget

from ankita.ui.theme import appearance_now, mono_font
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text

DEFAULT_LIMIT = 80
"""Characters of a value that are shown before it must be opened."""

KEY_WIDTH = 80
"""Pixels (at 100 % text) that the names take at least."""

_NUMBERED = re.compile(r"([0-9]+)\. ")
_CODE_POINTS = 9.4

_LEAST_START = 96
"""Pixels (at 100 % text) of a value's beginning beside its link; with less it stands above."""


class KeyValueGrid(QWidget):
    """Rows of (name, value). Values are never read as markup; hidden characters are spelled out."""

    def __init__(
        self,
        rows: Sequence[tuple[str, str]] = (),
        *,
        limit: int = DEFAULT_LIMIT,
        key_width: int = KEY_WIDTH,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._limit = limit
        self._key_width = key_width
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(1, 1)
        self._cells: list[ValueCell] = []
        self.set_rows(rows)

    def set_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Replace all rows; opened values close."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._cells.clear()
        self._grid.setColumnMinimumWidth(0, appearance_now().space(self._key_width))
        for at, (name, value) in enumerate(rows):
            key = PlainLabel(name, role="key", wraps=False)
            cell = ValueCell(name, value, self._limit)
            self._grid.addWidget(key, at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(cell, at, 1)
            self._cells.append(cell)

    def has_folded(self) -> bool:
        """Whether the end of some value is not on show."""
        return any(cell.is_folded() for cell in self._cells)

    def open_all(self) -> None:
        """Show every value whole."""
        for cell in self._cells:
            if cell.is_folded():
                cell.set_open(True)


class ValueCell(QWidget):
    """One value: its beginning and a link, or all of it. Numbered lines are never folded."""

    opened = Signal(bool)

    def __init__(self, name: str, value: str, limit: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = visible_text(value)
        self._name = name
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._line = QWidget(self)
        line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._line)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(5)
        is_numbered = is_numbered_list(self._whole)
        role = "mono" if is_numbered else "value"
        self._text = PlainLabel(self._whole, role=role, selectable=True)
        if is_numbered:
            self._text.setFont(mono_font(appearance_now().points(_CODE_POINTS)))
        self._text.setAccessibleName(f"{name}: {self._whole}")
        column.addWidget(self._line)
        column.addWidget(self._text)
        is_long = len(self._whole) > limit or "\n" in self._whole.strip()
        is_long = is_long and not is_numbered
        self._is_folded = is_long
        self._direction: QBoxLayout | None = None
        self._line.setVisible(is_long)
        self._text.setVisible(not is_long)
        if is_long:
            self._build_line(line, column, limit)

    def _build_line(self, line: QBoxLayout, column: QVBoxLayout, limit: int) -> None:
        start = " ".join(self._whole[:limit].split())
        beginning = ElidedLabel(f"{start} …", role="value")
        self._more = ActButton(f"show all, {size_in_words(self._whole)}", Variant.LINK)
        self._more.setAccessibleName(f"Show all of {self._name}, {size_in_words(self._whole)}")
        self._less = ActButton("show less", Variant.LINK)
        self._less.setAccessibleName(f"Show less of {self._name}")
        self._less.hide()
        self._more.clicked.connect(lambda: self.set_open(True))
        self._less.clicked.connect(lambda: self.set_open(False))
        line.addWidget(beginning)
        line.addWidget(self._more)
        line.addStretch(1)
        self._direction = line
        column.addWidget(self._less, 0, Qt.AlignmentFlag.AlignLeft)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # Beside each other or not: what is least is that both fit below each other.
        least = super().minimumSizeHint()
        link = self._more.sizeHint().width() if self._direction is not None else 0
        return QSize(max(link, 24), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._direction is not None:
            needed = self._more.sizeHint().width() + appearance_now().space(_LEAST_START)
            is_narrow = event.size().width() < needed
            down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
            self._direction.setDirection(down if is_narrow else across)

    def is_folded(self) -> bool:
        return self._is_folded

    def set_open(self, is_open: bool) -> None:
        """Show the whole value, or its beginning. The focus stays on the link that undoes it."""
        self._is_folded = not is_open
        had_focus = self._more.hasFocus() or self._less.hasFocus()
        self._line.setVisible(not is_open)
        self._text.setVisible(is_open)
        self._less.setVisible(is_open)
        if had_focus:
            (self._less if is_open else self._more).setFocus()
        self.opened.emit(is_open)


def is_numbered_list(text: str) -> bool:
    """Whether every line begins with its own number, as the parts of a command do."""
    numbers = [_NUMBERED.match(line) for line in text.split("\n")]
    return len(numbers) > 1 and all(
        found is not None and found.group(1) == str(at) for at, found in enumerate(numbers, 1)
    )


def size_in_words(text: str) -> str:
    """ "118 words", or characters where there are hardly any spaces."""
    words = len(text.split())
    if words >= 4:
        return f"{words} words"
    return f"{len(text)} characters"
