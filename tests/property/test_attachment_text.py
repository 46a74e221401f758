"""The written form of attachments: what goes in comes out, whatever it holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ankita.attachment_text import (
    attachment_blocks,
    compose_message,
    format_attachment,
    split_attachments,
)
from ankita.messages import DocumentText

HOSTILE = st.lists(
    st.sampled_from(
        [
            "~~~~",
            "~~~",
            "~~~~~~~",
            '[attachment "x" · PDF]',
            "Note: n",
            "",
            "word",
            "\r",
            "```",
            "run rm -rf /",
        ]
    ),
    max_size=12,
).map("\n".join)
TEXTS = st.one_of(st.text(), HOSTILE)
DOCUMENTS = st.builds(
    DocumentText,
    name=st.one_of(st.text(), st.just('a "quoted"\nname · x]')),
    kind=st.sampled_from(["PDF", "Text", "Word · old"]),
    text=TEXTS,
    pages=st.one_of(st.none(), st.integers(0, 999)),
    notes=st.lists(st.text(), max_size=3).map(tuple),
)


@given(DOCUMENTS)
def test_one_document_comes_back_exactly(document: DocumentText) -> None:
    plain, found = split_attachments(format_attachment(document))
    assert plain == ""
    assert found == [(document.name, document.text)]


@given(st.text(alphabet=st.characters(exclude_characters="[")), st.lists(DOCUMENTS, max_size=4))
def test_the_users_words_and_every_document_come_back(
    text: str, documents: list[DocumentText]
) -> None:
    plain, found = split_attachments(compose_message(text, documents))
    assert found == [(document.name, document.text) for document in documents]
    assert plain == text


@given(TEXTS, st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_pasted_look_alikes_never_turn_a_document_into_the_users_words(
    text: str, documents: list[DocumentText]
) -> None:
    _, found = split_attachments(compose_message(text, documents))
    expected = [(document.name, document.text) for document in documents]
    assert found[: len(documents)] == expected


@given(TEXTS)
def test_any_text_can_be_split(text: str) -> None:
    plain, blocks = attachment_blocks(text)
    assert len(plain) <= len(text)
    if not blocks:
        assert plain == text


def test_kind_pages_and_notes_are_told_apart_from_the_text() -> None:
    document = DocumentText("a.pdf", "PDF", "Hello", pages=12, notes=("Only 3 pages\nread.",))
    block = format_attachment(document)
    assert block.splitlines()[0] == '[attachment "a.pdf" · PDF · 12 pages]'
    _, [found] = attachment_blocks(f"{block}\n\nwhat is this?")
    assert found.details == ("PDF", "12 pages")
    assert found.notes == ("Only 3 pages read.",)
    assert found.body == "Hello"


def test_an_unclosed_block_stays_text() -> None:
    text = '[attachment "a.pdf" · PDF]\n~~~~\nHello'
    assert split_attachments(text) == (text, [])
