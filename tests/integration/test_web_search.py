"""Searching at servers that answer as DuckDuckGo and SearXNG do."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from ankita.errors import ToolError
from ankita.integrations.native.web_search import (
    DuckDuckGoSearch,
    SearxngSearch,
    web_search,
)
from ankita.protocols import SearchHit
from tests.servers.search_services import (
    DOCS,
    PYTHON,
    duckduckgo,
    duckduckgo_bot_check,
    duckduckgo_nothing,
    searxng,
    searxng_result,
)
from tests.servers.web_pages import Reply, WebPages, html, redirect

pytestmark = pytest.mark.spec("TOL-5")

NOTHING_SEARCHED = "did not answer as a search.*Nothing was searched"


@pytest.mark.parametrize("is_wrapped", [True, False])
async def test_duckduckgo_results_are_read(is_wrapped: bool) -> None:
    page = duckduckgo(PYTHON, DOCS, is_wrapped=is_wrapped)
    async with WebPages({"/html/": page}) as server:
        hits = await DuckDuckGoSearch(server.base).search("python & co", 8)
    assert list(hits) == [
        SearchHit(
            "Welcome to Python.org",
            "https://www.python.org/?a=1&b=2",
            "The official home of the Python language & more.",
        ),
        SearchHit("3.14 Documentation", "https://docs.python.org/3/", "Browse the docs."),
    ]
    asked = server.requests[0]
    assert asked.method == "POST"
    assert parse_qs(asked.body.decode())["q"] == ["python & co"]
    assert "?" not in asked.path


async def test_no_more_results_than_asked_for() -> None:
    async with WebPages({"/html/": duckduckgo(PYTHON, DOCS)}) as server:
        assert len(await DuckDuckGoSearch(server.base).search("python", 1)) == 1


async def test_only_the_page_itself_can_say_that_nothing_was_found() -> None:
    async with WebPages({"/html/": duckduckgo_nothing()}) as server:
        assert list(await DuckDuckGoSearch(server.base).search("xyzzyq", 8)) == []


@pytest.mark.parametrize(
    "page",
    [
        duckduckgo_bot_check(202),
        duckduckgo_bot_check(200),
        Reply(duckduckgo(PYTHON).body, 202),
        html("<p>Something new</p>"),
        html(""),
        html('<div class="result"><a class="other" href="https://x.example/">x</a></div>'),
        html('<a class="result__a" href="javascript:alert(1)">x</a>'),
        html("try later", status=429),
        html("broken", status=500),
        html("<div>" * 20_000),
        redirect("https://duckduckgo.com/"),
        Reply(b"x" * 2_100_000),
    ],
)
async def test_any_other_page_of_duckduckgo_is_an_error(page: Reply) -> None:
    async with WebPages({"/html/": page}) as server:
        with pytest.raises(ToolError) as refused:
            await DuckDuckGoSearch(server.base).search("python", 8)
    assert refused.value.advice or "redirect" in refused.value.message


async def test_a_check_against_robots_is_said_plainly() -> None:
    async with WebPages({"/html/": duckduckgo_bot_check()}) as server:
        with pytest.raises(ToolError, match=f"DuckDuckGo {NOTHING_SEARCHED}"):
            await DuckDuckGoSearch(server.base).search("python", 8)


async def test_results_that_speak_of_the_check_are_results() -> None:
    about = ("anomaly-modal, explained", "https://x.example/", "bots use DuckDuckGo too")
    async with WebPages({"/html/": duckduckgo(about, query="challenge-form")}) as server:
        assert len(await DuckDuckGoSearch(server.base).search("challenge-form", 8)) == 1


async def test_searxng_results_are_read() -> None:
    results = [
        searxng_result("Python\n org", "https://www.python.org/", "The  home"),
        searxng_result("No address", "", "x"),
        searxng_result("A trap", "javascript:alert(1)", "x"),
    ]
    async with WebPages({"/sub/search": searxng(results)}) as server:
        search = SearxngSearch(f"{server.base}/sub/")
        hits = await search.search("python & co", 8)
        assert list(hits) == [SearchHit("Python org", "https://www.python.org/", "The home")]
        assert server.requests[0].path == "/sub/search?q=python+%26+co&format=json"
        assert search.describe() == server.place


async def test_searxng_may_find_nothing() -> None:
    async with WebPages({"/search": searxng([])}) as server:
        assert list(await SearxngSearch(server.base).search("xyzzyq", 8)) == []


async def test_searxng_without_json_says_how_to_turn_it_on() -> None:
    async with WebPages({"/search": html("Forbidden", status=403)}) as server:
        with pytest.raises(ToolError, match=NOTHING_SEARCHED) as refused:
            await SearxngSearch(server.base).search("python", 8)
    assert "settings.yml" in refused.value.advice
    assert "json" in refused.value.advice


@pytest.mark.parametrize(
    "page",
    [
        searxng([], unresponsive=[["brave", "timeout"]]),
        searxng([searxng_result("x", "", "")]),
        html("Too many", status=429),
        html("<title>SearXNG</title>"),
        Reply(b"{}", content_type="application/json"),
        Reply(b"[]", content_type="application/json"),
        Reply(b"[" * 100_000, content_type="application/json"),
        Reply(b'{"results": 5}', content_type="application/json"),
    ],
)
async def test_any_other_answer_of_searxng_is_an_error(page: Reply) -> None:
    async with WebPages({"/search": page}) as server:
        with pytest.raises(ToolError, match=NOTHING_SEARCHED):
            await SearxngSearch(server.base).search("python", 8)


async def test_a_service_that_is_not_there_is_an_error() -> None:
    async with WebPages({}) as server:
        base = server.base
    for search in (DuckDuckGoSearch(base), SearxngSearch(base)):
        with pytest.raises(ToolError, match="could not be reached"):
            await search.search("python", 8)


async def test_a_useless_search_address_is_an_error() -> None:
    for address in ("nonsense", "ftp://x/", "http://user:pw@searx.example/"):
        search = SearxngSearch(address)
        assert "pw" not in search.describe()
        with pytest.raises(ToolError):
            await search.search("python", 8)


def test_the_settings_choose_the_service() -> None:
    assert web_search("").describe() == "DuckDuckGo"
    assert web_search(" ").describe() == "DuckDuckGo"
    assert web_search("https://searx.example.org/x").describe() == "searx.example.org"
