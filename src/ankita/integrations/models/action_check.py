"""Decides whether a text is exactly one call of a known tool with valid arguments. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from ankita.integrations.models.action_schema import ARGUMENTS, NO_TOOL, REPLY, TOOL
from ankita.messages import Json, JsonObject, ToolSpec

MAX_ACTION_CHARACTERS = 400_000
"""A longer text is not taken for a call."""

PATTERN_SECONDS = 0.2
"""How long one pattern of a schema may search; they come from tools of other makers."""

_NAME_PATTERNS = '"patternProperties"'
"""Not supported: their search could not be ended."""

_WHOLE = re.compile(
    r"[ \t\r\n]*"
    r"(?:```(?:json|JSON)?[ \t]*\r?\n(?P<inner>.*)\r?\n?[ \t]*```|(?P<bare>.*))"
    r"[ \t\r\n]*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class WantedCall:
    """A call that may be handed on. `arguments` fit the tool's schema."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Answered:
    """The model calls nothing and says this."""

    reply: str


def read_action(text: str, tools: Sequence[ToolSpec]) -> WantedCall | Answered | None:
    """The one action that the whole text is, or None when it is just text."""
    value = _one_object(text)
    if value is None:
        return None
    if set(value) == {TOOL, REPLY} and value[TOOL] == NO_TOOL and isinstance(value[REPLY], str):
        return Answered(value[REPLY])
    if set(value) != {TOOL, ARGUMENTS} or not isinstance(value[ARGUMENTS], dict):
        return None
    tool = next((tool for tool in tools if tool.name == value[TOOL]), None)
    if tool is None or not fits(value[ARGUMENTS], tool.parameters):
        return None
    return WantedCall(tool.name, value[ARGUMENTS])


def fits(arguments: Json, schema: JsonObject) -> bool:
    """Whether the arguments are valid; a schema that can't be used allows nothing."""
    try:
        text = json.dumps(schema, sort_keys=True)
        if _NAME_PATTERNS in text:
            return False
        return bool(_validator(text).is_valid(arguments))
    except Exception:  # A broken schema raises whatever its validator stumbles over.
        return False


def _one_object(text: str) -> dict[str, Json] | None:
    if len(text) > MAX_ACTION_CHARACTERS:
        return None
    found = _WHOLE.fullmatch(text)
    body = "" if found is None else found["bare"] if found["inner"] is None else found["inner"]
    try:
        value = json.loads(
            body,
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_number,
            parse_float=_finite,
        )
        json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_repeats(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """A name that is there twice has no one meaning."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name is there twice")
    return value


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    """A validator that fetches nothing and whose patterns can't run for ever."""
    import jsonschema
    import regex
    from referencing import Registry

    def pattern(_: Any, wanted: str, instance: Any, __: Any) -> Any:
        if isinstance(instance, str):
            try:
                found = regex.search(wanted, instance, timeout=PATTERN_SECONDS)
            except TimeoutError:
                found = None
            if not found:
                yield jsonschema.ValidationError("the pattern does not match")

    extend: Any = jsonschema.validators.extend
    kind = extend(jsonschema.Draft202012Validator, {"pattern": pattern})
    value = json.loads(schema)
    kind.check_schema(value)
    return kind(value, registry=Registry())
