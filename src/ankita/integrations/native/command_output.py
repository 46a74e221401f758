"""Keeps the beginning and the end of a command's output and passes lines on as they come."""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import Callable

HEAD_CHARACTERS = 32 * 1024
TAIL_CHARACTERS = 32 * 1024
LIVE_LINE_CHARACTERS = 1_000
LIVE_LINES_EACH_READ = 50
READ_BYTES = 64 * 1024


class CommandOutput:
    """The output of one command, both streams in one, in characters. Safe across threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._head = ""
        self._tail: list[str] = []
        self._tail_length = 0
        self._total = 0

    @property
    def total(self) -> int:
        """Characters so far, those cut included."""
        return self._total

    def add(self, text: str) -> None:
        with self._lock:
            self._total += len(text)
            room = HEAD_CHARACTERS - len(self._head)
            if room > 0:
                self._head += text[:room]
                text = text[room:]
            if text:
                self._tail.append(text)
                self._tail_length += len(text)
            if self._tail_length > 2 * TAIL_CHARACTERS:
                self._tail = ["".join(self._tail)[-TAIL_CHARACTERS:]]
                self._tail_length = TAIL_CHARACTERS

    def text(self, since: int = 0) -> tuple[str, int]:
        """The output from character `since` on, the middle cut and said, and where it ends."""
        with self._lock:
            tail = "".join(self._tail)[-TAIL_CHARACTERS:]
            head = self._head[since:]
            tail_start = self._total - len(tail)
            first_missing = max(since, len(self._head))
            missing = tail_start - first_missing
            if missing > 0:
                tail = f"\n[… {missing:,} characters cut …]\n{tail}"
            else:
                tail = tail[first_missing - tail_start :]
            return head + tail, self._total


class LineReporter:
    """Reports whole lines; of a burst only the last ones, so that watching never slows it."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._rest = ""

    def add(self, text: str) -> None:
        *lines, self._rest = (self._rest + text).split("\n")
        if len(self._rest) > LIVE_LINE_CHARACTERS:
            lines.append(self._rest)
            self._rest = ""
        if (hidden := len(lines) - LIVE_LINES_EACH_READ) > 0:
            self._report(f"[… {hidden:,} lines not shown live …]")
            lines = lines[hidden:]
        for line in lines:
            self._report(line.rstrip("\r")[:LIVE_LINE_CHARACTERS])

    def finish(self) -> None:
        if self._rest:
            self._report(self._rest)
            self._rest = ""


def pump(descriptor: int, output: CommandOutput, report: Callable[[str], None]) -> None:
    """Read until the end. Bytes that are not UTF-8 become replacement characters."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    reporter = LineReporter(report)
    while chunk := os.read(descriptor, READ_BYTES):
        text = decoder.decode(chunk)
        output.add(text)
        reporter.add(text)
    text = decoder.decode(b"", final=True)
    output.add(text)
    reporter.add(text)
    reporter.finish()
