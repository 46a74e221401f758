"""Finds the main text of a page with the readability library, which is loaded with this file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from readability import Document
from readability.readability import Unparseable

# It writes a page's faults to the log, with the page's words in them.
logging.getLogger("readability").setLevel(logging.CRITICAL)


class _Article(Document):  # type: ignore[misc]
    """Keeps tables of data: the library takes short ones for decoration and drops them."""

    def get_preserved_elements(self, node: Any) -> Any:
        kept = super().get_preserved_elements(node)
        kept.update(dict.fromkeys(_data_tables(node), True))
        return kept


def main_text(html: str) -> str:
    """The part that is most likely the article, as HTML; empty when there is none."""
    try:
        found: str = _Article(html).summary(html_partial=True)
    except Unparseable:
        return ""
    return found


def _data_tables(node: Any) -> Iterator[Any]:
    for table in node.iter("table"):
        is_layout = table.find(".//table") is not None or table.get("role") == "presentation"
        if not is_layout and table.find(".//th") is not None and not _is_menu(table):
            yield table


def _is_menu(table: Any) -> bool:
    linked = sum(len(link.text_content()) for link in table.iter("a"))
    return bool(2 * linked > len(table.text_content()))
