"""One exact text for one JSON value, so that a hash of it means the value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256

from ankita.messages import Json

MAX_DEPTH = 64
MAX_VALUES = 200_000


class NotCanonicalError(ValueError):
    """The value is not plain JSON, or it is nested too deeply or too large to judge."""


def canonical_json(value: Json) -> str:
    """ASCII JSON with sorted keys and no spaces. Raises NotCanonicalError.

    Text is not normalised: two strings that only look alike stay different.
    """
    budget = [MAX_VALUES]
    plain = _plain(value, 0, budget)
    try:
        return json.dumps(
            plain, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise NotCanonicalError("This cannot be written as JSON.") from error


def digest(value: Json) -> str:
    """SHA-256 of the canonical text, 64 hexadecimal characters. Raises NotCanonicalError."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def _plain(value: Json, depth: int, budget: list[int]) -> Json:
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise NotCanonicalError("This is nested too deeply or too large.")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        # json.dumps would turn the key 1 into "1" and so give two objects one text.
        if not all(isinstance(key, str) for key in value):
            raise NotCanonicalError("A key is not text.")
        return {key: _plain(item, depth + 1, budget) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1, budget) for item in value]
    raise NotCanonicalError(f"A {type(value).__name__} is not JSON.")
