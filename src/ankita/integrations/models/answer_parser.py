"""Bytes of a model's answer become its events, whatever the wire format: pure, no I/O.

An answer is an event stream, or one document (an error, or a reply that was not
streamed). The same bytes give the same events however they are cut.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum

from ankita.errors import ModelError, ModelInterruptedError, ModelMalformedError
from ankita.integrations.models.server_errors import not_a_model_server
from ankita.integrations.models.sse import EventTooLargeError, ServerEvent, SseParser
from ankita.messages import Json, ModelEvent

MAX_JSON_BYTES = 8 * 1024 * 1024
"""The most bytes of an answer that is one JSON document instead of a stream."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FIRST_BYTE = re.compile(rb"\S")


class AnswerForm(Enum):
    UNKNOWN = "unknown"
    STREAM = "stream"
    JSON = "json"


class AnswerParser(ABC):
    """Reads one answer with status 200; implements `model_stream.StreamParser`.

    Feed it chunks, then `close` it; each gives the events that became certain. After
    that `failure` is the error to raise, or None when the reply is whole.
    `sort_error` turns an error body into a ModelError.
    """

    def __init__(self, sort_error: Callable[[Json], ModelError], *, server: str) -> None:
        self._sort_error = sort_error
        self._server = server
        self._sse = SseParser()
        self._form = AnswerForm.UNKNOWN
        self._document = bytearray()
        self._blank = 0
        self.failure: ModelError | None = None
        self.payloads = 0
        """Pieces so far that were more than a sign of life."""
        self.is_done = False
        """The server said that nothing follows."""

    @property
    @abstractmethod
    def is_finished(self) -> bool:
        """The reply itself is whole; at most figures can follow."""

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """The events that this chunk completes."""
        if self._form is not AnswerForm.STREAM:
            self._document += chunk
            if self._form is AnswerForm.UNKNOWN:
                self._form, self._blank = form_of(self._document, self._blank)
            if self._form is not AnswerForm.STREAM:
                self.payloads += self._form is AnswerForm.JSON and bool(chunk.strip())
                is_endless = len(self._document) > MAX_JSON_BYTES
                return self._fail(self._stranger()) if is_endless else []
            chunk = bytes(self._document)
            self._document.clear()
        try:
            return self._take_all(self._sse.feed(chunk))
        except EventTooLargeError:
            return self._fail(self._malformed())

    def close(self, because: ModelError | None = None) -> list[ModelEvent]:
        """The rest, when nothing more will come.

        Sets `failure` when the reply is not whole: to `because` if that is given, the
        reason why no more was read.
        """
        if self.failure is not None:
            return []
        if self._form is AnswerForm.STREAM:
            events = self._take_all(self._sse.close(), is_last=True)
        elif self._document.strip():
            events = self._take_document(bytes(self._document), because)
        else:
            events = []
        if self.failure is not None:
            return events
        events += self._held_back()
        if self.is_finished:
            return events + self._ending()
        self.failure = because or ModelInterruptedError(
            f"{self._server} stopped before the reply was finished.",
            advice="Try again; what was already said is kept.",
        )
        return events

    @abstractmethod
    def _take_block(self, block: ServerEvent, *, is_last: bool) -> list[ModelEvent]:
        """The events of one block of the stream; `is_last` may be cut off."""

    @abstractmethod
    def _take_document(self, document: bytes, because: ModelError | None) -> list[ModelEvent]:
        """The events of an answer that is one document."""

    @abstractmethod
    def _held_back(self) -> list[ModelEvent]:
        """Text that waited for more."""

    @abstractmethod
    def _ending(self) -> list[ModelEvent]:
        """The calls, the figures and the end of a whole reply."""

    def _malformed(self) -> ModelError:
        return ModelMalformedError(
            f"{self._server} sent a piece of the reply that cannot be read.",
            advice="Try again, or choose another model.",
        )

    def _stranger(self) -> ModelError:
        return not_a_model_server(self._server)

    def _fail(self, error: ModelError) -> list[ModelEvent]:
        """Remember the failure; the text before it is still part of the thread."""
        events = self._held_back()
        self.failure = error
        return events

    def _take_all(self, blocks: list[ServerEvent], *, is_last: bool = False) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for block in blocks:
            if self.failure is not None:
                break
            events += self._take_block(block, is_last=is_last)
        return events


def form_of(document: bytearray, blank: int) -> tuple[AnswerForm, int]:
    """Judged by the first byte: no line of an event stream begins with these.

    The first `blank` bytes are known to tell nothing; comes back with how many those are now.
    """
    if _BYTE_ORDER_MARK.startswith(document[:3]):
        if len(document) < len(_BYTE_ORDER_MARK):
            return AnswerForm.UNKNOWN, 0
        blank = max(blank, len(_BYTE_ORDER_MARK))
    first = _FIRST_BYTE.search(document, blank)
    if first is None:
        return AnswerForm.UNKNOWN, len(document)
    return AnswerForm.JSON if first[0] in b"{[<" else AnswerForm.STREAM, first.start()
