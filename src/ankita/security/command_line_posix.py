"""Takes a /bin/sh line apart; anything but plain words and plain joins is not understood."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from ankita.security.command_line_parts import (
    CommandReading,
    Part,
    gaps_hold_only,
    not_understood,
    parsed,
    raw,
    walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

JOINS = frozenset({"&&", "||", ";", "|"})
_WORD_KINDS = frozenset({"word", "number", "raw_string", "string", "concatenation"})
_KINDS = _WORD_KINDS | JOINS | {"program", "list", "pipeline", "command", "command_name"}
_INSIDE_A_WORD = _WORD_KINDS | {"string_content", '"'}

_BARE = r"[\w@%+=:,./-]"
_WORD = re.compile(rf"""(?:{_BARE}|'[^']*'|"[^"$`\\!]*")+""")
_PIECE = re.compile(rf"""{_BARE}+|'[^']*'|"[^"]*\"""")
_NAME = re.compile(r"[A-Za-z0-9_.+/-]+")

_WHY = {
    "redirected_statement": "redirects input or output",
    "heredoc_redirect": "redirects input or output",
    "command_substitution": "puts the output of a command into itself",
    "process_substitution": "puts the output of a command into itself",
    "simple_expansion": "uses a variable",
    "expansion": "uses a variable",
    "arithmetic_expansion": "uses a variable",
    "variable_assignment": "sets a variable",
    "variable_assignments": "sets a variable",
    "declaration_command": "sets a variable",
    "unset_command": "sets a variable",
    "subshell": "groups commands",
    "compound_statement": "groups commands",
    "function_definition": "defines a function",
    "&": "runs something in the background",
    "comment": "has a comment",
}
_ODD = "has a part that is not understood"


def read_posix(text: str) -> CommandReading:
    """The simple commands of the line. Raises ImportError where the grammar is missing."""
    import tree_sitter_bash
    from tree_sitter import Language

    root = parsed(Language(tree_sitter_bash.language()), text)
    if root.has_error:
        return not_understood(_ODD)
    commands: list[Node] = []
    for node in walk(root):
        if node.type in _WHY or node.type not in _KINDS | _INSIDE_A_WORD:
            return not_understood(_WHY.get(node.type, _ODD))
        if node.type == "command":
            commands.append(node)
    parts = [_part(command) for command in commands]
    known = [part for part in parts if part is not None]
    pieces = [(command.start_byte, command.end_byte) for command in commands]
    if not known or len(known) != len(parts) or not gaps_hold_only(text, pieces, JOINS):
        return not_understood(_ODD)
    return CommandReading(tuple(known), is_understood=True)


def _part(command: Node) -> Part | None:
    words = command.children
    if not words or words[0].type != "command_name":
        return None
    texts = [raw(word) for word in words]
    text = raw(command)
    start = command.start_byte
    pieces = [(word.start_byte - start, word.end_byte - start) for word in words]
    if not _NAME.fullmatch(texts[0]) or not all(map(_WORD.fullmatch, texts)):
        return None
    plain = tuple(map(_unquoted, texts))
    # Read a second time by other rules: where the two differ, it is not understood.
    if not gaps_hold_only(text, pieces) or tuple(_split(text)) != plain:
        return None
    return Part(plain, text)


def _unquoted(word: str) -> str:
    pieces: list[str] = _PIECE.findall(word)
    return "".join(piece[1:-1] if piece[0] in "'\"" else piece for piece in pieces)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return []
