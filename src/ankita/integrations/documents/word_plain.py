"""The bare text of a long Word document, in one streaming pass."""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

_LINE_ENDS: Final = frozenset({"p", "br", "cr"})
_SKIPPED: Final = frozenset({"Fallback", "instrText", "delText", "moveFrom"})
_HEADING: Final = re.compile(r"heading\s?([1-6])", re.IGNORECASE)


def plain_word_text(document: bytes) -> str:
    """Paragraphs as lines, headings with their `#`, cells of a table with a bar between them.

    Expects XML that was surveyed.
    """
    collector = _Collector()
    parser = expat.ParserCreate()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.characters
    parser.Parse(document, True)
    return "".join(collector.pieces)


class _Collector:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._skipping = 0
        self._in_text = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self._skipping += local in _SKIPPED
        self._in_text = local == "t" and not self._skipping
        if local == "tab":
            self.pieces.append("\t")
        elif local == "pStyle" and (level := _heading_level(attributes)):
            self.pieces.append("#" * level + " ")

    def end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        self._skipping -= local in _SKIPPED
        self._in_text = False
        if local in _LINE_ENDS:
            self.pieces.append("\n")
        elif local == "tc":
            if self.pieces and self.pieces[-1] == "\n":
                self.pieces.pop()
            self.pieces.append(" | ")
        elif local == "tr":
            self.pieces.append("\n")

    def characters(self, text: str) -> None:
        if self._in_text:
            self.pieces.append(text)


def _heading_level(attributes: dict[str, str]) -> int:
    styles = (_HEADING.fullmatch(value) for value in attributes.values())
    return next((int(style[1]) for style in styles if style), 0)
