"""Slash commands: `/tool name key=value` for every tool, `/help`, and short forms.

A slash at the start is an explicit order, so the rest is taken as it stands; the values
are still checked against the tool's schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ankita.errors import ToolArgumentsError
from ankita.integrations.models.builtin_arguments import (
    ANY_CASE,
    SOLE_VALUE,
    Order,
    Outcome,
    Say,
    complete,
    kind_words,
    nearest,
    prepare,
    properties,
    required,
)
from ankita.integrations.models.builtin_markdown import code, plain
from ankita.integrations.models.builtin_values import read_json
from ankita.messages import JsonObject, ToolSpec

MAX_DESCRIPTION_LENGTH = 200


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A short form: what it is called, what follows it, and the tool behind it."""

    name: str
    usage: str
    meaning: str
    tool: str


COMMANDS = (
    SlashCommand("read", "/read FILE", "show a file", "read_file"),
    SlashCommand("ls", "/ls [FOLDER]", "list a folder", "list_folder"),
    SlashCommand("find", "/find PATTERN [in FOLDER]", "find files by name", "find_files"),
    SlashCommand("search", '/search "TEXT" [in PLACE]', "find text in files", "search_files"),
    SlashCommand("run", "/run COMMAND", "run a command", "run_command"),
    SlashCommand("jobs", "/jobs", "list running commands", "job_list"),
    SlashCommand("remember", "/remember TEXT", "keep a note for this thread", "remember_note"),
    SlashCommand("notes", "/notes", "show the notes of this thread", "list_notes"),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_SLOTS = {"read": "path", "ls": "path", "run": "command", "remember": "text"}
_KEY = re.compile(r"\s*([A-Za-z_][\w.-]*)=")
_PLACED = re.compile(r'(?P<what>"[^"\n]*"|.+?)(?:\s+in\s+(?P<path>"[^"\n]+"|\S+))?', re.DOTALL)


def slash(text: str, tools: Mapping[str, ToolSpec]) -> Outcome:
    """What a message that begins with a slash asks for."""
    word, *tail = text[1:].split(None, 1) if text[1:2].strip() else ["", text[1:]]
    rest = tail[0].strip() if tail else ""
    word = word.lower() if word.lower() in {"help", "tool", *_BY_NAME} else word
    if word == "help":
        return Say(help_about(rest, tools) if rest else help_overview(tools))
    if word == "tool":
        return _any_tool(rest, tools)
    if word in _BY_NAME:
        return _short_form(_BY_NAME[word], rest, tools)
    return Say(_unknown(word, tools))


def order(wanted: Order, tools: Mapping[str, ToolSpec]) -> Outcome:
    """The outcome of an order; a tool that is not offered is never called."""
    tool = tools.get(wanted.tool)
    if tool is None:
        return Say(f"{code(wanted.tool)} is not available here. I did nothing.")
    known = properties(tool)
    hints = {name: text for name, text in wanted.hints.items() if name in known}
    return prepare(tool, {**wanted.given, **hints})


def help_overview(tools: Mapping[str, ToolSpec]) -> str:
    """The short forms and the tools that can be used now."""
    lines = [
        f"- {code(command.usage)}: {command.meaning}"
        for command in COMMANDS
        if command.tool in tools
    ]
    lines.append("- `/help NAME`: what a tool takes")
    lines.append('- `/tool NAME key=value key2="two words"`: use any tool')
    listed = [f"- {code(tool.name)}: {_description(tool)}" for tool in tools.values()]
    return "\n".join([*lines, "", "Tools:", *(listed or ["- none"])])


def help_about(name: str, tools: Mapping[str, ToolSpec]) -> str:
    """What one tool takes, from its schema."""
    name = name.strip().removeprefix("/")
    wanted = _BY_NAME[name].tool if name in _BY_NAME else name
    tool = tools.get(wanted)
    if tool is None:
        return _no_tool(wanted, tools)
    needed = required(tool)
    lines = [f"{code(tool.name)}: {_description(tool)}", ""]
    for slot, schema in properties(tool).items():
        need = "needed" if slot in needed else "optional"
        words = plain(str(schema.get("description", "")), MAX_DESCRIPTION_LENGTH)
        lines.append(f"- {code(slot)} ({kind_words(tool, slot)}, {need})" + _after(words))
    example = " ".join(["/tool", tool.name, *(f'{slot}="…"' for slot in needed)])
    return "\n".join([*lines, "" if properties(tool) else "It takes no values.", code(example)])


def _any_tool(rest: str, tools: Mapping[str, ToolSpec]) -> Outcome:
    match = re.match(r"\S+", rest)
    if match is None:
        return Say("Which tool? `/help` lists them. I did nothing.")
    tool = tools.get(match.group(0))
    if tool is None:
        return Say(f"{_no_tool(match.group(0), tools)} I did nothing.")
    try:
        given = arguments_in(rest[match.end() :].strip())
    except ToolArgumentsError as error:
        return Say(f"{error.sentence()} I did nothing. {code(f'/help {tool.name}')} helps.")
    if isinstance(given, _Ready):
        return complete(tool, given.arguments)
    return prepare(tool, given)


@dataclass(frozen=True, slots=True)
class _Ready:
    arguments: JsonObject


def arguments_in(text: str) -> dict[str, str] | _Ready:
    """The values after a tool's name: `key=value` pairs, or one JSON object.

    Values are bare words, "two words" (where only `\\"` means something else than it
    says), 'two words', or JSON lists and objects. Raises ToolArgumentsError.
    """
    if text.startswith("{"):
        return _Ready(_json_object(text))
    given: dict[str, str] = {}
    position = 0
    while position < len(text):
        match = _KEY.match(text, position)
        if match is None:
            piece = code(text[position : position + 40])
            raise ToolArgumentsError(f"I expected key=value and found {piece}.")
        name = match.group(1)
        if name in given:
            raise ToolArgumentsError(f"{code(name)} is given twice.", field=name)
        given[name], position = _value_at(text, match.end(), name)
        if position < len(text) and not text[position].isspace():
            raise ToolArgumentsError(f"A space is missing after {code(name)}.", field=name)
        while position < len(text) and text[position].isspace():
            position += 1
    return given


def _json_object(text: str) -> JsonObject:
    try:
        value = read_json(text)
    except ValueError as error:
        raise ToolArgumentsError("That is not a JSON object.") from error
    if not isinstance(value, dict):
        raise ToolArgumentsError("That is not a JSON object.")
    return value


def _value_at(text: str, start: int, name: str) -> tuple[str, int]:
    opening = text[start : start + 1]
    if opening in {'"', "'"}:
        pattern = r'"((?:[^"\\]|\\"|\\)*?)"(?!\S)' if opening == '"' else r"'([^']*)'"
        match = re.compile(pattern).match(text, start)
        if match is None:
            raise ToolArgumentsError(f"The quotes of {code(name)} are not closed.", field=name)
        value = match.group(1)
        return (value.replace('\\"', '"') if opening == '"' else value), match.end()
    if opening in {"[", "{"}:
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            pass
        else:
            return text[start:end], end
    match = re.compile(r"\S*").match(text, start)
    end = match.end() if match else start
    return text[start:end], end


def _short_form(command: SlashCommand, rest: str, tools: Mapping[str, ToolSpec]) -> Outcome:
    if "\n" in rest and command.name != "remember":
        example = f"/tool {command.tool}"
        return Say(
            f"{code('/' + command.name)} takes one line; {code(example)} takes more. I did nothing."
        )
    hints = ANY_CASE if command.name == "search" else {}
    return order(Order(command.tool, _given(command.name, rest), hints), tools)


def _given(name: str, rest: str) -> dict[str, str]:
    if not rest or name in {"notes", "jobs"}:
        return {SOLE_VALUE: rest} if rest else {}
    if name in _SLOTS:
        return {_SLOTS[name]: rest if name == "run" else _unquoted(rest)}
    match = _PLACED.fullmatch(rest)
    what, path = (match.group("what"), match.group("path")) if match else (rest, None)
    given = {"pattern": _unquoted(what)}
    return {**given, "path": _unquoted(path)} if path else given


def _unquoted(text: str) -> str:
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


def _unknown(word: str, tools: Mapping[str, ToolSpec]) -> str:
    if word in tools:
        return f"Write {code(f'/tool {word} key=value')}. I did nothing."
    known = ["help", "tool", *(one.name for one in COMMANDS if one.tool in tools)]
    close = [code(f"/{one}") for one in nearest(word, known)]
    close = (close + [code(f"/tool {one}") for one in nearest(word, list(tools))])[:3]
    hint = f" Did you mean {' or '.join(close)}?" if close else " `/help` lists what there is."
    return f"There is no {code('/' + word, 40)}.{hint} I did nothing."


def _no_tool(name: str, tools: Mapping[str, ToolSpec]) -> str:
    close = [code(one) for one in nearest(name, list(tools))]
    hint = f" Did you mean {' or '.join(close)}?" if close else " `/help` lists the tools."
    return f"There is no tool {code(name, 64)}.{hint}"


def _description(tool: ToolSpec) -> str:
    return plain(tool.description, MAX_DESCRIPTION_LENGTH) or "no description"


def _after(words: str) -> str:
    return f": {words}" if words else ""
