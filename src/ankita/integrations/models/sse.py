"""Server-sent events from raw bytes, cut anywhere.

Written by hand because the model servers need three things that the HTTP library's
reader hides: the `error:` field that some of them send, the difference between a
comment and a payload, and a last event that the server closed without a blank line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""The most bytes that one unfinished event may hold."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")


class EventTooLargeError(ValueError):
    """One event outgrew the limit; the stream cannot be read on."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `data` lines are joined with a newline; `error` is a non-standard field."""

    name: str = ""
    data: str = ""
    error: str = ""


class SseParser:
    """Turns chunks of bytes into events; the result does not depend on where they are cut."""

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._line = bytearray()
        self._is_first_line = True
        self._is_after_cr = False
        self._event_bytes = 0
        self._name = ""
        self._data: list[str] = []
        self._errors: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that this chunk completes. Raises EventTooLargeError."""
        if self._is_after_cr and chunk:
            # The carriage return already ended the line, so that nothing waits for
            # the next chunk; a line feed behind it belongs to the same line end.
            self._is_after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return []
        self._is_after_cr = chunk.endswith(b"\r")
        events: list[ServerEvent] = []
        *complete, rest = _LINE_END.split(chunk)
        for piece in complete:
            self._grow(piece)
            self._end_line(events)
        self._grow(rest)
        return events

    def close(self) -> list[ServerEvent]:
        """The event that the server left without its blank line, if there is one."""
        events: list[ServerEvent] = []
        if self._line:
            self._end_line(events)
        self._dispatch(events)
        return events

    def _grow(self, piece: bytes) -> None:
        self._event_bytes += len(piece)
        if self._event_bytes > self._max_event_bytes:
            raise EventTooLargeError(f"One event is larger than {self._max_event_bytes} bytes.")
        self._line += piece

    def _end_line(self, events: list[ServerEvent]) -> None:
        raw = bytes(self._line)
        self._line.clear()
        if self._is_first_line:
            self._is_first_line = False
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        if not raw:
            self._dispatch(events)
        elif not raw.startswith(b":"):
            self._field(raw.decode("utf-8", errors="replace"))
        else:
            # Comments may come for ever without a blank line between them.
            self._event_bytes -= len(raw)

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "error":
            self._errors.append(value)

    def _dispatch(self, events: list[ServerEvent]) -> None:
        if self._data or self._errors or self._name == "error":
            events.append(ServerEvent(self._name, "\n".join(self._data), "\n".join(self._errors)))
        self._name = ""
        self._data = []
        self._errors = []
        self._event_bytes = 0
