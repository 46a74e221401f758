"""The bare text of a long HTML page, in one streaming pass."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

CHUNK_CHARACTERS: Final = 64 * 1024

UNSEEN: Final = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object"})
"""Elements whose content no reader sees."""

_CELLS: Final = frozenset({"td", "th"})
_BLOCKS: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure"),
        *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "pre", "section", "table", "title", "tr", "ul"),
    }
)
_SPACE: Final = re.compile(r"[ \t\r\f\v]*\n\s*")


def plain_html_text(html: str, enough: int) -> tuple[str, int]:
    """Blocks as lines, cells of a table with a bar between them.

    Also gives how many characters of the page were looked at: parsing stops soon
    after `enough` characters of text.
    """
    collector = _Collector()
    at = 0
    while at < len(html) and collector.characters <= enough:
        collector.feed(html[at : at + CHUNK_CHARACTERS])
        at = min(len(html), at + CHUNK_CHARACTERS)
    collector.close()
    return _SPACE.sub("\n", "".join(collector.pieces)).strip(), at


class _Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.characters = 0
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSEEN:
            self._unseen.append(tag)
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen.pop() != tag:
                pass
        self._separate(tag)

    def handle_startendtag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(data)
            self.characters += len(data)

    def _separate(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")
        elif tag in _CELLS and self.pieces and self.pieces[-1] not in {"\n", " | "}:
            self.pieces.append(" | ")
