"""Labels that show text as it is: never as markup, and never with hidden characters."""

from __future__ import annotations

import html
import re
import unicodedata

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

_KEPT_CONTROLS = "\n\t"
_JOINERS = "\u200c\u200d"
"""Needed by Indic scripts and by emoji; they cannot reorder or hide anything."""


_LONGEST_WORD = 24
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_BREAK = "\u200b"


def visible_text(text: str) -> str:
    """`text` with every control and direction character spelled out, as in ⟨U+202E⟩.

    What a person approves must read the same as what is sent.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text  # most texts; this path is taken for every label and line of output
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in _KEPT_CONTROLS or character in _JOINERS:
        return character
    if unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp"}:
        return f"⟨U+{ord(character):04X}⟩"
    return character


def breakable(text: str) -> str:
    """`text` with invisible places to break in words that are too long for a line."""
    if len(text) <= _LONGEST_WORD:
        return text
    return _LONG_WORD.sub(lambda word: f"{word.group()}{_BREAK}", text)


def plain_tip(text: str) -> str:
    """`text` for a tool tip, which Qt would otherwise read as markup when it looks like it."""
    return html.escape(visible_text(text)) if "<" in text else visible_text(text)


class PlainLabel(QLabel):
    """Wrapping text in one of the style sheet's roles ("body", "muted", "title", ...)."""

    def __init__(
        self,
        text: str = "",
        *,
        role: str = "body",
        wraps: bool = True,
        selectable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self._wraps = wraps
        self.setProperty("role", role)
        if selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text`; in wrapping text a word of any length fits into any width."""
        super().setText(breakable(text) if self._wraps else text)

    def set_role(self, role: str) -> None:
        """Change the look; the text stays."""
        if role != self.property("role"):
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)


class ElidedLabel(PlainLabel):
    """One line that ends in … when there is no room; the whole text is its tooltip then."""

    def __init__(
        self,
        text: str = "",
        *,
        role: str = "body",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        self._mode = mode
        self._full = ""
        super().__init__(role=role, wraps=False, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text` on one line; line breaks become spaces."""
        self._full = text
        super().setText(" ".join(text.split()))
        self.setAccessibleName(text)
        self._refresh_tooltip()

    def full_text(self) -> str:
        return self._full

    def is_elided(self) -> bool:
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = self.fontMetrics().horizontalAdvance("MM…")
        whole = super().sizeHint()
        return QSize(min(least, whole.width()), whole.height())

    def sizeHint(self) -> QSize:  # noqa: N802
        # One spare pixel: advances are fractional and a rounded-down width would elide.
        return super().sizeHint() + QSize(1, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._refresh_tooltip()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._refresh_tooltip()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, room.width())
        self.style().drawItemText(
            painter,
            room,
            int(self.alignment() | Qt.AlignmentFlag.AlignVCenter),
            option.palette,
            self.isEnabled(),
            shown,
            self.foregroundRole(),
        )

    def _refresh_tooltip(self) -> None:
        self.setToolTip(plain_tip(self._full) if self._full and self.is_elided() else "")


class SectionHead(PlainLabel):
    """A small upper-case heading over a group."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, role="section", wraps=False, parent=parent)


class Tag(PlainLabel):
    """One word in a thin frame: how a call was decided, a tier. Tones: plain ok info ask danger."""

    def __init__(self, text: str, tone: str = "plain", parent: QWidget | None = None) -> None:
        super().__init__(text, role="tag", wraps=False, parent=parent)
        self.setProperty("tag", tone)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
