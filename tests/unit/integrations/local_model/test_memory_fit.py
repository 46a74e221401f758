"""How much context a model gets, and when it gets none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ankita.errors import ModelUnavailableError
from ankita.integrations.local_model.gguf_file import GgufInfo
from ankita.integrations.local_model.memory_fit import (
    MAX_CONTEXT_TOKENS,
    MIN_CONTEXT_TOKENS,
    STEP_TOKENS,
    context_tokens,
    thread_count,
)

pytestmark = pytest.mark.spec("PRV-9")

GIGABYTE = 10**9
MODEL = GgufInfo("Small", "qwen3", 2 * GIGABYTE, 1, 40_960, 114_688, True, True)


@pytest.mark.parametrize(("cores", "threads"), [(None, 1), (1, 1), (2, 1), (4, 3), (16, 15)])
def test_one_core_is_left_for_everything_else(cores: int | None, threads: int) -> None:
    assert thread_count(cores) == threads


def test_much_memory_gives_the_most() -> None:
    assert context_tokens(MODEL, 64 * GIGABYTE) == MAX_CONTEXT_TOKENS


def test_a_model_gets_no_more_than_it_was_made_for() -> None:
    small = replace(MODEL, context_tokens=2_048)
    assert context_tokens(small, 64 * GIGABYTE) == 2_048


def test_an_unknown_context_is_taken_as_the_least() -> None:
    assert context_tokens(replace(MODEL, context_tokens=None), 64 * GIGABYTE) == 4_096


def test_little_memory_gives_less_in_even_steps() -> None:
    tokens = context_tokens(MODEL, 4 * GIGABYTE)
    assert MIN_CONTEXT_TOKENS < tokens < MAX_CONTEXT_TOKENS
    assert tokens % STEP_TOKENS == 0
    assert tokens * 114_688 + MODEL.file_bytes < 4 * GIGABYTE


def test_a_model_that_does_not_fit_is_refused_with_figures() -> None:
    with pytest.raises(ModelUnavailableError, match=r"needs 3\.\d GB, and 3\.0 GB are free"):
        context_tokens(MODEL, 3 * GIGABYTE)
