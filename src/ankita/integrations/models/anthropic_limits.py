"""Reads how long a reply may be out of a server's refusal of `max_tokens`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

MIN_REPLY_TOKENS = 256
"""A shorter reply than this is not worth asking for; the thread is too long then."""

_NUMBER = r"`?(\d{1,9})`?"
_WITH_PROMPT = re.compile(rf"{_NUMBER} ?\+ ?{_NUMBER} ?> ?{_NUMBER}")
"""prompt + reply > context"""
_WITHOUT_PROMPT = re.compile(rf"{_NUMBER} ?> ?{_NUMBER} ?- ?{_NUMBER}")
"""reply > context - prompt"""
_OVER = re.compile(rf"{_NUMBER} ?> ?{_NUMBER}")
"""reply > limit of the model"""
_RANGE = re.compile(rf"\[ ?\d+ ?, ?{_NUMBER} ?\]")
_AT_MOST = re.compile(rf"(?:at most|up to|less than or equal to|<=) ?{_NUMBER}")


@dataclass(frozen=True, slots=True)
class ReplyLimit:
    """`is_of_the_model`: it holds for every request, whatever its prompt."""

    tokens: int
    is_of_the_model: bool


def reply_limit(text: str, asked: int) -> ReplyLimit | None:
    """The limit that a refusal (in lower case) names, when it is one that helps.

    None when it names none, when less than MIN_REPLY_TOKENS would be left, and when
    the limit is not below the `asked` tokens.
    """
    if "max_tokens" not in text:
        return None
    limit = _named(text)
    return limit if limit is not None and MIN_REPLY_TOKENS <= limit.tokens < asked else None


def _named(text: str) -> ReplyLimit | None:
    if found := _WITH_PROMPT.search(text):
        prompt, _, context = map(int, found.groups())
        return ReplyLimit(context - prompt, is_of_the_model=False)
    if found := _WITHOUT_PROMPT.search(text):
        _, context, prompt = map(int, found.groups())
        return ReplyLimit(context - prompt, is_of_the_model=False)
    if found := _OVER.search(text):
        return ReplyLimit(int(found[2]), is_of_the_model=True)
    if found := _RANGE.search(text) or _AT_MOST.search(text):
        return ReplyLimit(int(found[1]), is_of_the_model=True)
    return None
