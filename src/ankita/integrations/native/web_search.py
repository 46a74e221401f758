"""Searches the web through DuckDuckGo without a key, or through the user's own SearXNG."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode, urlsplit

from ankita.errors import ToolError
from ankita.integrations.native.web_address import read_web_address
from ankita.integrations.native.web_fetch import (
    Fetched,
    FetchLimits,
    Resolve,
    WebDoor,
    system_resolve,
)
from ankita.integrations.native.web_results import duckduckgo_hits, not_searched, searxng_hits
from ankita.protocols import SearchHit, WebSearch

DUCKDUCKGO: Final = "https://html.duckduckgo.com"
SEARCH_LIMITS: Final = replace(FetchLimits(), body_bytes=2_000_000)


def web_search(search_url: str) -> WebSearch:
    """The service for the address in the settings; empty means DuckDuckGo."""
    return SearxngSearch(search_url) if search_url.strip() else DuckDuckGoSearch()


class DuckDuckGoSearch:
    """A `WebSearch` that reads the page DuckDuckGo offers to browsers without scripts."""

    def __init__(self, base: str = DUCKDUCKGO, *, resolve: Resolve = system_resolve) -> None:
        self._base = base.rstrip("/")
        self._door = _door_to(self._base, resolve)

    def describe(self) -> str:
        return "DuckDuckGo"

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """See `WebSearch.search`."""
        answer = await self._door.post_form(f"{self._base}/html/", {"q": query, "b": ""})
        html = _decoded(answer)
        hits = await asyncio.to_thread(duckduckgo_hits, answer.status, html, self._base)
        return hits[:count]


class SearxngSearch:
    """A `WebSearch` that asks a SearXNG server for JSON."""

    def __init__(self, base: str, *, resolve: Resolve = system_resolve) -> None:
        self._base = base.strip().rstrip("/")
        self._door = _door_to(self._base, resolve)

    def describe(self) -> str:
        return urlsplit(self._base).netloc.rpartition("@")[2] or self._base

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """See `WebSearch.search`."""
        asked = urlencode({"q": query, "format": "json"})
        answer = await self._door.get(
            f"{self._base}/search?{asked}", accept="application/json", follows=False
        )
        hits = searxng_hits(answer.status, answer.content_type, _decoded(answer), self.describe())
        return hits[:count]


def _door_to(base: str, resolve: Resolve) -> WebDoor:
    """The user chose this service by its address, so that address may be a private one."""

    def granted() -> Sequence[str]:
        try:
            return (read_web_address(base).place,)
        except ToolError:
            return ()

    return WebDoor(granted, limits=SEARCH_LIMITS, resolve=resolve)


def _decoded(answer: Fetched) -> str:
    if answer.is_cut:
        raise not_searched(answer.address.place, "its answer is too long")
    return answer.body.decode("utf-8", errors="replace")
