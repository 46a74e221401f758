"""The words between the reader and its child."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.errors import DocumentTooLargeError, UnreadableDocumentError, UnsupportedDocumentError
from ankita.integrations.documents.limits import DEFAULT_LIMITS
from ankita.integrations.documents.wire import (
    MalformedReplyError,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
)
from ankita.messages import DocumentText


@pytest.mark.parametrize("name", ["plain", "ü\n\u202e\U0001f600", "caf\udce9"])
def test_a_request_arrives_as_it_was_sent(name: str) -> None:
    assert decode_request(encode_request(Path(name), DEFAULT_LIMITS)) == (
        Path(name),
        DEFAULT_LIMITS,
    )


def test_a_document_arrives_as_it_was_sent() -> None:
    document = DocumentText("a", "PDF", "text\n\U0001f600", 3, None, ("one", "two"))
    assert decode_reply(encode_reply(document)) == document


def test_progress_arrives_as_it_was_sent() -> None:
    assert decode_reply(encode_reply((3, 7))) == (3, 7)


@pytest.mark.parametrize(
    "kind", [UnsupportedDocumentError, DocumentTooLargeError, UnreadableDocumentError]
)
def test_an_error_keeps_its_class_and_its_words(kind: type[UnreadableDocumentError]) -> None:
    reply = decode_reply(encode_reply(kind("It is so.", advice="Do that.")))
    assert type(reply) is kind
    assert reply.sentence() == "It is so. Do that."


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"3",
        b"{}",
        b"\xff",
        b'{"progress": [1]}',
        b'{"progress": [1, true]}',
        b'{"progress": [-1, 2]}',
        b'{"error": "SystemExit", "message": "", "advice": ""}',
        b'{"error": ["x"], "message": "", "advice": ""}',
        b'{"result": {"name": "a"}}',
        b'{"result": {"name": "", "kind": "", "text": 3, "pages": 1, "encoding": "", "notes": ""}}',
        b"[" * 100_000,
    ],
)
def test_a_line_that_no_sound_child_writes_is_refused(line: bytes) -> None:
    with pytest.raises(MalformedReplyError):
        decode_reply(line)
