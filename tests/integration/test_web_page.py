"""Pages become Markdown in a child process, whatever they hold."""

from __future__ import annotations

import asyncio
import sys

import pytest

from ankita.errors import ToolError, ToolTimeoutError
from ankita.integrations.native.web_page import PageLimits, PageReader, PageText
from tests.children import Children

pytestmark = pytest.mark.spec("TOL-3")

URL = "https://example.org/news/today"
PARAGRAPHS = "".join(
    f"<p>The harbour was quiet on day {day}, and the boats, as always, came home late.</p>"
    for day in range(12)
)
ARTICLE = f"""<!doctype html><html><head><title>Boats &amp; tides</title>
<meta name="author" content="Ann Lee"><meta property="article:published_time" content="2026-05-01">
<style>.x{{color:red}}</style><script>var a = "SCRIPT";</script></head>
<body><nav><ul><li><a href="/home">Home menu</a></li></ul></nav>
<article><h1>Boats</h1>{PARAGRAPHS}
<p>See <a href="../tides?d=1">the tides</a>.</p>
<table><tr><th>Day</th><th>Boats</th></tr><tr><td>1</td><td>17</td></tr></table>
<p hidden>HIDDEN-1</p><p style="display : NONE">HIDDEN-2</p>
<div style="color:red; visibility:hidden"><b>HIDDEN-3</b></div>
<span style="font-size:0px">HIDDEN-4</span><i style="opacity:0.0">HIDDEN-5</i>
<!-- HIDDEN-6 --><template>HIDDEN-7</template><noscript>HIDDEN-8</noscript>
<input type="hidden" value="HIDDEN-9"><dialog>HIDDEN-10</dialog><svg><text>HIDDEN-11</text></svg>
<em style="opacity:0.9; font-size:0.8em">faint but seen</em> after the hidden
</article><footer>Imprint footer</footer></body></html>"""


async def read(page: str | bytes, charset: str = "", *, whole: bool = False) -> PageText:
    body = page.encode("utf-8") if isinstance(page, str) else page
    return await PageReader().read(body, charset, URL, whole=whole)


async def test_the_main_text_is_kept_and_the_rest_named() -> None:
    page = await read(ARTICLE)
    assert (page.title, page.author, page.published) == ("Boats & tides", "Ann Lee", "2026-05-01")
    assert "The harbour was quiet on day 7" in page.text
    assert "[the tides](https://example.org/tides?d=1)" in page.text
    assert "| 1 | 17 |" in page.text
    assert "Home menu" not in page.text
    assert "Imprint footer" not in page.text
    assert any("whole" in note for note in page.notes)


async def test_the_whole_page_has_menus_too() -> None:
    page = await read(ARTICLE, whole=True)
    assert "[Home menu](https://example.org/home)" in page.text
    assert "# Boats" in page.text
    assert "Imprint footer" in page.text


@pytest.mark.parametrize("whole", [True, False])
async def test_what_is_hidden_never_appears(whole: bool) -> None:
    page = await read(ARTICLE, whole=whole)
    assert "HIDDEN" not in page.text
    assert "SCRIPT" not in page.text
    assert "faint but seen" in page.text
    assert "after the hidden" in page.text


@pytest.mark.parametrize(
    "style",
    [
        "display:/**/none",
        "color:red;/*;*/visibility:/*x*/hidden",
        "d\\69splay:none",
        "display:\\6e one",
    ],
)
async def test_a_style_written_so_that_only_a_browser_reads_it_hides_all_the_same(
    style: str,
) -> None:
    page = await read(f"<p>before</p><p style='{style}'>HIDDEN</p><p>after</p>", whole=True)
    assert page.text.split() == ["before", "after"]


async def test_a_page_without_a_main_text_is_given_whole() -> None:
    links = "".join(f"<li><a href='/{n}'>Topic {n}</a></li>" for n in range(40))
    page = await read(f"<title>Index</title><ul>{links}</ul>")
    assert page.text.count("Topic") == 40


@pytest.mark.parametrize("whole", [True, False])
async def test_a_page_that_never_closes_its_head_is_read(whole: bool) -> None:
    page = await read("<meta charset=utf-8><title>T</title><main>1<p>2</main>3", whole=whole)
    assert page.title == "T"
    assert page.text.split() == ["1", "2", "3"]


@pytest.mark.parametrize("page", ["", "   ", "<!-- -->", "<html></html>"])
async def test_an_empty_page_is_empty(page: str) -> None:
    assert (await read(page)).text == ""


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("<p>Größe naïve</p>".encode("cp1252"), "iso-8859-1"),
        ("<p>Größe naïve</p>".encode(), ""),
        ("<p>Größe naïve</p>".encode(), "iso-8859-1"),
        ("<p>Größe naïve</p>".encode("utf-8-sig"), ""),
        ("<p>Größe naïve</p>".encode("utf-16"), ""),
        (b"<p>\xff broken</p>" + "<p>Größe naïve</p>".encode(), "utf-8"),
        ('<meta charset="windows-1252"><p>Größe naïve</p>'.encode("cp1252"), ""),
    ],
)
async def test_the_encoding_is_found(body: bytes, charset: str) -> None:
    assert "Größe naïve" in (await read(body, charset)).text


@pytest.mark.parametrize(
    ("text", "encoding", "charset"),
    [
        ("日本語のページです。", "shift_jis", "Shift_JIS"),
        ("这是一个中文网页。", "gb18030", "gb2312"),
        ("Это русская страница.", "koi8_r", "koi8-r"),
    ],
)
@pytest.mark.parametrize("is_in_page", [True, False])
async def test_a_declared_encoding_counts(
    text: str, encoding: str, charset: str, is_in_page: bool
) -> None:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
    page = f"{meta if is_in_page else ''}<p>{text}</p>".encode(encoding)
    assert text in (await read(page, "" if is_in_page else charset)).text


async def child_started(new_children: Children) -> None:
    async with asyncio.timeout(10):
        while not new_children():  # noqa: ASYNC110 - nothing tells of a process
            await asyncio.sleep(0.01)


HOSTILE = {
    "nested": b"<div>" * 100_000 + b"deep",
    "nested and closed": b"<div>" * 100_000 + b"deep" + b"</div>" * 100_000,
    "misnested": b"<b><i><u><a>" * 30_000,
    "tables": b"<table><tr><td>" * 50_000,
    "5 MB of tags": b"<p>" * 1_650_000,
    "one long tag": b"<p " + b"a=b " * 1_200_000 + b">seen",
    "only brackets": b"<" * 5_000_000,
    "only references": b"&" * 5_000_000,
    "many words": b"word, word " * 450_000,
    "many links": b"<a href=x>y</a>" * 39_000,
    "unclosed comment": b"seen<!--" + b"-" * 5_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_page_ends_within_its_time(name: str, new_children: Children) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    try:
        async with asyncio.timeout(30):
            page = await PageReader(PageLimits(seconds=20)).read(
                HOSTILE[name], "", URL, whole=False
            )
            assert len(page.text) <= 1_000_000
    except ToolError:
        pass
    finally:
        ticking.cancel()
    assert ticks > 3, "the loop stood still"
    assert not new_children()


async def test_hidden_words_stay_hidden_where_the_layout_is_given_up() -> None:
    page = await read("<p>seen</p><p hidden>HIDDEN</p>" + "<br>" * 50_000)
    assert page.text == "seen"
    assert "layout" in page.notes[0]


async def test_what_lies_too_deep_is_said_to_be_missing() -> None:
    page = await read("<p>top</p>" + "<div>" * 5_000 + "deep")
    assert "top" in page.text
    assert any("could not be read at all" in note for note in page.notes)


async def test_a_reader_that_hangs_is_ended(new_children: Children) -> None:
    hangs = [sys.executable, "-c", "import time; time.sleep(600)"]
    reader = PageReader(PageLimits(seconds=0.5), worker_command=hangs)
    with pytest.raises(ToolTimeoutError):
        await reader.read(b"x" * 1_000_000, "", URL, whole=False)
    assert not new_children()


@pytest.mark.parametrize("answer", ["", "nonsense", "[]", '{"title": 1}', '{"problem": 5}', "null"])
async def test_a_reader_that_was_taken_over_is_not_believed(answer: str) -> None:
    says = [sys.executable, "-c", f"print({answer!r})"]
    with pytest.raises(ToolError, match="could not be read"):
        await PageReader(worker_command=says).read(b"x", "", URL, whole=False)


async def test_a_reader_that_never_stops_talking_is_ended() -> None:
    talks = [sys.executable, "-c", "while True: print('x' * 100_000)"]
    reader = PageReader(PageLimits(reply_bytes=1_000_000), worker_command=talks)
    with pytest.raises(ToolError, match="more text than can be taken"):
        await reader.read(b"x", "", URL, whole=False)


async def test_a_stop_ends_the_reader(new_children: Children) -> None:
    hangs = [sys.executable, "-c", "import time; time.sleep(600)"]
    reading = asyncio.create_task(PageReader(worker_command=hangs).read(b"x", "", URL, whole=False))
    await child_started(new_children)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not new_children()
