"""The text of PDFs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ankita.errors import UnreadableDocumentError
from ankita.integrations.documents import pdf_text
from ankita.integrations.documents.extracted import Extracted
from ankita.integrations.documents.limits import DEFAULT_LIMITS, DocumentLimits
from tests.samples import pdf


def read(data: bytes, limits: DocumentLimits = DEFAULT_LIMITS) -> Extracted:
    return pdf_text.read(data, "a.pdf", limits, lambda _done, _total: None)


@pytest.mark.spec("DOC-1")
def test_each_page_stands_under_its_number() -> None:
    found = read(pdf.text_pdf("One\nmore (line)", "", "Three"))
    assert found.text == "[page 1]\nOne\nmore (line)\n\n[page 3]\nThree"
    assert found.pages == 3


@pytest.mark.spec("DOC-1")
def test_a_scan_is_said_to_be_one() -> None:
    found = read(pdf.scanned_pdf())
    assert found.text == ""
    assert found.notes == (
        "There is no text in this PDF: its pages are pictures, as from a scanner.",
    )


@pytest.mark.spec("DOC-1")
def test_scanned_pages_among_others_are_named() -> None:
    picture = b"q 500 0 0 700 40 40 cm /Im Do Q"
    found = read(pdf.pdf_of([picture, pdf.shown("text"), picture]))
    assert found.notes == ("Pages 1, 3: only pictures, as from a scanner, without text.",)


def test_drawings_without_text_are_not_called_a_scan() -> None:
    found = read(pdf.pdf_of([b"0 0 m 100 100 l S"]))
    assert found.notes == ("There is no text in this PDF, only drawings or empty pages.",)


@pytest.mark.spec("DOC-1")
def test_pages_over_the_limit_are_cut_with_a_note() -> None:
    found = read(pdf.text_pdf(*"abcde"), replace(DEFAULT_LIMITS, pages=2))
    assert (found.text, found.pages) == ("[page 1]\na\n\n[page 2]\nb", 5)
    assert found.notes == ("Only the first 2 of 5 pages were read.",)


@pytest.mark.spec("DOC-1")
def test_no_more_pages_are_read_than_characters_are_wanted() -> None:
    found = read(pdf.text_pdf(*["many words"] * 9), replace(DEFAULT_LIMITS, characters=25))
    assert found.notes == ("The text is long, so only pages 1 to 3 were read.",)


@pytest.mark.spec("DOC-2")
def test_a_slow_pdf_keeps_the_pages_read_so_far() -> None:
    found = read(pdf.text_pdf(*"abc"), replace(DEFAULT_LIMITS, seconds=0))
    assert found.text == "[page 1]\na"
    assert found.notes == ("Reading took too long and stopped after page 1 of 3.",)


@pytest.mark.spec("DOC-2")
def test_a_page_count_that_lies_does_not_matter() -> None:
    found = read(pdf.pdf_of([pdf.shown("one")], claimed_pages=1_000_000_000))
    assert found.text == "[page 1]\none"


@pytest.mark.spec("DOC-1")
def test_a_locked_pdf_is_a_plain_reason() -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read(pdf.locked_pdf())
    assert str(caught.value) == "a.pdf is locked with a password."
    assert caught.value.advice


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"x" * 5000])
def test_a_broken_pdf_is_a_plain_reason(data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError, match="damaged or not really a PDF"):
        read(data)


def widget(name: bytes, value: bytes) -> bytes:
    return b"<< /Type /Annot /Subtype /Widget /FT /Tx /Rect [0 0 9 9] /T (%s) /V (%s) >>" % (
        name,
        value,
    )


@pytest.mark.spec("DOC-1")
def test_filled_in_fields_and_notes_are_read_and_empty_fields_are_not() -> None:
    note = b"<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (please sign) >>"
    boxes = [widget(b"Name", b"Ada"), widget(b"Town", b""), note]
    found = read(pdf.pdf_of([pdf.shown("Form")], annotations=boxes))
    assert found.text == "[page 1]\nForm\n[field Name: Ada]\n[note: please sign]"


def test_a_stamp_without_words_is_said_to_be_left_out() -> None:
    stamp = b"<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] >>"
    found = read(pdf.pdf_of([pdf.shown("Form")], annotations=[stamp]))
    assert found.notes == ("Page 1: stamps or notes without text were left out.",)


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [("line\r\nnext", "line\nnext"), ("exam\ufffe\r\nple", "example"), ("a\x15b", "ab")],
)
def test_line_ends_broken_words_and_controls_are_tidied(raw: str, tidied: str) -> None:
    assert pdf_text.tidy(raw) == tidied
