"""A refusal that names how long a reply may be is understood, and only such a one."""

from __future__ import annotations

import pytest

from ankita.integrations.models.anthropic_limits import ReplyLimit, reply_limit

pytestmark = pytest.mark.spec("PRV-6")


@pytest.mark.parametrize(
    ("text", "tokens", "is_of_the_model"),
    [
        ("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for x",
         8192, True),
        ("input length and `max_tokens` exceed context limit: 188240 + 16384 > 200000, decrease",
         11760, False),
        ("'max_tokens' is too large: 16384. this model's maximum context length is 4096 tokens "
         "and your request has 10 input tokens (16384 > 4096 - 10).", 4086, False),
        ("invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192, True),
        ("max_tokens must be less than or equal to `4096`", 4096, True),
        ("max_tokens may be at most 4096", 4096, True),
    ],
)  # fmt: skip
def test_the_limit_is_read(text: str, tokens: int, is_of_the_model: bool) -> None:
    assert reply_limit(text, 16_384) == ReplyLimit(tokens, is_of_the_model)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "max_tokens: field required",
        "max_tokens is not known here",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "max_tokens: 16384 > 20000",
        "input length and `max_tokens` exceed context limit: 199990 + 16384 > 200000",
        "input length and `max_tokens` exceed context limit: 250000 + 16384 > 200000",
    ],
)
def test_what_names_no_usable_limit_changes_nothing(text: str) -> None:
    assert reply_limit(text, 16_384) is None
