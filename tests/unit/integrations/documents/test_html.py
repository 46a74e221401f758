"""HTML as Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ankita.integrations.documents import html_text
from ankita.integrations.documents.extracted import Extracted
from ankita.integrations.documents.limits import DEFAULT_LIMITS, DocumentLimits


def read(page: str | bytes, limits: DocumentLimits = DEFAULT_LIMITS) -> Extracted:
    data = page.encode() if isinstance(page, str) else page
    return html_text.read(data, limits, lambda _done, _total: None)


@pytest.mark.spec("DOC-1")
def test_headings_lists_links_tables_and_code_become_markdown() -> None:
    page = (
        "<html><head><title>The  page</title></head><body><h2>Part</h2><ul><li>one<li>two</ul>"
        "<p>See <a href='https://a.example/x_y'>this_name</a>.</p><pre>if x:\n    y</pre>"
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    )
    text = read(page).text
    assert text.startswith("The page\n\n## Part\n\n")
    for piece in (
        "- one",
        "[this_name](https://a.example/x_y)",
        "```\nif x:\n    y\n```",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ):
        assert piece in text


@pytest.mark.spec("DOC-1")
def test_what_a_reader_does_not_see_is_left_out() -> None:
    page = (
        "<style>p {}</style><p>seen</p><script>alert(1)</script><!-- aside -->"
        "<template>t</template><img src='data:image/png;base64,AAAA' alt='a cat'>"
        "<a href='javascript:run()'>press</a><svg><title>drawing</title></svg>"
    )
    assert read(page).text.split() == ["seen", "[picture:", "a", "cat]press"]


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    ("declared", "written_in"), [("windows-1251", "cp1251"), ("KOI8-R", "koi8-r")]
)
def test_a_declared_encoding_is_believed_where_the_bytes_leave_it_open(
    declared: str, written_in: str
) -> None:
    page = f"<meta charset='{declared}'><p>Да</p>".encode(written_in)
    found = read(page)
    assert (found.text, found.encoding, found.notes) == ("Да", written_in, ())


def test_utf8_that_claims_to_be_something_else_is_read_as_utf8() -> None:
    assert read("<meta charset='iso-8859-1'><p>Größe</p>").text == "Größe"


@pytest.mark.spec("DOC-2")
def test_a_page_nested_without_end_keeps_its_plain_text_and_says_so() -> None:
    found = read("<div>" * 20_000 + "<p>at the bottom")
    assert found.text == "at the bottom"
    assert "nested very deeply" in found.notes[0]


@pytest.mark.spec("DOC-1")
def test_a_very_long_page_keeps_its_text_without_its_layout_and_says_so() -> None:
    page = (
        "<title>T</title><script>if (a < b) { '</p>' }</script><h1>Head</h1><p>a &amp; <b>b</b>"
        "<ul><li>one<li>two</ul><table><tr><td>x<td>y<tr><td>z</table><svg><text>s</svg> end"
    )
    found = read(page, replace(DEFAULT_LIMITS, rich_characters=10))
    assert found.text == "T\nHead\na & b\none\ntwo\nx | y\nz\nend"
    (note,) = found.notes
    assert note == "This document is very long, so its layout and its links were left out."


@pytest.mark.spec("DOC-2")
def test_a_page_that_goes_on_and_on_is_not_read_to_its_end() -> None:
    found = read("<p>abc</p>" * 100_000, replace(DEFAULT_LIMITS, rich_characters=10, characters=9))
    assert found.notes[1].endswith("of 1,000,000 characters of its source were read.")
    assert len(found.text) < 100_000


def test_a_page_without_text_says_so() -> None:
    assert read("<script>1</script>").notes == ("There is no text on this page.",)
