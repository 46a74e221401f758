"""A web page as a tree: parsed, freed of what nobody sees, asked for its title and its text.

Used in the child process only. Every step takes time in proportion to the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ankita.integrations.documents.html_plain import UNSEEN

MAX_DEPTH: Final = 2_000
"""The parser drops what is nested a little more deeply than this."""

_NEVER_SHOWN: Final = UNSEEN | {"title", "head", "input", "embed", "canvas"}
_HIDING: Final = re.compile(
    r"(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden"
    r"|(?:opacity|font-size|max-height):0*\.?0*(?:[a-z%]+)?(?:;|!|$))"
)
_SPACE: Final = re.compile(r"\s+")
_CSS_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CSS_ESCAPE: Final = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_INLINE: Final = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del"),
        *("dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "q"),
        *("s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt"),
        *("u", "var", "wbr"),
    }
)
_IN_HEAD: Final = frozenset({"title", "meta", "link", "base", "script", "style", "noscript"})
_CELLS: Final = frozenset({"td", "th"})
_AUTHOR: Final = ("author", "article:author", "dc.creator")
_PUBLISHED: Final = ("article:published_time", "date", "dc.date", "datepublished")


@dataclass(frozen=True, slots=True)
class About:
    """What a page says about itself, as it stands there; empty where it says nothing."""

    title: str = ""
    author: str = ""
    published: str = ""


def parse(html: str) -> Any:
    """The root element, or None for a page without any."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    # An encoding that is named inside is void: the text is decoded already.
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        tree = document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    _empty_head(tree)
    return tree


def _empty_head(tree: Any) -> None:
    """The parser does not know that an `article` ends a head which was not closed."""
    from lxml import etree

    head, body = tree.find("head"), tree.find("body")
    if head is None:
        return
    astray = [child for child in head if child.tag not in _IN_HEAD]
    if body is None:
        body = etree.SubElement(tree, "body")
    if astray and body.text:
        astray[-1].tail = (astray[-1].tail or "") + body.text
        body.text = None
    for place, child in enumerate(astray):
        body.insert(place, child)


def size(tree: Any) -> tuple[int, int]:
    """The number of elements and how deeply they are nested."""
    from lxml import etree

    count = depth = deepest = 0
    for event, _ in etree.iterwalk(tree, events=("start", "end")):
        if event == "start":
            count, depth = count + 1, depth + 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return count, deepest


def about(tree: Any) -> About:
    """Ask before `drop_unseen`, which takes the head away."""
    said: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        said.setdefault(name.lower(), meta.get("content") or "")
    title = next((each.text or "" for each in tree.iter("title")), "")
    return About(
        title=title or said.get("og:title", ""),
        author=next((said[name] for name in _AUTHOR if said.get(name)), ""),
        published=next((said[name] for name in _PUBLISHED if said.get(name)), ""),
    )


def drop_unseen(tree: Any) -> None:
    """Take out scripts, styles and all that is hidden where it stands.

    What a style sheet hides by class or place cannot be known without a browser.
    """
    for element in list(_unseen(tree)):
        element.drop_tree()


def _unseen(tree: Any) -> Iterator[Any]:
    """The outermost unseen elements."""
    from lxml import etree

    walk = etree.iterwalk(tree, events=("start",))
    for _, element in walk:
        if element.getparent() is not None and _is_unseen(element):
            walk.skip_subtree()
            yield element


def _is_unseen(element: Any) -> bool:
    if not isinstance(element.tag, str):
        return False
    if element.tag in _NEVER_SHOWN or element.get("hidden") is not None:
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    style = element.get("style")
    return bool(style and _HIDING.search(_plain_style(style)))


def _plain_style(style: str) -> str:
    """As a browser takes it: comments out, escapes read, in lower case without spaces."""
    read = _CSS_ESCAPE.sub(_unescaped, _CSS_COMMENT.sub("", style))
    return _SPACE.sub("", read.lower())


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if code <= sys.maxunicode else "\ufffd"


def bare_text(tree: Any, enough: int) -> str:
    """The text alone, blocks as lines; stops soon after `enough` characters."""
    from lxml import etree

    pieces: list[str] = []
    characters = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        separator = _separator(element.tag, event)
        if separator and pieces and not pieces[-1].endswith(separator):
            pieces.append(separator)
        text = element.text if event == "start" else element.tail
        if text and (seen := _SPACE.sub(" ", text)) != " ":
            pieces.append(seen)
            characters += len(seen)
            if characters > enough:
                break
    return "".join(pieces).strip()


def _separator(tag: Any, event: str) -> str:
    if tag in _CELLS:
        return " | " if event == "start" else ""
    return "" if tag in _INLINE else "\n"
