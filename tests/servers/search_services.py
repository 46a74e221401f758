"""What DuckDuckGo's page without scripts and a SearXNG server answer, for `WebPages`."""

from __future__ import annotations

import html as entities
import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from tests.servers.web_pages import Reply, html

Found = tuple[str, str, str]
"""Title, address, snippet; the first and the last as HTML."""

PYTHON: Found = (
    "Welcome to <b>Python</b>.org",
    "https://www.python.org/?a=1&b=2",
    "The official home of the <b>Python</b> language &amp; more.",
)
DOCS: Found = ("3.14 Documentation", "https://docs.python.org/3/", "Browse the docs.")
AD: Found = ("Learn it now", "https://ads.example/", "Buy a course.")


def duckduckgo(*found: Found, query: str = "python", is_wrapped: bool = True) -> Reply:
    """A page of results, with an advertisement before them as the service puts it."""
    ad = _result(
        AD, "result--ad", "https://duckduckgo.com/y.js?ad_domain=ads.example&amp;u3=https%3A%2F%2Fx"
    )
    results = [_result(each, "web-result", _link(each[1], is_wrapped)) for each in found]
    return html(_frame(query, ad + "".join(results)))


def duckduckgo_nothing(query: str = "xyzzyq") -> Reply:
    body = (
        '<div class="result results_links results_links_deep result--no-result">'
        '<div class="links_main links_deep result__body">'
        '<div class="no-results">No  results.</div></div></div>'
    )
    return html(_frame(query, body))


def duckduckgo_bot_check(status: int = 202) -> Reply:
    body = (
        '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">'
        '<div class="anomaly-modal__mask"><div class="anomaly-modal__modal">'
        '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>'
        '<div class="anomaly-modal__description">Please complete the following challenge.</div>'
        "</div></div></form>"
    )
    return html(_frame("python", body), status=status)


def searxng(
    results: Sequence[Mapping[str, object]],
    *,
    unresponsive: Sequence[Sequence[str]] = (),
) -> Reply:
    answer = {
        "query": "python",
        "number_of_results": len(results),
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": unresponsive,
    }
    return Reply(json.dumps(answer).encode(), content_type="application/json")


def searxng_result(title: str, url: str, content: str) -> dict[str, object]:
    engines = {"engine": "brave", "engines": ["brave"], "category": "general", "score": 1.0}
    return {"title": title, "url": url, "content": content, **engines}


def _link(url: str, is_wrapped: bool) -> str:
    if not is_wrapped:
        return entities.escape(url)
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=0a1b2c"


def _result(found: Found, kind: str, link: str) -> str:
    title, url, snippet = found
    return f"""
    <div class="result results_links results_links_deep {kind} ">
      <div class="links_main links_deep result__body">
        <h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{title}</a></h2>
        <div class="result__extras"><div class="result__extras__url">
          <span class="result__icon"><a href="{link}"><img src="//icon.ico" /></a></span>
          <a class="result__url" href="{link}"> {entities.escape(url)} </a>
        </div></div>
        <a class="result__snippet" href="{link}">{snippet}</a>
        <div class="clear"></div>
      </div>
    </div>"""


def _frame(query: str, body: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{entities.escape(query)} at DuckDuckGo</title></head>"
        '<body class="body--html"><form id="search_form" action="/html/" method="post">'
        f'<input name="q" value="{entities.escape(query)}"></form><div class="serp__results">'
        f'<div id="links" class="results">{body}</div></div></body></html>'
    )
