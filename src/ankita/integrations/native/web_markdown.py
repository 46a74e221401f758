"""A web page as Markdown: its main text or all of it, and what it says about itself.

Runs in the child process only: the libraries are neither bounded nor quick on hostile pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ankita.integrations.documents.limits import DocumentLimits
from ankita.integrations.documents.markup import to_markdown
from ankita.integrations.native import web_tree
from ankita.integrations.native.web_encoding import decode_page

MAX_CHARACTERS: Final = 1_000_000
MAX_RICH_ELEMENTS: Final = 40_000
MAX_RICH_CHARACTERS: Final = 2_000_000
MAX_RICH_DEPTH: Final = 150
"""Beyond these the layout is given up: the time it takes grows too fast with them."""

MIN_READABLE_CHARACTERS: Final = 250
MIN_READABLE_SHARE: Final = 0.05
"""A main text below one of these is a wrong guess, so the whole page is given."""


@dataclass(frozen=True, slots=True)
class Page:
    """All text as it stands in the page. `notes` are sentences of ours."""

    title: str
    text: str
    author: str = ""
    published: str = ""
    notes: tuple[str, ...] = ()


def read_page(body: bytes, charset: str, url: str, *, whole: bool) -> Page:
    """Raises NotTextError, MemoryError. Has no time limit of its own."""
    tree = web_tree.parse(decode_page(body, charset).text)
    if tree is None:
        return Page("", "")
    about = web_tree.about(tree)
    web_tree.drop_unseen(tree)
    text, notes = _text(tree, url, whole=whole)
    return Page(about.title, text, about.author, about.published, notes)


def _text(tree: Any, url: str, *, whole: bool) -> tuple[str, tuple[str, ...]]:
    from lxml.html import tostring

    elements, depth = web_tree.size(tree)
    if elements > MAX_RICH_ELEMENTS or depth > MAX_RICH_DEPTH:
        return _bare(tree, depth)
    tree.make_links_absolute(url, resolve_base_href=True, handle_failures="ignore")
    html = tostring(tree, encoding="unicode")
    if len(html) > MAX_RICH_CHARACTERS:
        return _bare(tree, depth)
    main = "" if whole else _markdown(_article(html))[0]
    characters = len(web_tree.bare_text(tree, MAX_CHARACTERS))
    if len(main) >= max(MIN_READABLE_CHARACTERS, MIN_READABLE_SHARE * characters):
        return main, ('This is the main text; mode="whole" gives menus and all else too.',)
    return _markdown(html)


def _bare(tree: Any, depth: int) -> tuple[str, tuple[str, ...]]:
    notes = ["The page is very large or deeply nested, so its layout and links were left out."]
    if depth >= web_tree.MAX_DEPTH:
        notes.append("What is nested even more deeply could not be read at all.")
    return web_tree.bare_text(tree, MAX_CHARACTERS), tuple(notes)


def _markdown(html: str) -> tuple[str, tuple[str, ...]]:
    limits = DocumentLimits(rich_characters=2 * MAX_RICH_CHARACTERS, characters=MAX_CHARACTERS)
    return to_markdown(html, limits)


def _article(html: str) -> str:
    from ankita.integrations.native.web_article import main_text

    return main_text(html)
