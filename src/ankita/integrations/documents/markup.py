"""HTML to Markdown, with what a reader does not see left out."""

from __future__ import annotations

import warnings
from typing import Final

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

from ankita.integrations.documents.html_plain import UNSEEN, plain_html_text
from ankita.integrations.documents.limits import DocumentLimits

_LINE: Final = "\n"
_DEAD_LINKS: Final = ("#", "data:", "javascript:", "vbscript:")


def to_markdown(html: str, limits: DocumentLimits) -> tuple[str, tuple[str, ...]]:
    """The Markdown and the notes on what was left out."""
    if len(html) > limits.rich_characters:
        return _plain(html, limits)
    soup = _parse(html)
    title = _take_title(soup)
    _drop_unseen(soup)
    try:
        return f"{title}\n\n{_convert(soup)}".strip(), ()
    except RecursionError:
        note = "This document is nested very deeply, so only its plain text was kept."
        return f"{title}\n\n{soup.get_text(_LINE, strip=True)}".strip(), (note,)


def _plain(html: str, limits: DocumentLimits) -> tuple[str, tuple[str, ...]]:
    text, seen = plain_html_text(html, limits.characters)
    notes = ["This document is very long, so its layout and its links were left out."]
    if seen < len(html):
        notes.append(
            f"Only the first {seen:,} of {len(html):,} characters of its source were read."
        )
    return text, tuple(notes)


def _parse(html: str) -> BeautifulSoup:
    with warnings.catch_warnings():
        # It warns about odd but harmless input, such as XHTML or a page that is only a link.
        warnings.simplefilter("ignore")
        return BeautifulSoup(html, "html.parser")


def _drop_unseen(soup: BeautifulSoup) -> None:
    for tag in soup.find_all(list(UNSEEN)):
        tag.decompose()
    for tag in soup.find_all("img"):
        alt = str(tag.get("alt") or "").strip()
        tag.replace_with(f"[picture: {alt}]" if alt else "")
    for tag in soup.find_all("a"):
        if str(tag.get("href") or "").strip().lower().startswith(_DEAD_LINKS):
            tag.unwrap()


def _take_title(soup: BeautifulSoup) -> str:
    """Markdown has no place for a page's title, so it becomes the first line."""
    titles = [tag for tag in soup.find_all("title") if tag.find_parent("svg") is None]
    text = " ".join(titles[0].get_text().split()) if titles else ""
    for tag in titles:
        tag.decompose()
    return text


def _convert(soup: BeautifulSoup) -> str:
    # Nothing is escaped: a model reads this, and names_with_underscores must stay as they are.
    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    markdown: str = converter.convert_soup(soup)
    return markdown.strip()
