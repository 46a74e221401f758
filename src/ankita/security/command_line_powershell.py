"""Takes a PowerShell line apart; anything but plain words and plain joins is not understood."""

from __future__ import annotations

import re
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
_WORD_KINDS = frozenset({"generic_token", "command_parameter", "array_literal_expression"})
_INSIDE_A_WORD = frozenset(
    {
        "unary_expression",
        "string_literal",
        "verbatim_string_characters",
        "expandable_string_literal",
        "integer_literal",
        "decimal_integer_literal",
    }
)
_AROUND = frozenset(
    {
        "program",
        "statement_list",
        "pipeline",
        "pipeline_chain",
        "pipeline_chain_tail",
        "empty_statement",
        "command",
        "command_name",
        "command_elements",
        "command_argument_sep",
        " ",
        ":",
    }
)
_KINDS = _WORD_KINDS | _INSIDE_A_WORD | _AROUND | JOINS

# PowerShell takes curly quotes for quotes and some dashes for "-"; neither is in here. A
# quote or a last backslash inside quotes reaches old versions' programs as another word.
_QUOTED = r"""'[^'"‘’‚‛“”„`]*[^'"‘’‚‛“”„`\\]'|"[^'"‘’‚‛“”„`$]*[^'"‘’‚‛“”„`$\\]\""""
_WORD = re.compile(rf"[\w./\\+=-][\w./\\:+=-]*|{_QUOTED}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")

_WHY = {
    "redirection": "redirects input or output",
    "sub_expression": "puts the output of a command into itself",
    "array_expression": "puts the output of a command into itself",
    "script_block_expression": "holds a script block",
    "variable": "uses a variable",
    "assignment_expression": "sets a variable",
    "command_invokation_operator": "runs what a value names",
    "stop_parsing": "turns off how arguments are read",
    "function_statement": "defines a function",
    "comment": "has a comment",
}
_ODD = "has a part that is not understood"


def read_powershell(text: str) -> CommandReading:
    """The simple commands of the line. Raises ImportError where the grammar is missing."""
    import tree_sitter_powershell
    from tree_sitter import Language

    root = parsed(Language(tree_sitter_powershell.language()), text)
    commands: list[Node] = []
    for node in walk(root):
        if node.type in _WHY:
            return not_understood(_WHY[node.type])
        if node.is_error or node.is_missing or node.type not in _KINDS:
            return not_understood(_ODD)
        if node.type == "command":
            commands.append(node)
    parts = [_part(command) for command in commands]
    known = [part for part in parts if part is not None]
    pieces = [_span(command) for command in commands]
    if root.has_error or not known or len(known) != len(parts):
        return not_understood(_ODD)
    if not gaps_hold_only(text, pieces, JOINS):
        return not_understood(_ODD)
    return CommandReading(tuple(known), is_understood=True)


def _words(command: Node) -> list[Node]:
    """The name and the arguments; a separator is part of the tree here and no word."""
    elements = [e for child in command.children for e in (child.children or [child])]
    return [e for e in elements if e.type in _WORD_KINDS or e.type == "command_name"]


def _span(command: Node) -> tuple[int, int]:
    words = _words(command)
    return (command.start_byte, words[-1].end_byte if words else command.end_byte)


def _part(command: Node) -> Part | None:
    words = _words(command)
    texts = [raw(word) for word in words]
    start, end = _span(command)
    text = (command.text or b"")[: end - start].decode("utf-8")
    pieces = [(word.start_byte - start, word.end_byte - start) for word in words]
    # "-Name:value" is two words with a sign between them.
    if not words or not gaps_hold_only(text, pieces, {":"}):
        return None
    if not _NAME.fullmatch(texts[0]) or not all(map(_WORD.fullmatch, texts)):
        return None
    plain = (word[1:-1] if word[0] in "'\"" else word for word in texts)
    return Part(tuple(plain), text)
