"""One line that tells a small model what a tool is called, takes and does. Pure."""

from __future__ import annotations

import json

from ankita.integrations.models.model_abilities import mapping
from ankita.messages import Json, ToolSpec

MAX_DESCRIPTION, MAX_ARGUMENT_DESCRIPTION = 240, 80
MAX_CHOICES = 8


def signature(tool: ToolSpec) -> str:
    """For example `- read_file(path: string, first?: integer): Reads a text file.`"""
    properties = mapping(tool.parameters.get("properties"))
    required = tool.parameters.get("required")
    names = required if isinstance(required, list) else []
    given = ", ".join(
        f"{name}{'' if name in names else '?'}: {_kind(schema)}{_about(schema)}"
        for name, schema in properties.items()
    )
    return f"- {tool.name}({given}): {_short(tool.description, MAX_DESCRIPTION)}"


def _kind(schema: Json) -> str:
    whole = mapping(schema)
    choices = whole.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= MAX_CHOICES:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    kind = whole.get("type")
    if kind == "array":
        return f"list of {_kind(whole.get('items'))}"
    if isinstance(kind, list):
        return " | ".join(str(each) for each in kind)
    options = whole.get("anyOf")
    if isinstance(options, list) and options:
        return " | ".join(dict.fromkeys(_kind(option) for option in options))
    return kind if isinstance(kind, str) else "any"


def _about(schema: Json) -> str:
    text = mapping(schema).get("description")
    if not isinstance(text, str) or not text.strip():
        return ""
    return f" ({_short(text, MAX_ARGUMENT_DESCRIPTION)})"


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
