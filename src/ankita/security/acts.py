"""What a person reads and approves: the act itself, and what ties a yes to exactly that act."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from ankita.errors import ToolArgumentsError
from ankita.messages import Json, JsonObject, ToolSpec
from ankita.security.canonical import NotCanonicalError, digest
from ankita.security.command_calls import COMMAND_TOOL, command_fields, command_key
from ankita.security.display_text import one_line, visible
from ankita.security.readings import chosen_actions, words_of

NATIVE_SERVER = "native"
SHELL_APP = "shell"
WHOLE_ACT_APPS = frozenset({SHELL_APP})
"""Apps whose every call is an act of its own: a yes to one covers that very call alone."""
JOB_TOOLS = frozenset({"job_output", "job_list", "job_stop"})
"""Own tools that belong to the shell but only reach jobs which a person let start."""

MAX_LABEL_CHARACTERS = 60
MAX_TITLE_CHARACTERS = 120
MAX_FIELD_DEPTH = 3
"""Objects nested deeper are shown as JSON text in one field."""

_IMPORTANT = """
to recipient recipients cc bcc channel user email phone address
amount price currency quantity count
action method operation command query sql
subject title name path source destination target url file folder repository id
"""
IMPORTANT_WORDS = tuple(_IMPORTANT.split())
"""The order in which arguments are shown where a tool names no key arguments."""

_BUTTONS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"delete", "remove", "destroy", "erase", "purge", "wipe"}), "Delete"),
    (frozenset({"pay"}), "Pay"),
    (frozenset({"transfer"}), "Transfer"),
    (frozenset({"publish", "post"}), "Publish"),
    (frozenset({"send"}), "Send"),
    (frozenset({"run", "execute", "exec"}), "Run"),
    (frozenset({"stop"}), "Stop"),
    (frozenset({"edit", "update"}), "Change"),
    (frozenset({"write"}), "Write"),
    (frozenset({"create"}), "Create"),
)
"""The words on the buttons, most serious first. They never come from a tool's own text."""


_Leaf = tuple[tuple[str, ...], Json]
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_\-./: ]*[A-Za-z0-9][A-Za-z0-9_\-./: ]*")


@dataclass(frozen=True, slots=True)
class Act:
    """One call as a person reads it; every text is plain and shows what it contains.

    `fields` are (label, whole text), the arguments that matter most first. `yes` and
    `no` are the words on the buttons. `target` names what it is about in a line of a
    list: the first argument, where that is a plain value.
    """

    app: str
    action: str
    fields: tuple[tuple[str, str], ...]
    yes: str
    no: str
    target: str = ""

    def title(self) -> str:
        """One line such as "gmail: send email"."""
        return f"{self.app}: {self.action}"


def tool_key(server: str, tool: str) -> str:
    """`server:tool`, where two different pairs never give one text."""
    escaped = server.replace("%", "%25").replace(":", "%3A")
    return f"{escaped}:{tool}"


def rule_name(spec: ToolSpec, arguments: JsonObject | None = None, place: str | None = None) -> str:
    """What a rule is stored under: the tool and the enclosed action the arguments choose.

    Without arguments, or where they choose nothing, it stands for the tool as a whole.
    `place` is the real path of the folder that a command runs in. Raises ToolArgumentsError.
    """
    # A tool must not be able to take the name of another tool's action.
    tool = spec.name.replace("%", "%25").replace("#", "%23")
    if arguments is None:
        return tool
    try:
        if is_command(spec):
            return f"{tool}#{command_key(arguments, place)}"
        if is_whole_act(spec):
            return f"{tool}#{digest(arguments)}"
        actions = chosen_actions(arguments)
    except NotCanonicalError as error:
        raise _unreadable() from error
    chosen = "&".join(f"{quote(key)}={quote(value, safe='')}" for key, value in actions)
    return f"{tool}#{chosen}" if chosen else tool


def is_command(spec: ToolSpec) -> bool:
    """Whether it is the product's own tool that runs a command line."""
    return (spec.server, spec.app, spec.name) == (NATIVE_SERVER, SHELL_APP, COMMAND_TOOL)


def is_whole_act(spec: ToolSpec) -> bool:
    """Whether each call stands for itself, so that no rule covers more than one command."""
    is_job_tool = spec.server == NATIVE_SERVER and spec.name in JOB_TOOLS
    return spec.app in WHOLE_ACT_APPS and not is_job_tool


def grant_key(spec: ToolSpec, arguments: JsonObject, place: str | None = None) -> str:
    """What one remembered yes covers: the exact tool and the enclosed action.

    `place` is as in `rule_name`. Raises ToolArgumentsError.
    """
    return tool_key(spec.server, rule_name(spec, arguments, place))


def text_hash(spec: ToolSpec) -> str:
    """What the tool says about itself, as a hash; empty for the product's own tools.

    A standing permission holds for a tool as the user knew it. Own tools change only
    with the product.
    """
    if spec.server == NATIVE_SERVER:
        return ""
    about = {"description": spec.description, "name": spec.name, "schema": spec.parameters}
    try:
        return digest(about)
    except NotCanonicalError:
        return "unreadable"


def act_digest(
    spec: ToolSpec, arguments: JsonObject, bound: Mapping[str, str] | None = None
) -> str:
    """SHA-256 over server, name, schema, arguments and `bound`. Raises ToolArgumentsError.

    `bound` holds what else the approval is tied to: the server's endpoint, the hash
    of the content of each file that the call names.
    """
    try:
        return digest(
            {
                "arguments": arguments,
                "bound": dict(bound or {}),
                "name": spec.name,
                "schema": spec.parameters,
                "server": spec.server,
            }
        )
    except NotCanonicalError as error:
        raise _unreadable() from error


def describe(spec: ToolSpec, arguments: JsonObject) -> Act:
    """The act for the card. Every argument is shown, so that none can hide behind another."""
    action, app = _spaced(spec.name), _spaced(spec.app)
    action = action.removeprefix(f"{app} ")
    yes, no = _buttons(words_of(spec.name))
    leaves = sorted(_leaves(arguments, ()), key=_order(spec))
    fields = tuple(
        (one_line(_label(path), MAX_LABEL_CHARACTERS), _text(value)) for path, value in leaves
    )
    is_plain = bool(leaves) and isinstance(leaves[0][1], str | int | float)
    if is_command(spec):
        # The whole text stays first; what it was taken apart into stands below it.
        fields = (*fields[:1], *command_fields(arguments), *fields[1:])
    return Act(
        one_line(spec.app, MAX_LABEL_CHARACTERS),
        one_line(action, MAX_TITLE_CHARACTERS),
        fields,
        yes,
        no,
        target=_text(leaves[0][1]) if is_plain else "",
    )


def _unreadable() -> ToolArgumentsError:
    return ToolArgumentsError("The arguments of this call cannot be read as JSON.")


def _buttons(words: list[str]) -> tuple[str, str]:
    for verbs, button in _BUTTONS:
        if verbs.intersection(words):
            return f"{button} once", f"Don't {button.lower()}"
    return "Allow once", "Don't"


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[_Leaf]:
    if isinstance(value, Mapping) and value and len(path) < MAX_FIELD_DEPTH:
        for key, item in value.items():
            yield from _leaves(item, (*path, str(key)))
    elif path:
        yield path, value


def _order(spec: ToolSpec) -> Callable[[_Leaf], tuple[int, int]]:
    """Key arguments in their order, then arguments whose name says they matter, then the rest."""
    keys = {name: place for place, name in enumerate(spec.key_arguments)}

    def place(leaf: _Leaf) -> tuple[int, int]:
        path, _ = leaf
        if path[0] in keys:
            return 0, keys[path[0]]
        places = [IMPORTANT_WORDS.index(w) for w in words_of(path[-1]) if w in IMPORTANT_WORDS]
        return (1, min(places)) if places else (2, 0)

    return place


def _label(path: tuple[str, ...]) -> str:
    return " ".join(map(_spaced, path))


def _spaced(name: str) -> str:
    """A name as words; one with any unusual character is left as it is, to be spelled out."""
    return " ".join(words_of(name)) if _PLAIN_NAME.fullmatch(name) else name


def _text(value: Json) -> str:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "nothing"
    if isinstance(value, list | tuple) and value and all(isinstance(i, str) for i in value):
        return visible("\n".join(value))
    try:
        return visible(json.dumps(value, ensure_ascii=False, indent=1, default=str))
    except (TypeError, ValueError, RecursionError):
        return "⟨cannot be shown⟩"
