"""Word documents as Markdown."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import pytest

from ankita.errors import DocumentTooLargeError, UnreadableDocumentError
from ankita.integrations.documents import word_text
from ankita.integrations.documents.extracted import Extracted
from ankita.integrations.documents.limits import DEFAULT_LIMITS, DocumentLimits
from tests.samples import word
from tests.samples.word import docx, paragraph, part_xml


def read(data: bytes, limits: DocumentLimits = DEFAULT_LIMITS) -> Extracted:
    return word_text.read(data, "a.docx", limits, lambda _done, _total: None)


@pytest.mark.spec("DOC-1")
def test_paragraphs_and_tables_become_markdown() -> None:
    cell = f"<w:tc>{paragraph('x')}</w:tc>"
    found = read(docx(paragraph("First") + f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>"))
    assert found.text == "First\n\n| x | x |\n| --- | --- |"
    assert found.notes == ()


@pytest.mark.spec("DOC-1")
def test_text_inside_simple_fields_is_kept() -> None:
    field = '<w:p><w:fldSimple w:instr="REF a"><w:r><w:t>kept</w:t></w:r></w:fldSimple></w:p>'
    assert read(docx(field)).text == "kept"


@pytest.mark.spec("DOC-1")
def test_comments_and_footnotes_are_in_the_text() -> None:
    body = (
        "<w:p><w:r><w:t>said</w:t></w:r><w:r><w:commentReference w:id='1'/></w:r>"
        "<w:r><w:footnoteReference w:id='7'/></w:r></w:p>"
    )
    more = {
        "word/comments.xml": part_xml(
            "comments",
            f"<w:comment w:id='1' w:initials='AL'>{paragraph('doubtful')}</w:comment>",
        ),
        "word/footnotes.xml": part_xml(
            "footnotes", f"<w:footnote w:id='7'>{paragraph('a source')}</w:footnote>"
        ),
    }
    found = read(docx(body, more))
    assert "doubtful" in found.text
    assert "a source" in found.text
    assert "#comment" not in found.text
    assert "↑" not in found.text
    assert found.notes == ()


DELETION = "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
INSERTION = "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
FORMULA = "<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>"
BOXED = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
BOX = f"<w:drawing><wp:inline><wps:txbx>{BOXED}</wps:txbx></wp:inline></w:drawing>"
TWIN = f"<w:pict><v:shape><v:textbox>{BOXED}</v:textbox></v:shape></w:pict>"
CHANGES_NOTE = "There are tracked changes: insertions are in the text, deletions were left out."
HEADING = paragraph("one").replace("<w:r>", '<w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r>')
CHUNK = "<w:altChunk r:id='rId9'/>"


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    ("body", "note"),
    [
        (DELETION, CHANGES_NOTE),
        (FORMULA, "Formulas were left out (1)."),
        (f"<w:p><w:r>{BOX}</w:r></w:p>", "Text boxes were left out (1)."),
        (CHUNK, "Documents inserted into this one were left out (1)."),
    ],
)
def test_what_is_lost_is_said(body: str, note: str) -> None:
    found = read(docx(paragraph("rest") + INSERTION + body))
    assert found.text == "rest\n\nnew"
    assert found.notes == (note,)


@pytest.mark.spec("DOC-1")
def test_a_text_box_that_older_programs_can_read_is_in_the_text() -> None:
    choice = f'<mc:Choice Requires="wps">{BOX}</mc:Choice><mc:Fallback>{TWIN}</mc:Fallback>'
    body = f"<w:p><w:r><mc:AlternateContent>{choice}</mc:AlternateContent></w:r></w:p>"
    found = read(docx(body))
    assert (found.text, found.notes) == ("boxed", ())


@pytest.mark.spec("DOC-1")
def test_headers_with_text_and_comments_without_a_place_are_said_to_be_lost() -> None:
    more = {
        "word/header1.xml": part_xml("hdr", paragraph("Draft")),
        "word/footer1.xml": part_xml("ftr", "<w:p/>"),
        "word/comments.xml": part_xml("comments", "<w:comment w:id='1'/>"),
    }
    assert read(docx(paragraph("x"), more)).notes == (
        "Page headers and footers were left out.",
        "Comments without a place in the text were left out (1).",
    )


def test_a_document_without_text_says_so() -> None:
    assert read(docx("")).notes == ("There is no text in this document.",)


@pytest.mark.spec("DOC-1")
def test_a_very_long_document_is_read_without_its_layout_and_says_so() -> None:
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in "ab")
    body = HEADING + paragraph("two") + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>" + DELETION
    found = read(docx(body), replace(DEFAULT_LIMITS, rich_word_bytes=10))
    assert found.text.split("\n")[:3] == ["## one", "two", "a | b | "]
    assert "gone" not in found.text
    assert "very long" in found.notes[0]


def test_a_damaged_side_part_is_left_out_with_a_note() -> None:
    found = read(docx(paragraph("x"), {"word/styles.xml": "<w:styles"}))
    assert found.text == "x"
    assert found.notes == ("Damaged parts of the file were left out: word/styles.xml.",)


@pytest.mark.parametrize(
    "data",
    [
        b"PK\3\4",
        word.zip_of({"[Content_Types].xml": word.CONTENT_TYPES}),
        docx("", {"word/document.xml": "<w:document"}),
        docx("", {"word/document.xml": ""}),
        docx("", {"word/document.xml": "<a/>"})[:-30],
    ],
)
def test_a_broken_file_is_a_plain_reason(data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError, match="damaged or not really a Word document"):
        read(data)


@pytest.mark.spec("DOC-2")
def test_exploding_entities_are_refused_in_any_part() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    with pytest.raises(UnreadableDocumentError, match="document type declaration"):
        read(docx(paragraph("x"), {"customXml/item1.xml": laughs}))


@pytest.mark.spec("DOC-2")
def test_xml_nested_without_end_is_refused() -> None:
    deep = "<w:sdt>" * 5000 + "</w:sdt>" * 5000
    with pytest.raises(UnreadableDocumentError, match="nested more than 250 deep"):
        read(docx(deep))


@pytest.mark.spec("DOC-2")
def test_real_unpacked_bytes_are_counted_over_all_parts_together() -> None:
    parts = {f"word/extra{number}.xml": "<a>" + "x" * 1000 + "</a>" for number in range(10)}
    with pytest.raises(DocumentTooLargeError, match="more than 5 kB"):
        read(docx("", parts), replace(DEFAULT_LIMITS, unpacked_bytes=5000))


@pytest.mark.spec("DOC-2")
@pytest.mark.parametrize("claimed", [10, 4_000_000_000])
def test_a_header_that_lies_about_the_size_changes_nothing(claimed: int) -> None:
    honest = docx("", {"word/document.xml": word.document_xml(paragraph("x" * 9000))})
    lying = word.with_lying_size(honest, "word/document.xml", claimed)
    assert lying != honest
    limits = replace(DEFAULT_LIMITS, unpacked_bytes=5000)
    with pytest.raises((UnreadableDocumentError, DocumentTooLargeError)):
        read(lying, limits)


@pytest.mark.spec("DOC-2")
def test_too_many_entries_are_refused() -> None:
    parts = {f"media/{number}.png": b"" for number in range(50)}
    with pytest.raises(DocumentTooLargeError, match="40 parts"):
        read(docx("", parts), replace(DEFAULT_LIMITS, archive_entries=40))


@pytest.mark.spec("DOC-2")
def test_packages_inside_the_package_are_not_opened() -> None:
    bomb = word.bomb_docx(1_000_000)
    found = read(docx(paragraph("x"), {"word/embeddings/inner.docx": bomb}))
    assert found.text == "x"


@pytest.mark.spec("DOC-2")
def test_names_that_climb_out_of_the_package_are_only_names() -> None:
    found = read(docx(paragraph("x"), {"..\\..\\evil.xml": "<a/>", "/abs.xml": "<a/>"}))
    assert found.text == "x"


def test_a_packing_method_that_word_never_uses_is_refused() -> None:
    parts = {"_rels/.rels": word.RELATIONS, "word/document.xml": word.document_xml("")}
    with pytest.raises(UnreadableDocumentError):
        read(word.zip_of(parts, zipfile.ZIP_BZIP2))
