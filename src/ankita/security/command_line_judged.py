"""Whether a simple command does something behind its own words, and so always asks."""

from __future__ import annotations

import re

from ankita.security import command_line_names as names
from ankita.security import verbs
from ankita.security.command_line_parts import Part, Shell
from ankita.security.readings import words_of

_ENDING = re.compile(r"\.(?:exe|cmd|bat|com|ps1|sh)$")
_VERSION = re.compile(r"(?<=.)[-.\d]+$")
_FROM_VERSION = re.compile(r"(?<=.)[-.]?\d.*$")
_LOSING = verbs.LOSING | verbs.OUTWARD | verbs.ACCESS | frozenset(verbs.DESTRUCTIVE)


def hidden_act(part: Part, shell: Shell) -> str:
    """What the command does besides itself, in a few words after "it"; empty for nothing."""
    program = part.words[0]
    if _may_be_rewritten(program):
        return f"runs the file {program}, which can change"
    name = _program_name(program)
    return (
        _by_name(name)
        or (_by_powershell_name(program) if shell is Shell.POWERSHELL else "")
        or _by_arguments(name, part.words[1:])
        or _by_verb(name, part.words[1:])
    )


def _may_be_rewritten(program: str) -> bool:
    """Named by a path that is not one of the system's own folders."""
    return "/" in program and (".." in program or not program.startswith(names.SYSTEM_FOLDERS))


def _program_name(program: str) -> str:
    name = _ENDING.sub("", re.split(r"[/\\]", program.lower())[-1])
    return name if name == "." else _VERSION.sub("", name)


def _by_name(name: str) -> str:
    # Some carry a version and then more: "python3-dbg".
    stem = _FROM_VERSION.sub("", name)
    return _by_exact_name(name) or (_by_exact_name(stem) if stem != name else "")


def _by_exact_name(name: str) -> str:
    if name in names.LAUNCHERS or name.startswith(names.LOADERS):
        return f"lets {name} run another command"
    if name in names.INTERPRETERS:
        return f"lets {name} run what is written for it"
    if name in names.RUNNERS:
        return f"lets {name} run what files say"
    if name in names.SENDERS:
        return "reaches another machine"
    return ""


def _by_powershell_name(program: str) -> str:
    name = program.lower()
    if name in names.POWERSHELL_ALIASES:
        return f"uses {program}, which is another name for a command"
    if name.startswith(names.POWERSHELL_STARTS):
        return f"lets {program} run or write something"
    return ""


def _by_arguments(name: str, arguments: tuple[str, ...]) -> str:
    for argument in arguments:
        option = argument.lower().split("=")[0]
        if _is_launching(option):
            return f"has the option {option}"
    if name == "git":
        # An alias, a pager, a file watcher, a text filter: all named in files a tool may write.
        return "lets git run what a project's own settings name"
    return ""


def _is_launching(option: str) -> bool:
    """Also in short: many programs take the beginning of a long option for the whole."""
    if option.startswith(names.LAUNCHING_OPTIONS):
        return True
    is_long = option.startswith("--") and len(option) > len("--")
    return is_long and any(known.startswith(option) for known in names.LAUNCHING_OPTIONS)


def _by_verb(name: str, arguments: tuple[str, ...]) -> str:
    if name in names.LOSING:
        return f"says {name}"
    for text in (name, *arguments):
        for word in words_of(text):
            if word in _LOSING or any(verb in word for verb in verbs.DESTRUCTIVE):
                return f"says {word}"
    return ""
