"""Writes Markdown blocks into a QTextDocument through a cursor, so that no HTML is ever read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from ankita.ui.theme import Appearance
from ankita.ui.widgets.markdown_blocks import Block
from ankita.ui.widgets.markdown_formats import (
    CODE_PADDING_Y,
    CODE_PROPERTY,
    ITEM_PROPERTY,
    PARAGRAPH_GAP,
    RULE_PROPERTY,
    Formats,
    Place,
    aligned,
)
from ankita.ui.widgets.markdown_inline import LINE_SEPARATOR, InlineWriter, safe

if TYPE_CHECKING:
    from markdown_it.token import Token

_LISTS = ("bullet_list_open", "ordered_list_open")
_BULLETS = ("•", "◦", "▪")


class Fresh(Enum):
    """Why the last text block is empty and must be used before a new one is made."""

    NO = "no"
    START = "start"
    AFTER_TABLE = "after a table"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to rewind to, and whether its text block is still to be used."""

    position: int
    fresh: Fresh
    code_count: int


class DocumentWriter:
    """Writes at the end of one document."""

    def __init__(self, document: QTextDocument, appearance: Appearance) -> None:
        self._document = document
        self._formats = Formats(appearance)
        self._inline = InlineWriter(self._formats)
        self._cursor = QTextCursor(document)
        self._fresh = Fresh.START
        self._code_count = 0
        document.setIndentWidth(self._formats.indent)

    @property
    def _at_start(self) -> bool:
        return self._fresh is Fresh.START

    def mark(self) -> Mark:
        """The end of what is written."""
        return Mark(self._document.characterCount() - 1, self._fresh, self._code_count)

    def rewind(self, mark: Mark) -> None:
        """Remove everything written after `mark`."""
        self._cursor.setPosition(mark.position)
        self._cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        self._cursor.removeSelectedText()
        self._fresh = mark.fresh
        self._code_count = mark.code_count

    def write(self, blocks: Sequence[Block]) -> None:
        """Write whole blocks; the document lays each of them out once."""
        self.replace(self.mark(), blocks, ())

    def replace(self, mark: Mark, settled: Sequence[Block], tail: Sequence[Block]) -> Mark:
        """Put `settled` and then `tail` in place of what follows `mark`, in one layout.

        Returns the mark between the two.
        """
        self._cursor.beginEditBlock()
        try:
            self.rewind(mark)
            for block in settled:
                self._write_block(block)
            between = self.mark()
            for block in tail:
                self._write_block(block)
        finally:
            self._cursor.endEditBlock()
        return between

    def close_gap(self) -> None:
        """Take away the space under the last block; it belongs to the column around it."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        last = self._cursor.blockFormat()
        last.setBottomMargin(CODE_PADDING_Y if last.hasProperty(CODE_PROPERTY) else 0)
        self._cursor.setBlockFormat(last)

    def append_plain(self, text: str) -> None:
        """Add text as it is to the last text block, in the look it has."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._fresh is not Fresh.NO:
            self._begin(self._formats.paragraph_block(Place()), self._formats.body())
        if self._cursor.blockFormat().hasProperty(CODE_PROPERTY):
            lines = text.split("\n")
            place = self._cursor.blockFormat()
            place.setTopMargin(0)
            self._cursor.insertText(safe(lines[0]), self._formats.code())
            for line in lines[1:]:
                self._cursor.insertBlock(place, self._formats.code())
                self._cursor.insertText(safe(line))
            return
        shown = LINE_SEPARATOR.join(safe(line) for line in text.split("\n"))
        self._cursor.insertText(shown, self._cursor.blockCharFormat())

    def write_plain(self, text: str) -> None:
        """Write what a person typed: each line as it is, nothing read as Markdown."""
        self._cursor.beginEditBlock()
        try:
            for line in text.split("\n"):
                self._begin(self._formats.spaced(Place(), 0), self._formats.body())
                self._cursor.insertText(safe(line))
        finally:
            self._cursor.endEditBlock()

    # --- blocks ------------------------------------------------------------

    def _write_block(self, block: Block) -> None:
        if block.tokens[0].type == "fence":
            self._write_code(
                block.tokens[0].content, Place(), block.continues, ends=not block.is_open
            )
            return
        self._write_tokens(block.tokens, Place(), start_at=block.start_at)
        if block.tokens[0].type in _LISTS and not block.is_open:
            self._leave_gap()

    def _write_tokens(
        self, tokens: Sequence[Token], place: Place, start_at: int | None = None
    ) -> None:
        at = 0
        while at < len(tokens):
            end = _end_of(tokens, at)
            self._write_one(tokens[at : end + 1], place, start_at)
            at = end + 1

    def _write_one(self, tokens: Sequence[Token], place: Place, start_at: int | None) -> None:
        first = tokens[0]
        inner = tokens[1:-1]
        match first.type:
            case "heading_open":
                level = int(first.tag[1])
                self._begin(
                    self._formats.heading_block(level, place, at_start=self._at_start),
                    self._formats.heading(level),
                )
                self._inline.write(inner[0], self._formats.heading(level), self._cursor)
            case "paragraph_open":
                body = self._formats.body(muted=place.quotes > 0)
                self._begin(self._formats.paragraph_block(place), body)
                self._inline.write(inner[0], body, self._cursor)
            case "fence" | "code_block":
                self._write_code(first.content, place)
            case "blockquote_open":
                self._write_tokens(inner, Place(place.lists, place.quotes + 1, place.extra))
            case "bullet_list_open" | "ordered_list_open":
                self._write_list(first, inner, place, start_at)
            case "table_open":
                self._write_table(inner)
            case "hr":
                self._write_rule(place)
            case _:
                # Anything unknown is still shown, as the text it came from.
                self._begin(self._formats.paragraph_block(place), self._formats.body())
                self._cursor.insertText(safe(first.content))

    def _begin(self, block: QTextBlockFormat, character: QTextCharFormat) -> None:
        """Start a text block; the very first and the one after a table are there already."""
        if self._fresh is Fresh.NO:
            self._cursor.insertBlock(block, character)
            return
        self._fresh = Fresh.NO
        self._cursor.setBlockFormat(block)
        self._cursor.setBlockCharFormat(character)
        self._cursor.setCharFormat(character)

    def _write_code(
        self, content: str, place: Place, continues: bool = False, *, ends: bool = True
    ) -> None:
        # Printed output often ends with empty lines; a panel needs no room for them.
        code = content.rstrip("\n") if ends else content.removesuffix("\n")
        lines = code.split("\n") if content or not continues else []
        if not continues:
            self._code_count += 1
        character = self._formats.code()
        for at, line in enumerate(lines):
            row = self._formats.code_block(place, self._code_count)
            if at == 0 and not continues:
                row.setTopMargin(CODE_PADDING_Y + (0 if self._at_start else PARAGRAPH_GAP))
            self._begin(row, character)
            self._cursor.insertText(safe(line), character)
        # The room under the panel goes with its last line alone.
        if ends:
            last = self._cursor.blockFormat()
            last.setBottomMargin(CODE_PADDING_Y + PARAGRAPH_GAP)
            self._cursor.setBlockFormat(last)

    def _write_list(
        self, first: Token, inner: Sequence[Token], place: Place, start_at: int | None
    ) -> None:
        depth = place.lists + 1
        number: int | None = None
        extra = place.extra
        if first.type == "ordered_list_open":
            number = start_at if start_at is not None else int(first.attrGet("start") or 1)
            items = sum(token.type == "list_item_open" for token in inner)
            extra += self._formats.room_for_numbers(number + items)
        at = 0
        while at < len(inner):
            end = _end_of(inner, at)
            mark = _BULLETS[min(depth, len(_BULLETS)) - 1] if number is None else f"{number}."
            self._write_item(inner[at + 1 : end], Place(depth, place.quotes, extra), mark)
            number = None if number is None else number + 1
            at = end + 1

    def _write_item(self, tokens: Sequence[Token], place: Place, mark: str) -> None:
        body = self._formats.body(muted=place.quotes > 0)
        item = self._formats.paragraph_block(place)
        is_paragraph = bool(tokens) and tokens[0].type == "paragraph_open"
        inline = tokens[1] if is_paragraph else None
        item.setProperty(ITEM_PROPERTY, _task_mark(inline) or mark)
        self._begin(item, body)
        if inline is not None:
            self._inline.write(inline, body, self._cursor)
            tokens = tokens[3:]
        self._write_tokens(tokens, place)

    def _leave_gap(self) -> None:
        """After a whole list: the room of a paragraph instead of that between items."""
        last = self._cursor.blockFormat()
        last.setBottomMargin(max(last.bottomMargin(), PARAGRAPH_GAP))
        self._cursor.setBlockFormat(last)

    def _write_rule(self, place: Place) -> None:
        rule = self._formats.paragraph_block(place)
        rule.setProperty(RULE_PROPERTY, 1)
        self._begin(rule, self._formats.body())
        # Qt gives an empty text block no room when it follows a table.
        self._cursor.insertText("\u00a0")

    def _write_table(self, tokens: Sequence[Token]) -> None:
        rows = _table_rows(tokens)
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return
        # Qt gives a table no room above; a line of one pixel before it does.
        self._begin(self._formats.thin_block(), self._formats.tiny())
        table = self._cursor.insertTable(len(rows), columns, self._formats.table())
        for row_at, row in enumerate(rows):
            for column, (cell, align) in enumerate(row):
                character = self._formats.strong() if row_at == 0 else self._formats.body()
                inside = table.cellAt(row_at, column).firstCursorPosition()
                inside.setBlockFormat(aligned(align))
                inside.setBlockCharFormat(character)
                self._inline.write(cell, character, inside)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.setBlockFormat(self._formats.thin_block())
        self._cursor.setBlockCharFormat(self._formats.tiny())
        self._fresh = Fresh.AFTER_TABLE


def _task_mark(inline: Token | None) -> str:
    """The box of a task such as "[x] done", which is then taken off the text."""
    children = inline.children if inline is not None else None
    if not children or children[0].type != "text":
        return ""
    for start, box in (("[ ] ", "☐"), ("[x] ", "☑"), ("[X] ", "☑")):
        if children[0].content.startswith(start):
            children[0].content = children[0].content[len(start) :]
            return box
    return ""


def _end_of(tokens: Sequence[Token], start: int) -> int:
    """Index of the token that closes the one at `start` (itself when it stands alone)."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth == 0:
            return at
    return len(tokens) - 1


def _table_rows(tokens: Sequence[Token]) -> list[list[tuple[Token, str]]]:
    rows: list[list[tuple[Token, str]]] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append((tokens[at + 1], str(token.attrGet("style") or "")))
    return rows
