"""Reads the answers of search services: a list of results, or why it is none. Pure.

An answer that is not plainly a list of results is an error, never an empty list: to a
model "nothing was found" is a fact about the world.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urljoin, urlsplit

from ankita.errors import ToolError
from ankita.protocols import SearchHit

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

TITLE_CHARACTERS: Final = 300
SNIPPET_CHARACTERS: Final = 1_000

_BOT_CHECK: Final = ("anomaly-modal", "challenge-form", "anomaly.js", "bots use duckduckgo")
_AD: Final = "result--ad"


def duckduckgo_hits(status: int, html: str, base: str) -> Sequence[SearchHit]:
    """The results of a page of DuckDuckGo without scripts, advertisements left out.

    Raises ToolError for a check against robots and for a page of any other kind.
    """
    if status == 202:
        raise _bot_check()
    if status != 200:
        raise not_searched("DuckDuckGo", f"it answered with the code {status}")
    from bs4 import BeautifulSoup

    try:
        page = BeautifulSoup(html, "html.parser")
        hits = list(_hits(page, base))
    except (RecursionError, AssertionError):
        raise not_searched("DuckDuckGo", "its page could not be read") from None
    if hits:
        return hits
    if any(sign in html.lower() for sign in _BOT_CHECK):
        raise _bot_check()
    if page.select_one(".no-results, .result--no-result") is None:
        raise not_searched("DuckDuckGo", "its page has changed")
    return ()


def searxng_hits(status: int, content_type: str, body: str, host: str) -> Sequence[SearchHit]:
    """The results in a JSON answer of SearXNG.

    Raises ToolError when JSON is switched off there, and when no engine answered.
    """
    if status == 403:
        raise not_searched(
            host,
            "it does not give its results as JSON",
            'In its settings.yml add "json" to search: formats: and restart it.',
        )
    if status == 429:
        raise not_searched(host, "it was asked too often", "Wait a minute and try again.")
    if status != 200:
        raise not_searched(host, f"it answered with the code {status}")
    try:
        answer = json.loads(body) if "json" in content_type else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise not_searched(host, "it is no SearXNG", "Check the search address in the settings.")
    hits = [hit for result in answer["results"] if (hit := _searxng_hit(result)) is not None]
    if not hits and answer.get("unresponsive_engines"):
        raise not_searched(host, "none of its engines answered", "Try again later.")
    if not hits and answer["results"]:
        raise not_searched(host, "its results have no addresses")
    return hits


def not_searched(service: str, reason: str, advice: str = "") -> ToolError:
    return ToolError(
        f"{service} did not answer as a search: {reason}. Nothing was searched.",
        advice=advice or "Try again later, or name a SearXNG address in the settings.",
    )


def _bot_check() -> ToolError:
    return not_searched("DuckDuckGo", "it asks whether a person is searching")


def _hits(page: BeautifulSoup, base: str) -> Iterator[SearchHit]:
    for result in page.select(".result"):
        link = result.select_one("a.result__a")
        if link is None or _AD in (result.get("class") or []):
            continue
        url = _target(str(link.get("href") or ""), base)
        if url:
            yield SearchHit(_words(link, TITLE_CHARACTERS), url, _snippet(result))


def _snippet(result: Tag) -> str:
    snippet = result.select_one(".result__snippet")
    return _words(snippet, SNIPPET_CHARACTERS) if snippet is not None else ""


def _target(href: str, base: str) -> str:
    """Where a link leads; results go through a counting address of the service."""
    try:
        parts = urlsplit(urljoin(base, href.strip()))
        host = parts.hostname or ""
        if parts.path.startswith("/y.js"):
            return ""  # an advertisement
        wrapped = parse_qs(parts.query).get("uddg")
        if wrapped and (host == urlsplit(base).hostname or host.endswith("duckduckgo.com")):
            parts = urlsplit(wrapped[0])
        return parts.geturl() if parts.scheme in ("http", "https") and parts.netloc else ""
    except ValueError:
        return ""


def _searxng_hit(result: Any) -> SearchHit | None:
    if not isinstance(result, dict):
        return None
    url = str(result.get("url") or "")
    if not url.startswith(("http://", "https://")):
        return None
    title, snippet = str(result.get("title") or ""), str(result.get("content") or "")
    return SearchHit(
        " ".join(title.split())[:TITLE_CHARACTERS],
        url,
        " ".join(snippet.split())[:SNIPPET_CHARACTERS],
    )


def _words(tag: Tag, limit: int) -> str:
    return " ".join(tag.get_text().split())[:limit]
