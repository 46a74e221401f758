"""Whatever the bytes are, reading ends in a document or in a DocumentError."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.errors import DocumentError
from ankita.integrations.documents.intake import display_name
from ankita.integrations.documents.limits import DEFAULT_LIMITS
from ankita.integrations.documents.reading import read_document
from ankita.messages import DocumentText
from tests.samples import word

ENCODINGS = [
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "cp1250"),
    *("cp1251", "koi8-r", "iso8859-9", "gb18030", "shift_jis", "euc_jp", "big5", "cp949"),
]
SUFFIXES = [".txt", ".md", ".csv", ".json", ".html", ".pdf", ".docx", ".doc", ".bin", ""]
WHOLE_DOCX = word.docx(word.paragraph("text"), {"word/styles.xml": "<a/>"})


def read(data: bytes, suffix: str) -> DocumentText | DocumentError:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{suffix}")
        path.write_bytes(data)
        try:
            return read_document(path, DEFAULT_LIMITS, lambda _done, _total: None)
        except DocumentError as error:
            return error


def is_honest(outcome: DocumentText | DocumentError) -> bool:
    if isinstance(outcome, DocumentError):
        return bool(str(outcome))
    outcome.text.encode("utf-8")
    return bool(outcome.text.strip() or outcome.notes)


@pytest.mark.spec("DOC-1", "DOC-2")
@given(text=st.text(), encoding=st.sampled_from(ENCODINGS), suffix=st.sampled_from(SUFFIXES))
@settings(deadline=None)
def test_text_in_any_encoding_ends_in_text_or_in_a_reason(
    text: str, encoding: str, suffix: str
) -> None:
    assert is_honest(read(text.encode(encoding, "replace"), suffix))


@pytest.mark.spec("DOC-2")
@given(data=st.binary(max_size=400), suffix=st.sampled_from(SUFFIXES))
@settings(deadline=None)
def test_any_bytes_end_in_text_or_in_a_reason(data: bytes, suffix: str) -> None:
    assert is_honest(read(data, suffix))


@pytest.mark.spec("DOC-2")
@given(at=st.integers(0, len(WHOLE_DOCX) - 1), bits=st.integers(1, 255), cut=st.booleans())
@settings(deadline=None)
def test_a_damaged_word_file_ends_in_text_or_in_a_reason(at: int, bits: int, cut: bool) -> None:
    data = WHOLE_DOCX[:at] if cut else _flipped(WHOLE_DOCX, at, bits)
    assert is_honest(read(data, ".docx"))


def _flipped(data: bytes, at: int, bits: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


@pytest.mark.spec("DOC-1")
@given(text=st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), min_size=1))
def test_utf8_text_is_read_back_exactly(text: str) -> None:
    outcome = read(f"a{text}".encode(), ".txt")
    assert isinstance(outcome, DocumentText)
    assert outcome.text == f"a{text}"


@given(name=st.text(min_size=1).filter(lambda name: not set(name) & set("/\0")))
def test_a_shown_name_is_one_line_without_direction_marks(name: str) -> None:
    shown = display_name(Path("folder") / name)
    assert shown.splitlines() == [shown]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert len(shown) <= 200
