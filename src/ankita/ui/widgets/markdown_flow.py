"""The text of one reply on its way into a document: what is laid out when, and how often."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextDocument

from ankita.ui.theme import appearance_now, body_font
from ankita.ui.widgets.markdown_blocks import LONG_TAIL, BlockSplitter, has_definitions, load_parser
from ankita.ui.widgets.markdown_writer import DocumentWriter, Mark

SLICE_CHARACTERS = 2_000
SLICE_SECONDS = 0.006
"""A long text is laid out in slices of about this long, so that no frame is missed."""

TAIL_SECONDS = 0.08
"""The growing block is read as Markdown again at most this often, or at each new line."""

TAIL_SHARE = 12
"""… and never so often that this takes more than one part in twelve of the time."""

CHEAP_SECONDS = 0.004
"""Work of up to this long may be done for every piece that arrives."""


class MarkdownFlow(QObject):
    """Fills one document. A block that is complete is laid out once and left alone."""

    laid_out = Signal()
    """A whole text is in the document."""

    def __init__(self, document: QTextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._slice_timer = QTimer(self)
        self._slice_timer.setSingleShot(True)
        self._slice_timer.timeout.connect(self._lay_out_slice)
        self._tail_timer = QTimer(self)
        self._tail_timer.setSingleShot(True)
        self._tail_timer.timeout.connect(self._render_tail)
        self._source = ""
        self._waiting = ""
        self._is_plain = False
        self._streaming = False
        self._open_code = False
        self._tail_cost = 0.0
        self._plain_cost = 0.0
        self._tail_at = 0.0
        self._begin("")

    @property
    def source(self) -> str:
        """All the text given so far."""
        return self._source

    @property
    def is_complete(self) -> bool:
        """False while it streams, or while slices of a long text wait."""
        return not self._streaming and not self._waiting

    def set_text(self, markdown: str) -> None:
        """Lay out a whole text; a long one from the top, slice by slice."""
        self._restart(markdown)
        self._source = markdown
        self._waiting = markdown
        self._lay_out_slice()

    def set_plain_text(self, text: str) -> None:
        """Lay out text as it is."""
        self._restart("")
        self._source = text
        self._is_plain = True
        self._writer.write_plain(text.replace("\r\n", "\n"))
        self.laid_out.emit()

    def append(self, text: str) -> None:
        """Take the next piece of a stream. Only the last block is laid out again."""
        if not text:
            return
        if not self._streaming and self._source:
            # A whole text goes on after all: its last block must be able to grow.
            self._resume(self._source + text)
            return
        self._streaming = True
        self._source += text
        self._splitter.add(text)
        now = time.perf_counter()
        pause = max(TAIL_SECONDS, self._tail_cost * TAIL_SHARE)
        line_ended = "\n" in text and self._tail_cost < CHEAP_SECONDS
        is_due = line_ended or now - self._tail_at >= pause
        if is_due and not self._grows_open_code(text):
            self._render_tail()
            return
        if self._plain_cost < CHEAP_SECONDS:
            self._writer.append_plain(text)
            self._plain_cost = time.perf_counter() - now
        if not self._tail_timer.isActive():
            self._tail_timer.start(math.ceil(pause * 1000))

    def finish(self, full_text: str) -> None:
        """End of the stream. Lays out again only what `full_text` has and the stream had not."""
        if self._streaming and full_text == self._source and not has_definitions(full_text):
            self._tail_timer.stop()
            self._streaming = False
            self._waiting = self._splitter.take_tail()
            self._writer.rewind(self._mark)
            self._lay_out_slice()
        elif self._streaming or full_text != self._source:
            self.set_text(full_text)

    def refresh(self) -> None:
        """Lay out everything again, in the look that the application has now."""
        if self._is_plain:
            self.set_plain_text(self._source)
        elif self._streaming:
            self._resume(self._source)
        elif self._source:
            self.set_text(self._source)

    def _restart(self, definitions_from: str) -> None:
        self._tail_timer.stop()
        self._slice_timer.stop()
        self._source = ""
        self._waiting = ""
        self._is_plain = False
        self._streaming = False
        self._open_code = False
        self._tail_cost = 0.0
        self._plain_cost = 0.0
        self._tail_at = 0.0
        self._document.clear()
        self._begin(definitions_from)

    def _begin(self, definitions_from: str) -> None:
        look = appearance_now()
        self._document.setDefaultFont(body_font(look.scale))
        self._writer = DocumentWriter(self._document, look)
        self._splitter = BlockSplitter(definitions_from)
        self._mark: Mark = self._writer.mark()

    def _resume(self, source: str) -> None:
        self._restart("")
        self._streaming = True
        self._source = source
        self._splitter.add(source)
        self._render_tail()

    def _lay_out_slice(self) -> None:
        """Lay out what fits into one slice of time and leave the rest for the next."""
        ends_at = time.perf_counter() + SLICE_SECONDS
        while self._waiting:
            piece = self._waiting[:SLICE_CHARACTERS]
            self._waiting = self._waiting[SLICE_CHARACTERS:]
            self._splitter.add(piece)
            self._writer.write(self._splitter.take_complete())
            if self._waiting and time.perf_counter() >= ends_at:
                self._slice_timer.start(0)
                return
        self._writer.write(self._splitter.finish())
        self._end_of_text()

    def _end_of_text(self) -> None:
        self._writer.close_gap()
        self.laid_out.emit()

    def _render_tail(self) -> None:
        """Read the growing block as Markdown; blocks that became complete are left for good."""
        self._tail_timer.stop()
        load_parser()  # outside the measured time: its first use loads a library
        started = time.perf_counter()
        settled = self._splitter.take_complete()
        tail = self._splitter.tail_blocks()
        self._mark = self._writer.replace(self._mark, settled, tail)
        self._open_code = bool(tail) and tail[-1].tokens[0].type == "fence"
        self._tail_at = time.perf_counter()
        self._tail_cost = self._tail_at - started
        self._plain_cost = 0.0

    def _grows_open_code(self, text: str) -> bool:
        """True when `text` can only be more lines of the code block at the end."""
        may_close = "`" in text or "~" in text
        return self._open_code and not may_close and len(self._splitter.tail) < LONG_TAIL
