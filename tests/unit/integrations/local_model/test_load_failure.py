"""Why a model did not start is told from how its process ended."""

from __future__ import annotations

import pytest

from ankita.integrations.local_model.child_words import (
    Order,
    decode_order,
    decode_ready,
    encode_order,
    encode_ready,
)
from ankita.integrations.local_model.load_failure import load_failure

pytestmark = pytest.mark.spec("PRV-9")


@pytest.mark.parametrize(
    ("returncode", "complaint", "words"),
    [
        (-4, "", "processor is too old"),
        (0xC000001D, "", "processor is too old"),
        (-9, "", "want of memory"),
        (1, "error: unknown model architecture: 'x'", "does not know models of its kind"),
        (1, "ggml: failed to allocate buffer", "not enough free memory"),
        (1, "ModuleNotFoundError: No module named 'xllamacpp'", "not installed"),
        (1, "open: No such file or directory", "can't be opened"),
        (-11, "", "could not load its file"),
        (None, "", "could not load its file"),
    ],
)
def test_each_reason_is_a_plain_sentence(
    returncode: int | None, complaint: str, words: str
) -> None:
    error = load_failure("Small", returncode, complaint)
    assert error.message.startswith("Small could not be started: ")
    assert words in error.message
    assert error.advice


def test_an_order_arrives_as_it_was_given_and_shows_no_key() -> None:
    order = Order("/models/Größe 1.gguf", 4_096, 3, "the-key")
    line = encode_order(order)
    assert line.count(b"\n") == 1
    assert decode_order(line) == order
    assert "the-key" not in repr(order)


def test_only_an_address_of_this_machine_is_an_answer() -> None:
    good = "http://127.0.0.1:40123"
    assert decode_ready(encode_ready(good)) == good
    bad = ["http://127.0.0.1:0", "http://127.0.0.1:99999", "http://127.0.0.1:1@x.test:80", "x"]
    assert [decode_ready(encode_ready(each)) for each in bad] == [None] * 4
    assert [decode_ready(line) for line in (b"", b"[]", b"{}", b'{"address": 7}')] == [None] * 4
