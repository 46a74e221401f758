"""The schema of a reply that is either one call of a tool or an answer, for JSON actions. Pure.

It guides the server's grammar and is kept to what the grammars of local servers know.
A call is judged by the tool's own schema, see action_check.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ankita.integrations.models.model_abilities import mapping
from ankita.messages import Json, JsonObject, ToolSpec

TOOL, ARGUMENTS, REPLY = "tool", "arguments", "reply"
NO_TOOL = "none"
"""Stands in the place of a tool's name when the model only answers."""

_KEPT = ("type", "enum", "const", "required")
_NESTED = ("items", "additionalProperties")
_CHOICES = ("anyOf", "oneOf", "allOf")
_DEFINITIONS = ("$defs", "definitions")
_MAX_DEPTH = 24


def reply_schema(tools: Sequence[ToolSpec], *, must_call: bool) -> JsonObject:
    """The union of one object for each tool and, unless a tool must be called, an answer."""
    definitions: dict[str, Json] = {}
    choices = [_call(number, tool, definitions) for number, tool in enumerate(tools)]
    if not must_call:
        choices.append(_object({TOOL: {"const": NO_TOOL}, REPLY: {"type": "string"}}))
    schema: dict[str, Any] = {"anyOf": choices} if len(choices) > 1 else dict(choices[0])
    return schema | ({"$defs": definitions} if definitions else {})


def _call(number: int, tool: ToolSpec, definitions: dict[str, Json]) -> dict[str, Json]:
    prefix = f"tool{number}-"
    for table in _DEFINITIONS:
        for name, inner in mapping(tool.parameters.get(table)).items():
            definitions[prefix + name] = _plain(inner, prefix)
    arguments = _plain(tool.parameters, prefix)
    if "type" not in arguments and not any(choice in arguments for choice in _CHOICES):
        arguments["type"] = "object"
    return _object({TOOL: {"const": tool.name}, ARGUMENTS: arguments})


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(schema: Json, prefix: str, depth: int = 0) -> dict[str, Json]:
    """The parts of a schema that shape a value; limits on its content are left out."""
    whole = mapping(schema)
    if depth > _MAX_DEPTH:
        return {}
    if "$ref" in whole:
        return _reference(whole["$ref"], prefix)
    plain: dict[str, Json] = {key: whole[key] for key in _KEPT if key in whole}
    for key in _NESTED:
        if isinstance(whole.get(key), bool):
            plain[key] = whole[key]
        elif key in whole:
            plain[key] = _plain(whole[key], prefix, depth + 1)
    for key in _CHOICES:
        if isinstance(whole.get(key), list):
            plain[key] = [_plain(each, prefix, depth + 1) for each in whole[key]]
    if properties := mapping(whole.get("properties")):
        plain["properties"] = {
            name: _plain(inner, prefix, depth + 1) for name, inner in properties.items()
        }
    return plain


def _reference(target: Json, prefix: str) -> dict[str, Json]:
    """A reference to a definition of the same tool; any other one allows every value."""
    for table in _DEFINITIONS:
        start = f"#/{table}/"
        if isinstance(target, str) and target.startswith(start):
            name = target.removeprefix(start)
            return {} if "/" in name else {"$ref": f"#/$defs/{prefix}{name}"}
    return {}
