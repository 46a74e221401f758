"""What a model server's error body says, whatever shape it has.

Bodies come as an object, an array, a bare text, a text with JSON inside, or an
object wrapped in another one; all of them are walked the same way. Pure.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from ankita.messages import Json

MAX_ERROR_BYTES = 16_384
"""The most of an error body that is read."""

MAX_RETRY_AFTER_SECONDS = 3600.0
"""A longer wait than this is not believed."""

MAX_QUOTED_CHARACTERS = 200
"""The most of a server's own words that is shown."""

_MAX_DEPTH = 8
_SECRET_WINDOW = 8

_CODE_FIELDS = frozenset({"code", "type", "status", "reason", "limit_source", "param"})
_TEXT_FIELDS = frozenset({"message", "detail", "title", "msg", "raw", "error", "error_description"})
_NUMBER_FIELDS = frozenset({"n_prompt_tokens", "n_ctx"})

_TRY_AGAIN = re.compile(r"(?:try again|retry) in\s+", re.IGNORECASE)
_DURATION_PART = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s*(ms|h|m|s)[a-z]*\s*", re.IGNORECASE)
_UNIT_SECONDS = {"ms": 0.001, "h": 3600.0, "m": 60.0, "s": 1.0}


@dataclass(slots=True)
class ServerWords:
    """What was found. `codes` and the names of `fields` are in lower case.

    `numbers` keeps named figures.
    """

    codes: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    retry_delays: list[str] = field(default_factory=list)
    fields: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """All texts, joined, in lower case."""
        return " ".join(self.texts).lower()

    def status_code(self) -> int | None:
        """An HTTP status that the body gives in a code field, never in its text."""
        known = {str(number): number for number in range(400, 600)}
        return next((known[code] for code in sorted(self.codes) if code in known), None)

    def quoted(self, secret: str) -> str:
        """The server's own words for the user: one short plain line, or nothing.

        Nothing at all when they hold any part of `secret`.
        """
        first = self.texts[0] if self.texts else ""
        if first.lstrip().startswith("<"):
            return ""  # a proxy's error page
        visible = (" " if unicodedata.category(c)[0] in "CZ" else c for c in first)
        line = " ".join("".join(visible).split())
        windows = range(max(1, len(secret) - _SECRET_WINDOW + 1)) if secret else range(0)
        if any(secret[start : start + _SECRET_WINDOW] in line for start in windows):
            return ""
        if len(line) > MAX_QUOTED_CHARACTERS:
            line = line[: MAX_QUOTED_CHARACTERS - 1] + "…"
        return line


def read_words(body: Json) -> ServerWords:
    """Walk a parsed body (or a text) and collect what it says."""
    words = ServerWords()
    _walk(body, words, 0)
    return words


def parse_body(text: str) -> Json:
    """The body as JSON where it is JSON, else the text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def retry_after_seconds(words: ServerWords, headers: Mapping[str, str]) -> float | None:
    """The wait that the server hints at, capped; None without a usable hint.

    `headers` has lower-case names.
    """
    hints = (
        _number(headers.get("retry-after-ms"), 0.001),
        _number(headers.get("retry-after"), 1.0),
        _until_date(headers),
        *(_duration(delay) for delay in words.retry_delays),
        *(_spent_limit(headers, kind) for kind in ("requests", "tokens")),
        *(_in_text(text) for text in words.texts),
    )
    seconds = next((hint for hint in hints if hint is not None), None)
    return None if seconds is None else min(seconds, MAX_RETRY_AFTER_SECONDS)


def _walk(value: Json, words: ServerWords, depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        _take_text(value, words, depth)
    elif isinstance(value, list):
        for element in value:
            _walk(element, words, depth + 1)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            _take_field(name, inner, words, depth)


def _take_field(name: str, value: Json, words: ServerWords, depth: int) -> None:
    words.fields.add(name.lower())
    if isinstance(value, Mapping | list):
        _walk(value, words, depth + 1)
    elif name in _CODE_FIELDS and isinstance(value, str | int):
        words.codes.add(str(value).lower())
    elif name == "retryDelay" and isinstance(value, str):
        words.retry_delays.append(value)
    elif name in _NUMBER_FIELDS and isinstance(value, int):
        words.numbers[name] = value
    elif name in _TEXT_FIELDS and isinstance(value, str):
        _take_text(value, words, depth)


def _take_text(text: str, words: ServerWords, depth: int) -> None:
    """Keep the text, and open JSON that is hidden inside it."""
    words.texts.append(text)
    start = text.find("{")
    if start < 0:
        return
    try:
        inner, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return
    _walk(inner, words, depth + 1)


def _number(text: str | None, unit: float) -> float | None:
    try:
        seconds = float(text) * unit if text else math.nan
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def _until_date(headers: Mapping[str, str]) -> float | None:
    """A date in Retry-After, read against the server's own clock."""
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        seconds = (until - parsedate_to_datetime(headers.get("date", ""))).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0)


def _spent_limit(headers: Mapping[str, str], kind: str) -> float | None:
    if headers.get(f"x-ratelimit-remaining-{kind}") != "0":
        return None
    return _duration(headers.get(f"x-ratelimit-reset-{kind}", ""))


def _in_text(text: str) -> float | None:
    found = _TRY_AGAIN.search(text)
    return _duration(text[found.end() :]) if found else None


def _duration(text: str) -> float | None:
    """Seconds of a text that begins with a duration such as "6m0s" or "250ms"."""
    total, at = None, 0
    while part := _DURATION_PART.match(text, at):
        total = (total or 0.0) + float(part[1]) * _UNIT_SECONDS[part[2].lower()]
        at = part.end()
    return total
