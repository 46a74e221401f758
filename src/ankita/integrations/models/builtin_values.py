"""Text as a value of a JSON schema: numbers, choices, lists and the rest. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from ankita.errors import ToolArgumentsError
from ankita.integrations.models.builtin_markdown import code
from ankita.messages import Json, JsonObject

MAX_REFERENCES = 16
"""How many `$ref` steps a schema may take to one definition."""
MAX_CHOICES = 20
"""How many allowed values are listed to the user."""
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_KIND_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "array": "a list, as JSON or with commas",
    "object": "a JSON object",
    "null": "nothing",
}


def schema_words(schema: JsonObject, root: JsonObject) -> str:
    """What kind of value a schema takes, in words for the user."""
    schema = _resolved(schema, root)
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return "one of " + ", ".join(code(str(choice)) for choice in choices[:MAX_CHOICES])
    kinds = [_KIND_WORDS[kind] for kind in _kinds(schema, root) if kind in _KIND_WORDS]
    return " or ".join(dict.fromkeys(kinds)) or "a value"


def coerce(text: str, schema: JsonObject, root: JsonObject, name: str) -> Json:
    """The value that `text` stands for under `schema`. Raises ToolArgumentsError."""
    schema = _resolved(schema, root)
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return _chosen(text, choices, name)
    kinds = _kinds(schema, root)
    for kind in kinds:
        value = _READERS[kind](text) if kind in _READERS else _NOTHING
        if value is not _NOTHING:
            return value
    if not kinds:
        return _parsed_or_text(text)
    wanted = " or ".join(dict.fromkeys(_KIND_WORDS.get(kind, kind) for kind in kinds))
    raise ToolArgumentsError(f"{code(name)} must be {wanted}.", field=name)


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    for _ in range(MAX_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: Json = root
        for part in reference[2:].split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            return {}
        schema = target
    return {}


def _kinds(schema: JsonObject, root: JsonObject) -> list[str]:
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [one for one in kind if isinstance(one, str)]
    kinds: list[str] = []
    for keyword in ("anyOf", "oneOf"):
        variants = schema.get(keyword)
        for variant in variants if isinstance(variants, list) else []:
            if isinstance(variant, Mapping):
                found = _resolved(variant, root).get("type")
                kinds += [found] if isinstance(found, str) else []
    return kinds


def _chosen(text: str, choices: list[Json], name: str) -> Json:
    for choice in choices:
        if str(choice).casefold() == text.strip().casefold():
            return choice
    listed = ", ".join(code(str(choice)) for choice in choices[:MAX_CHOICES])
    raise ToolArgumentsError(f"{code(name)} must be one of {listed}.", field=name)


_NOTHING = object()


def read_json(text: str) -> Json:
    """The JSON value in `text`. Raises ValueError, also for what JSON does not know (NaN)."""
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("too large a number")
    return value


def _read_json(text: str, kind: type) -> Json:
    try:
        value = read_json(text)
    except ValueError:
        return _NOTHING
    return value if isinstance(value, kind) else _NOTHING


def _read_integer(text: str) -> Json:
    stripped = text.strip()
    digits = stripped[1:] if stripped[:1] in {"-", "+"} else stripped
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return _NOTHING
    return int(stripped)


def _read_number(text: str) -> Json:
    whole = _read_integer(text)
    return whole if whole is not _NOTHING else _read_json(text.strip(), float)


def _read_boolean(text: str) -> Json:
    word = text.strip().casefold()
    if word in _TRUE:
        return True
    return False if word in _FALSE else _NOTHING


def _read_array(text: str) -> Json:
    value = _read_json(text, list)
    if value is not _NOTHING or text.lstrip().startswith(("[", "{")):
        return value
    return [part.strip() for part in text.split(",") if part.strip()]


def _read_null(text: str) -> Json:
    return None if text.strip().casefold() in {"null", "none"} else _NOTHING


def _read_object(text: str) -> Json:
    return _read_json(text, dict)


def _read_string(text: str) -> Json:
    return text


_READERS: dict[str, Callable[[str], Json]] = {
    "string": _read_string,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_array,
    "object": _read_object,
    "null": _read_null,
}


def _parsed_or_text(text: str) -> Json:
    try:
        return read_json(text)
    except ValueError:
        return text
