"""How long the prompt was and how long it may be, read from a server's refusal. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ankita.integrations.models.server_words import ServerWords

_NUMBER = r"(?:about )?\(?(\d[\d,]{0,11})\)?"

_BOTH = tuple(
    re.compile(pattern.replace("#", _NUMBER))
    for pattern in (
        r"prompt is too long: # tokens > # maximum",
        r"input token count # exceeds the maximum number of tokens allowed #",
        r"prompt contains # tokens .{0,60}too large for model with # maximum context length",
        r"request \(?# tokens\)? exceeds the available context size \(?# tokens\)?",
        r"keep the first # tokens .{0,80}context length of only # tokens",
        r"passed # input tokens .{0,80}context length is only #",
    )
)
"""The prompt, then the room."""

_PROMPT = tuple(
    re.compile(pattern.replace("#", _NUMBER))
    for pattern in (
        r"\(# in the messages",
        r"\(# of text input",
        r"messages resulted in # tokens",
        r"your request has # input tokens",
        r"the request contains # tokens",
        r"you requested # tokens",
    )
)
"""The first that fits counts: the prompt alone stands before prompt and reply together."""

_ROOM = tuple(
    re.compile(pattern.replace("#", _NUMBER))
    for pattern in (
        r"maximum (?:context|prompt) length (?:is|of) #",
        r"available context size \(?#",
        r"context length (?:is|of)(?: only)? #",
        r"context limit: \d+ \+ \d+ > #",
    )
)


def context_figures(words: ServerWords) -> tuple[int | None, int | None]:
    """Tokens of the prompt and of the model's context; None where they are not told.

    Named fields are believed before the text.
    """
    used, room = _in_text(words.text)
    return words.numbers.get("n_prompt_tokens") or used, words.numbers.get("n_ctx") or room


def _in_text(text: str) -> tuple[int | None, int | None]:
    for pattern in _BOTH:
        if found := pattern.search(text):
            return _tokens(found[1]), _tokens(found[2])
    return _first(_PROMPT, text), _first(_ROOM, text)


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> int | None:
    matches = (pattern.search(text) for pattern in patterns)
    return next((_tokens(found[1]) for found in matches if found), None)


def _tokens(written: str) -> int | None:
    return int(written.replace(",", "")) or None
