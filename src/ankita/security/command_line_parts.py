"""What reading a command line gives: its simple commands, or why it is not understood."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node


class Shell(StrEnum):
    """What runs a command line: /bin/sh, or PowerShell on Windows."""

    POSIX = "posix"
    POWERSHELL = "powershell"


@dataclass(frozen=True, slots=True)
class Part:
    """One simple command: its words as the program gets them, and its own text."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class CommandReading:
    """`is_understood`: every character of the line belongs to a word of a part or joins parts.

    `why` says in a few words, after "it", why the line can't be remembered; it is empty
    only for one simple command that runs nothing behind it.
    """

    parts: tuple[Part, ...] = ()
    is_understood: bool = False
    why: str = ""

    @property
    def may_be_remembered(self) -> bool:
        """Whether a yes may cover this very line again."""
        return self.is_understood and len(self.parts) == 1 and not self.why


def not_understood(why: str) -> CommandReading:
    """The reading of a line that is never remembered and never taken apart."""
    return CommandReading(why=why)


def walk(root: Node) -> Iterator[Node]:
    """The node and everything in it, in the order of the text, without recursion."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def parsed(language: Language, text: str) -> Node:
    """The root of the syntax tree."""
    from tree_sitter import Parser

    return Parser(language).parse(text.encode("utf-8")).root_node


def raw(node: Node) -> str:
    """The node's own text."""
    return (node.text or b"").decode("utf-8")


def gaps_hold_only(text: str, pieces: list[tuple[int, int]], allowed: Collection[str] = ()) -> bool:
    """Whether nothing but spaces and the `allowed` signs lies outside the pieces.

    `pieces` are (start, end) in bytes, in order. It is asked of what a grammar found, so
    that a character which the grammar passes over is never taken for nothing.
    """
    data, at = text.encode("utf-8"), 0
    for start, end in [*pieces, (len(data), len(data))]:
        gap = data[at:start].decode("utf-8").strip(" ")
        if gap and gap not in allowed:
            return False
        at = end
    return True
