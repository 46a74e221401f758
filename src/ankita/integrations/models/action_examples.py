"""Examples of requests and right actions that are shown to a small model. Pure.

With examples a small model picks the right tool far more often, and leaves plain talk
alone. Only tools that are offered, with arguments that they take, are ever shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ankita.integrations.models.action_check import fits
from ankita.integrations.models.model_abilities import mapping
from ankita.messages import Json, JsonObject, ToolSpec

MAX_TOOL_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Example:
    """`tool` is empty where the right thing is to answer at once."""

    request: str
    reply: str
    tool: str = ""
    arguments: JsonObject = field(default_factory=dict)
    result: str = ""


_TALK = (
    Example("Good morning!", "Good morning! What can I do for you?"),
    Example("Thanks, that was all.", "You are welcome."),
)

_KNOWN = (
    Example(
        "What does shopping.txt say?",
        "It says: milk and bread.",
        "read_file",
        {"path": "shopping.txt"},
        "milk\nbread",
    ),
    Example(
        "Write the word done into state.txt.",
        "I wrote it into state.txt.",
        "write_file",
        {"path": "state.txt", "content": "done"},
        "Wrote state.txt.",
    ),
    Example(
        "Which files are in the folder letters?",
        "There is one file: aunt.txt.",
        "list_folder",
        {"path": "letters"},
        "aunt.txt",
    ),
    Example(
        "Show me which version of git I have.",
        "You have git 2.39.",
        "run_command",
        {"command": "git --version"},
        "git version 2.39",
    ),
    Example(
        "Look up on the web when the library opens.",
        "The first result says that it opens at nine.",
        "search_web",
        {"query": "library opening hours"},
        "1. City library: open from 9",
    ),
)


def examples(tools: Sequence[ToolSpec]) -> tuple[Example, ...]:
    """Some for the tools that are offered, with plain talk among them."""
    offered = {tool.name: tool for tool in tools}
    known = [each for each in _KNOWN if each.tool in offered and _is_valid(each, offered)]
    chosen = known[:MAX_TOOL_EXAMPLES] or [
        made for tool in tools[:2] if (made := _made(tool)) and _is_valid(made, offered)
    ]
    return (_TALK[0], *chosen, _TALK[1])


def _is_valid(example: Example, offered: dict[str, ToolSpec]) -> bool:
    return fits(dict(example.arguments), offered[example.tool].parameters)


def _made(tool: ToolSpec) -> Example:
    """An example that only shows the form, for a tool that nobody wrote one for."""
    properties = mapping(tool.parameters.get("properties"))
    required = tool.parameters.get("required")
    names = required if isinstance(required, list) else []
    arguments = {name: _sample(properties.get(name)) for name in names if isinstance(name, str)}
    words = ", ".join(f"{name} {value}" for name, value in arguments.items())
    request = f"Use {tool.name}{' with ' + words if words else ''}."
    return Example(request, f"I used {tool.name}; it is done.", tool.name, arguments, "Done.")


def _sample(schema: Json) -> Json:
    whole = mapping(schema)
    choices = whole.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    samples: dict[Json, Json] = {
        "string": "example",
        "integer": 1,
        "number": 1,
        "boolean": True,
        "array": [],
        "object": {},
        "null": None,
    }
    kind = whole.get("type")
    return samples.get(kind) if isinstance(kind, str) else "example"
