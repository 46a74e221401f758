"""Splits growing Markdown into blocks that are complete and a tail that may still change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONG_TAIL = 6_000
"""Characters after which a list or a code block is cut, so that the part that is laid out
again stays small."""

_ENDED_BY_A_BLANK_LINE = frozenset(
    {"paragraph_open", "heading_open", "table_open", "blockquote_open", "hr"}
)
"""Unlike lists and indented code, which may go on after one."""

_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One top-level block as parser tokens.

    `continues` says that it carries on the list or code before it, which was cut;
    `is_open` that the next one will carry on this. `start_at` is the number of
    the first item of an ordered list.
    """

    tokens: Sequence[Token]
    continues: bool = False
    is_open: bool = False
    start_at: int | None = None


class BlockSplitter:
    """Takes text piece by piece. Each character is parsed a few times at most."""

    def __init__(self, definitions_from: str = "") -> None:
        self._env: dict[str, Any] = {}
        self._tail = ""
        self._held_return = False
        self._continues = False
        self._next_number: int | None = None
        definitions = _DEFINITION.findall(definitions_from)
        if definitions:
            load_parser().parse("\n".join(definitions), self._env)

    @property
    def tail(self) -> str:
        """The text that is not part of a complete block yet."""
        return self._tail

    def add(self, text: str) -> None:
        """Append to the tail without parsing."""
        self._tail += self._with_plain_newlines(text)

    def take_complete(self) -> list[Block]:
        """Remove and return the blocks that later text can no longer change."""
        lines_end = self._tail.rfind("\n") + 1
        settled = self._tail[:lines_end]
        groups = _groups(load_parser().parse(settled, self._env)) if settled.strip() else []
        if not groups:
            return []
        done = [self._marked(group) for group in groups[:-1]]
        if _is_closed(groups[-1], settled):
            self._tail = self._tail[lines_end:]
            return [*done, self._marked(groups[-1])]
        cut_line = _first_line(groups[-1])
        cut = self._cut(groups[-1], settled, cut_line)
        if cut is not None:
            block, rest = cut
            done.append(block)
            self._tail = rest + self._tail[lines_end:]
        else:
            self._tail = self._tail[_offset_of_line(settled, cut_line) :]
        return done

    def tail_blocks(self) -> list[Block]:
        """The tail as it reads now; it stays the tail."""
        groups = _groups(load_parser().parse(self._tail, self._env)) if self._tail.strip() else []
        return [
            Block(
                group,
                continues=self._continues and at == 0,
                start_at=self._next_number if at == 0 else None,
            )
            for at, group in enumerate(groups)
        ]

    def take_tail(self) -> str:
        """Remove and return the tail's text; what is added next goes on in its place."""
        tail, self._tail = self._tail, ""
        return tail

    def finish(self) -> list[Block]:
        """Everything that is left, complete."""
        blocks = self.tail_blocks()
        self._tail = ""
        self._continues = False
        self._next_number = None
        return blocks

    def _marked(self, group: Sequence[Token]) -> Block:
        block = Block(group, continues=self._continues, start_at=self._next_number)
        self._continues = False
        self._next_number = None
        return block

    def _cut(
        self, group: Sequence[Token], settled: str, first_line: int
    ) -> tuple[Block, str] | None:
        """Cut a long last block in two: what is done, and the text that goes on."""
        start = _offset_of_line(settled, first_line)
        if len(settled) - start < LONG_TAIL:
            return None
        if group[0].type == "fence":
            return self._cut_code(group[0])
        if group[0].type in ("bullet_list_open", "ordered_list_open"):
            return self._cut_list(group, settled)
        return None

    def _cut_code(self, fence: Token) -> tuple[Block, str]:
        block = Block([fence], continues=self._continues, is_open=True)
        self._continues = True
        return block, f"{fence.markup}{fence.info}\n"

    def _cut_list(self, group: Sequence[Token], settled: str) -> tuple[Block, str] | None:
        starts = [
            at
            for at, token in enumerate(group)
            if token.type == "list_item_open" and token.level == 1
        ]
        if len(starts) < 2:
            return None
        last = group[starts[-1]]
        line = last.map[0] if last.map else 0
        first_number = self._next_number or int(group[0].attrGet("start") or 1)
        block = Block(
            [*group[: starts[-1]], group[-1]],
            continues=self._continues,
            is_open=True,
            start_at=self._next_number,
        )
        self._continues = True
        self._next_number = first_number + len(starts) - 1
        return block, settled[_offset_of_line(settled, line) :]

    def _with_plain_newlines(self, text: str) -> str:
        """CRLF and CR become LF, also where a chunk ends between the two."""
        if self._held_return:
            text = "\r" + text
            self._held_return = False
        if text.endswith("\r"):
            text = text[:-1]
            self._held_return = True
        return text.replace("\r\n", "\n").replace("\r", "\n")


def has_definitions(text: str) -> bool:
    """True when a line such as `[1]: https://…` may give meaning to text before it."""
    return _DEFINITION.search(text) is not None


@cache
def load_parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough. Raw HTML stays text."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _groups(tokens: Sequence[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            groups.append([])
        groups[-1].append(token)
        depth += token.nesting
    return groups


def _is_closed(group: Sequence[Token], settled: str) -> bool:
    """True when no line after `settled` can belong to this last block."""
    first = group[0]
    if first.type == "fence":
        lines = settled.rstrip("\n").split("\n")[_first_line(group) :]
        last = lines[-1].strip()
        return len(lines) > 1 and last.startswith(first.markup) and not last.strip(first.markup[0])
    return first.type in _ENDED_BY_A_BLANK_LINE and settled.endswith("\n\n")


def _first_line(group: Sequence[Token]) -> int:
    return group[0].map[0] if group[0].map else 0


def _offset_of_line(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at
