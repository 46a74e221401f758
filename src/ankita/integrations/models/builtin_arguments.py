"""From words to arguments: text is turned into the types of a tool's JSON schema.

Pure. What comes out is one of three: an act whose arguments fit the schema, one
question for one missing value, or a plain sentence that says why nothing is done.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ankita.errors import ToolArgumentsError
from ankita.integrations.models.builtin_markdown import code, plain
from ankita.integrations.models.builtin_values import coerce, schema_words
from ankita.messages import JsonObject, ToolSpec

QUESTION_END = "Say “never mind” to leave it."
"""The last words of every question; a pending question is recognised by them."""
ANY_CASE = {"ignore_case": "true"}
"""A hint for searches: people do not think of capitals when they look for a word."""
SOLE_VALUE = ""
"""A name for "the one value that this tool needs", where a sentence does not know it."""


@dataclass(frozen=True, slots=True)
class Act:
    """One tool call. `arguments` fit the tool's schema."""

    tool: ToolSpec
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Ask:
    """A value is missing. `text` is the question; the next message may answer it."""

    tool: ToolSpec
    arguments: JsonObject
    slot: str
    text: str


@dataclass(frozen=True, slots=True)
class Say:
    """An answer without an act."""

    text: str


Outcome = Act | Ask | Say


@dataclass(frozen=True, slots=True)
class Order:
    """A tool and the values given for it, still as text.

    `hints` are values that help but may be dropped when the tool does not know them.
    """

    tool: str
    given: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)


def prepare(tool: ToolSpec, given: Mapping[str, str]) -> Outcome:
    """Turn text values into an act, or into the question for the first missing one."""
    try:
        arguments = {
            name: coerce(text, _property(tool, name), tool.parameters, name)
            for name, text in _named(tool, given).items()
        }
    except ToolArgumentsError as error:
        return Say(f"{error.sentence()} I did nothing.")
    return complete(tool, arguments)


def complete(tool: ToolSpec, arguments: JsonObject) -> Outcome:
    """An act if nothing is missing and everything fits, else a question or the reason."""
    for slot in required(tool):
        if slot not in arguments:
            return Ask(tool, arguments, slot, question(tool, slot))
    problem = mismatch(tool, arguments)
    if problem:
        return Say(f"{problem} I did nothing. `/help {tool.name}` shows what it takes.")
    return Act(tool, arguments)


def answer(ask: Ask, text: str) -> Outcome:
    """Take `text` as the value that was asked for; ask again if it does not fit."""
    try:
        value = coerce(text, _property(ask.tool, ask.slot), ask.tool.parameters, ask.slot)
    except ToolArgumentsError as error:
        return Ask(ask.tool, ask.arguments, ask.slot, f"{error} {ask_again(ask)}")
    outcome = complete(ask.tool, {**ask.arguments, ask.slot: value})
    if isinstance(outcome, Say):
        return Ask(ask.tool, ask.arguments, ask.slot, f"That does not fit. {ask_again(ask)}")
    return outcome


def ask_again(ask: Ask) -> str:
    """The question for the slot of `ask`, without earlier complaints in front of it."""
    return question(ask.tool, ask.slot)


def question(tool: ToolSpec, slot: str) -> str:
    """The question for one missing value."""
    described = plain(str(properties(tool).get(slot, {}).get("description", "")))
    meaning = f" ({described.rstrip('.')})" if described else ""
    return (
        f"Which {code(slot)}{meaning} for {code(tool.name)}? I need {kind_words(tool, slot)}. "
        f"{QUESTION_END}"
    )


def required(tool: ToolSpec) -> list[str]:
    """The names of the values that a call must have, in the schema's order."""
    names = tool.parameters.get("required")
    if not isinstance(names, list):
        return []
    return [name for name in names if isinstance(name, str)]


def properties(tool: ToolSpec) -> dict[str, JsonObject]:
    """The declared arguments and their schemas."""
    found = tool.parameters.get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {
        str(name): schema if isinstance(schema, Mapping) else {} for name, schema in found.items()
    }


def kind_words(tool: ToolSpec, slot: str) -> str:
    """What kind of value a slot takes, in words for the user."""
    return schema_words(properties(tool).get(slot, {}), tool.parameters)


def mismatch(tool: ToolSpec, arguments: JsonObject) -> str:
    """Why `arguments` do not fit the tool's schema, or "" when they do. Never raises.

    A schema that cannot be checked counts as a mismatch.
    """
    # Loaded here: it takes a noticeable part of the start-up time and is needed only for a call.
    from jsonschema import Draft202012Validator
    from jsonschema.protocols import Validator
    from jsonschema.validators import extend
    from referencing import Registry

    # Patterns come from servers; a hostile one could hold the engine's thread for ever. The
    # tool itself checks them. The empty registry keeps references from being fetched.
    checker: type[Validator] = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"pattern": None, "patternProperties": None}
    )
    try:
        validator = checker(dict(tool.parameters), registry=Registry())
        error = next(validator.iter_errors(dict(arguments)), None)
    except Exception:
        return f"The description of {code(tool.name)} is damaged, so I cannot check a call to it."
    if error is None:
        return ""
    where = ".".join(str(part) for part in error.absolute_path)
    reason = _short(error.message)
    return f"{code(where)} does not fit: {reason}." if where else f"That does not fit: {reason}."


def nearest(word: str, names: list[str]) -> list[str]:
    """Up to three of `names` that look like `word`."""
    lowered = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word.lower()[:64], list(lowered), n=3, cutoff=0.6)
    return [lowered[name] for name in found]


def _named(tool: ToolSpec, given: Mapping[str, str]) -> dict[str, str]:
    named = dict(given)
    if SOLE_VALUE in named:
        value = named.pop(SOLE_VALUE)
        names = required(tool) or list(properties(tool))
        if not names:
            raise ToolArgumentsError(f"{code(tool.name)} takes no values.")
        named.setdefault(names[0], value)
    return named


def _property(tool: ToolSpec, name: str) -> JsonObject:
    known = properties(tool)
    if name in known:
        return known[name]
    extra = tool.parameters.get("additionalProperties", not known)
    if isinstance(extra, Mapping):
        return extra
    if extra is True:
        return {}
    close = nearest(name, list(known))
    hint = f" Did you mean {code(close[0])}?" if close else f" {code(f'/help {tool.name}')} helps."
    raise ToolArgumentsError(f"{code(tool.name)} has no {code(name)}.{hint}", field=name)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
