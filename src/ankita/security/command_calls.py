"""What of one call of the shell tool may be remembered, and how its card takes it apart."""

from __future__ import annotations

from ankita.messages import JsonObject
from ankita.security.canonical import digest
from ankita.security.command_line import Shell, read_command, this_shell
from ankita.security.display_text import one_line, visible

COMMAND_TOOL = "run_command"
_KNOWN_ARGUMENTS = frozenset({"command", "folder", "timeout_seconds", "background"})


def folder_of(arguments: JsonObject) -> str:
    """The folder as the call names it; empty where it is no text."""
    folder = arguments.get("folder", ".")
    return folder if isinstance(folder, str) else ""


def why_it_always_asks(arguments: JsonObject, place: str | None, shell: Shell | None = None) -> str:
    """Why no yes may cover this call again, in a few words after "it"; empty when one may.

    `place` is the real path of the folder, None where it could not be found.
    """
    command = arguments.get("command")
    if not isinstance(command, str) or arguments.keys() - _KNOWN_ARGUMENTS:
        return "has arguments that are not understood"
    reading = read_command(command, shell or this_shell())
    if not reading.may_be_remembered:
        return reading.why
    if arguments.get("background", False) is not False:
        return "goes on in the background"
    if place is None:
        return "has no folder that is open"
    return ""


def command_key(arguments: JsonObject, place: str | None, shell: Shell | None = None) -> str:
    """64 hexadecimal characters for this command, in this folder, on this shell.

    A call that always asks gets one for all its arguments, which stands for no other call.
    Raises NotCanonicalError.
    """
    shell = shell or this_shell()
    if why_it_always_asks(arguments, place, shell):
        return digest(arguments)
    text = arguments["command"].strip(" ")
    return digest({"command": text, "folder": place, "shell": str(shell)})


def scope_of(arguments: JsonObject, place: str) -> str:
    """What a remembered yes covers: "this exact command, “git status”, in /home/bo"."""
    text = one_line(arguments["command"].strip(" "))
    return f"this exact command, “{text}”, in {one_line(place)}"


def command_fields(
    arguments: JsonObject, shell: Shell | None = None
) -> tuple[tuple[str, str], ...]:
    """What stands on the card below the whole command: its parts, and why it always asks."""
    command = arguments.get("command")
    if not isinstance(command, str):
        return ()
    reading = read_command(command, shell or this_shell())
    fields = []
    if len(reading.parts) > 1:
        lines = (f"{n}. {part.text}" for n, part in enumerate(reading.parts, 1))
        fields.append(("one after the other", visible("\n".join(lines))))
    if reading.why:
        fields.append(("always asks", visible(f"it {reading.why}")))
    return tuple(fields)
