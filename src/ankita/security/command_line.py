"""Reads a command line as a whole: which commands it holds, and whether nothing hides in it."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace
from functools import lru_cache

from ankita.security.command_line_judged import hidden_act
from ankita.security.command_line_parts import CommandReading, Part, Shell, not_understood
from ankita.security.command_line_posix import read_posix
from ankita.security.command_line_powershell import read_powershell
from ankita.security.display_text import one_line

__all__ = ["CommandReading", "Part", "Shell", "read_command", "this_shell"]

MAX_CHARACTERS = 4000
"""A longer line is not taken apart."""
MAX_REMEMBERED_CHARACTERS = 300
"""A longer line could not be read in a list of permissions."""


def this_shell() -> Shell:
    """The shell that commands are given to on this system."""
    return Shell.POWERSHELL if sys.platform == "win32" else Shell.POSIX


@lru_cache(maxsize=128)
def read_command(text: str, shell: Shell) -> CommandReading:
    """The line's commands, or why it is not understood. Total: any text gives an answer."""
    why = _odd_text(text)
    if why:
        return not_understood(why)
    read = read_powershell if shell is Shell.POWERSHELL else read_posix
    try:
        reading = read(text)
    except ImportError:
        return not_understood("can't be read: a part of Ankita is missing")
    return reading if reading.why else replace(reading, why=_why(text, reading, shell))


def _odd_text(text: str) -> str:
    if not text.strip():
        return "is empty"
    if len(text) > MAX_CHARACTERS:
        return "is too long to be read as a whole"
    if "\n" in text or "\r" in text:
        return "has more than one line"
    if one_line(text) != text or unicodedata.normalize("NFC", text) != text:
        return "has unusual characters"
    return ""


def _why(text: str, reading: CommandReading, shell: Shell) -> str:
    if len(reading.parts) > 1:
        return f"holds {len(reading.parts)} commands"
    (part,) = reading.parts
    if part.text != text.strip(" "):
        return "has more than its one command"
    if len(part.text) > MAX_REMEMBERED_CHARACTERS:
        return "is too long for a list of permissions"
    return hidden_act(part, shell)
