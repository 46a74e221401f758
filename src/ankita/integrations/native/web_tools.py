"""The tools that open a web page and search the web."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Final

from ankita.errors import ToolError
from ankita.integrations.documents.encodings import NotTextError
from ankita.integrations.documents.kinds import DocumentKind
from ankita.integrations.documents.sniff import sniff
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.integrations.native.web_address import MAX_ADDRESS_CHARACTERS, read_web_address
from ankita.integrations.native.web_encoding import decode_page
from ankita.integrations.native.web_fetch import Fetched, WebDoor
from ankita.integrations.native.web_material import cleaned, fenced, on_one_line, part_from
from ankita.integrations.native.web_page import PageReader, PageText
from ankita.messages import Effect, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext, SearchHit, WebSearch

MAX_RESULTS: Final = 20
MAX_QUERY_CHARACTERS: Final = 500
KEPT_PAGES: Final = 4
"""Pages kept so that their parts fit together and a server is asked only once."""

_ACCEPTED: Final = "text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5"
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_NO_TEXT: Final = {"image": "a picture", "audio": "a sound", "video": "a video", "font": "a font"}


class Mode(StrEnum):
    READABLE = "readable"
    WHOLE = "whole"


class FetchPage(Arguments):
    url: str = argument(
        min_length=1, max_length=MAX_ADDRESS_CHARACTERS, description="Address, http or https."
    )
    start: int = argument(default=0, ge=0, description="Character to read on from.")
    mode: Mode = argument(
        default=Mode.READABLE, description="readable: the main text; whole: menus and all else."
    )


class SearchWeb(Arguments):
    query: str = argument(
        min_length=1, max_length=MAX_QUERY_CHARACTERS, description="Words to search for."
    )
    count: int = argument(default=8, ge=1, le=MAX_RESULTS, description="Results wanted.")


@dataclass(frozen=True, slots=True)
class _Kept:
    url: str
    fetched_at: str
    page: PageText


class WebTools:
    """Handlers of fetch_page and search_web. `search` gives the service to use now."""

    def __init__(
        self, door: WebDoor, search: Callable[[], WebSearch], reader: PageReader | None = None
    ) -> None:
        self._door = door
        self._search = search
        self._reader = reader or PageReader()
        self._kept: OrderedDict[tuple[str, Mode], _Kept] = OrderedDict()
        self._fetch_tool = self._declare_fetch()
        self._declared: dict[str, Sequence[NativeTool]] = {}

    def declare(self) -> Sequence[NativeTool]:
        """The tools, ready to offer; the same values for as long as the service is the same."""
        service = on_one_line(self._search().describe(), 100)
        if service not in self._declared:
            self._declared = {service: (self._fetch_tool, self._declare_search(service))}
        return self._declared[service]

    def _declare_fetch(self) -> NativeTool:
        return native_tool(
            FetchPage,
            self._fetch,
            name="fetch_page",
            description="Open a web page and read it as Markdown. Its server sees the address.",
            effect=Effect.READS,
            app="web",
            phase=Phase.READING,
            key_arguments=("url",),
        )

    def _declare_search(self, service: str) -> NativeTool:
        return native_tool(
            SearchWeb,
            self._find,
            name="search_web",
            description=f"Search the web. The words are sent to {service}.",
            effect=Effect.READS,
            app="web",
            phase=Phase.READING,
            key_arguments=("query",),
        )

    async def _fetch(self, args: FetchPage, _context: CallContext) -> ToolResult:
        key = (read_web_address(args.url).url, args.mode)
        kept = self._kept.get(key) if args.start else None
        if kept is None:
            kept = await self._opened(args)
            self._keep(key, kept)
        part = part_from(kept.page.text, args.start)
        lines = [
            f"Page: {kept.url}",
            f"Opened: {kept.fetched_at}",
            " ".join([part.sentence(), *kept.page.notes]).strip(),
        ]
        material = "\n".join([*_about(kept.page), part.text or "(no text)"])
        data = {"url": kept.url, "characters": part.total, "next_start": part.next_start}
        heading = "\n".join(line for line in lines if line)
        return ToolResult(ToolStatus.OK, fenced(heading, material), data)

    async def _opened(self, args: FetchPage) -> _Kept:
        answer = await self._door.get(args.url, accept=_ACCEPTED)
        if answer.status >= 400:
            raise ToolError(f"{answer.address.place} answered {_status(answer.status)}.")
        page = await self._page(answer, whole=args.mode is Mode.WHOLE)
        notes = page.notes
        if answer.is_cut:
            notes = (*notes, f"Only its first {len(answer.body):,} bytes were read.")
        text = await asyncio.to_thread(cleaned, page.text)
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        whole_page = PageText(page.title, text, page.author, page.published, notes)
        return _Kept(answer.address.url, now, whole_page)

    async def _page(self, answer: Fetched, *, whole: bool) -> PageText:
        _refuse_what_is_no_text(answer)
        if _is_html(answer):
            return await self._reader.read(
                answer.body, answer.charset, answer.address.url, whole=whole
            )
        return PageText("", await asyncio.to_thread(_plain_text, answer))

    def _keep(self, key: tuple[str, Mode], kept: _Kept) -> None:
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT_PAGES:
            self._kept.popitem(last=False)

    async def _find(self, args: SearchWeb, _context: CallContext) -> ToolResult:
        service = self._search()
        query = args.query.strip()
        if not query:
            raise ToolError("There are no words to search for.")
        hits = await service.search(query, args.count)
        name = on_one_line(service.describe(), 100)
        if not hits:
            return ToolResult(ToolStatus.OK, f"{name} found nothing for this.", {"results": 0})
        listed = "\n\n".join(_listed(number, hit) for number, hit in enumerate(hits, start=1))
        heading = f"{len(hits)} results from {name}."
        return ToolResult(ToolStatus.OK, fenced(heading, listed), {"results": len(hits)})


def _refuse_what_is_no_text(answer: Fetched) -> None:
    """Raises ToolError that says what the address leads to instead."""
    place = answer.address.place
    sniffed = sniff(answer.body, "")
    if sniffed.kind is DocumentKind.PDF or answer.content_type == "application/pdf":
        raise ToolError(
            f"What {place} sent is a PDF document, not a page.",
            advice="The user can save it and attach it, and then it can be read.",
        )
    words = "a Word document" if sniffed.kind is DocumentKind.WORD else sniffed.words
    words = words or _NO_TEXT.get(answer.content_type.partition("/")[0], "")
    if words and answer.content_type != "image/svg+xml":
        raise ToolError(f"What {place} sent is {words}, not a page.")


def _is_html(answer: Fetched) -> bool:
    if answer.content_type in _HTML:
        return True
    is_open = answer.content_type in ("", "application/octet-stream")
    return is_open and sniff(answer.body, "").kind is DocumentKind.HTML


def _plain_text(answer: Fetched) -> str:
    try:
        return decode_page(answer.body, answer.charset).text
    except NotTextError:
        kind = on_one_line(answer.content_type, 60) or "data"
        raise ToolError(
            f"What {answer.address.place} sent is not text but data for a program ({kind})."
        ) from None


def _about(page: PageText) -> list[str]:
    said = (("Title", page.title), ("Author", page.author), ("Published", page.published))
    lines = [f"{name}: {on_one_line(text)}" for name, text in said if text.strip()]
    return [*lines, ""] if lines else []


def _listed(number: int, hit: SearchHit) -> str:
    lines = [f"{number}. {on_one_line(hit.title)}", f"   {on_one_line(hit.url, 2_000)}"]
    snippet = on_one_line(hit.snippet, 1_000)
    return "\n".join([*lines, f"   {snippet}"] if snippet else lines)


def _status(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase.lower()})"
    except ValueError:
        return str(status)
