"""What a file is."""

from __future__ import annotations

import pytest

from ankita.integrations.documents.kinds import DocumentKind
from ankita.integrations.documents.sniff import LOCKED_OFFICE, Sniffed, name_note, sniff
from tests.samples import pdf, word

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def ole_with(stream: str) -> bytes:
    return OLE + f"{stream}\0".encode("utf-16-le")


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    ("data", "suffix", "kind"),
    [
        (pdf.text_pdf("a"), ".pdf", DocumentKind.PDF),
        (pdf.text_pdf("a"), ".txt", DocumentKind.PDF),
        (b"junk in front\n" + pdf.text_pdf("a"), ".pdf", DocumentKind.PDF),
        (b"How to find %PDF- in files", ".txt", DocumentKind.TEXT),
        (word.docx(""), ".docx", DocumentKind.WORD),
        (word.docx(""), ".doc", DocumentKind.WORD),
        (word.docx(""), "", DocumentKind.WORD),
        (b"PK\3\4 and nothing else", ".docx", DocumentKind.WORD),
        (b"# Title", ".md", DocumentKind.MARKDOWN),
        (b"a,b", ".csv", DocumentKind.CSV),
        (b"{}", ".json", DocumentKind.JSON),
        (b"text", ".html", DocumentKind.HTML),
        (b"<!DOCTYPE html><p>", ".pdf", DocumentKind.HTML),
        (b"\xef\xbb\xbf <!-- saved --> <html>", "", DocumentKind.HTML),
        (b"<html>", ".txt", DocumentKind.TEXT),
        (b"all: build", "", DocumentKind.TEXT),
        (b"text", ".docx", DocumentKind.TEXT),
    ],
)
def test_the_content_decides_and_the_suffix_tells_kinds_of_text_apart(
    data: bytes, suffix: str, kind: DocumentKind
) -> None:
    assert sniff(data, suffix) == Sniffed(kind)


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (word.zip_of({"xl/workbook.xml": ""}), "an Excel workbook"),
        (word.zip_of({"ppt/presentation.xml": ""}), "a PowerPoint presentation"),
        (
            word.zip_of({"mimetype": "application/vnd.oasis.opendocument.text"}),
            "an OpenDocument text",
        ),
        (word.zip_of({"a.txt": ""}), "a packed archive"),
        (b"PK\3\4 and nothing else", "a damaged packed file"),
        (ole_with("WordDocument"), "an old Word document"),
        (ole_with("WORDDOCUMENT"), "an old Word document"),
        (ole_with("Workbook"), "an old Excel workbook"),
        (ole_with("PowerPoint Document"), "an old PowerPoint presentation"),
        (ole_with("EncryptedPackage"), LOCKED_OFFICE),
        (OLE, "an old Office document"),
        (b"{\\rtf1 text}", "an RTF document"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"RIFF\0\0\0\0WEBPVP8", "a picture"),
        (b"\x7fELF\2", "a program"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, words: str) -> None:
    assert sniff(data, ".txt") == Sniffed(None, words)


def test_a_name_that_promises_something_else_is_told() -> None:
    note = name_note(DocumentKind.PDF, ".txt")
    assert note == "The name ends in .txt, but the content is PDF; it was read as that."
    assert name_note(DocumentKind.WORD, ".doc") is not None
    assert name_note(DocumentKind.HTML, ".pdf") is not None


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        (DocumentKind.PDF, ".pdf"),
        (DocumentKind.TEXT, ""),
        (DocumentKind.TEXT, ".unheard"),
        (DocumentKind.WORD, ".docm"),
        (DocumentKind.TEXT, ".py"),
    ],
)
def test_an_honest_or_unknown_name_needs_no_note(kind: DocumentKind, suffix: str) -> None:
    assert name_note(kind, suffix) is None
