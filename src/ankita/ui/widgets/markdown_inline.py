"""Writes the words of one block: emphasis, code, links. Loads nothing and reads no HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor

from ankita.ui.widgets.markdown_formats import Formats

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINK_SCHEMES = ("http://", "https://", "mailto:")
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|]+[^\s<>\"'`|.,;:!?)\]}]")
LINE_SEPARATOR = "\u2028"
_UNSAFE = str.maketrans(
    {"\u2028": " ", "\u2029": " ", "\ufdd0": "", "\ufdd1": "", "\ufffc": "", "\n": " ", "\r": " "}
)
"""Characters that a QTextDocument takes for structure."""


def is_allowed_link(target: str) -> bool:
    """Only web and mail addresses may be opened from a reply."""
    return target.lower().startswith(_LINK_SCHEMES)


def safe(text: str) -> str:
    """`text` without what a QTextDocument would take for structure."""
    return text.translate(_UNSAFE)


class InlineWriter:
    """Writes inline tokens at a cursor."""

    def __init__(self, formats: Formats) -> None:
        self._formats = formats

    def write(self, token: Token, start: QTextCharFormat, into: QTextCursor) -> None:
        """Write the children of an inline token, starting in the look `start`."""
        stack = [start]
        for child in token.children or []:
            match child.type:
                case "text":
                    self._write_text(child.content, stack[-1], into)
                case "softbreak":
                    into.insertText(" ", stack[-1])
                case "hardbreak":
                    into.insertText(LINE_SEPARATOR, stack[-1])
                case "code_inline":
                    into.insertText(safe(child.content), self._formats.inline_code(stack[-1]))
                case "image":
                    self._write_image(child, stack[-1], into)
                case _ if child.nesting == 1:
                    stack.append(self._styled(child, stack[-1]))
                case _ if child.nesting == -1:
                    if len(stack) > 1:
                        stack.pop()
                case _:
                    into.insertText(safe(child.content), stack[-1])

    def _write_text(self, text: str, look: QTextCharFormat, into: QTextCursor) -> None:
        """Text, with bare web addresses made into links."""
        at = 0
        if not look.isAnchor():
            for found in _BARE_LINK.finditer(text):
                into.insertText(safe(text[at : found.start()]), look)
                into.insertText(safe(found.group()), self._formats.link(found.group(), look))
                at = found.end()
        into.insertText(safe(text[at:]), look)

    def _write_image(self, token: Token, look: QTextCharFormat, into: QTextCursor) -> None:
        """Never loaded: its words stand in, linked to the address when that is allowed."""
        target = str(token.attrGet("src") or "")
        words = token.content or "image"
        linked = self._formats.link(target, look) if is_allowed_link(target) else look
        into.insertText(f"[{safe(words)}]", linked)

    def _styled(self, token: Token, outer: QTextCharFormat) -> QTextCharFormat:
        look = QTextCharFormat(outer)
        match token.type:
            case "strong_open":
                look.setFontWeight(QFont.Weight.DemiBold)
            case "em_open":
                look.setFontItalic(True)
            case "s_open":
                look.setFontStrikeOut(True)
            case "link_open":
                target = str(token.attrGet("href") or "")
                if is_allowed_link(target):
                    return self._formats.link(target, outer)
        return look
