"""The terminal as text in and out: prompts, streamed text, whole lines."""

from __future__ import annotations

import sys
from typing import TextIO

from ankita.cli.lines import printable
from ankita.engine.actions import Surface, complete


class Console:
    """Knows whether the cursor stands at the start of a line; shows no control characters."""

    def __init__(self, source: TextIO, sink: TextIO) -> None:
        self._source = source
        self._sink = sink
        self._at_line_start = True

    def read(self, prompt: str, *, interruptible: bool = False) -> str | None:
        """One line, None at the end of the input. Ctrl+C gives an empty line, or is raised."""
        if not self._at_line_start:
            self.say("")
        if self._source is sys.stdin and self._source.isatty():
            try:
                return input(prompt)
            except EOFError:
                return None
            except KeyboardInterrupt:
                self.say("")
                if interruptible:
                    raise
                return ""
        line = self._source.readline()
        return line.rstrip("\n") if line else None

    def write(self, text: str) -> None:
        """A piece of streamed text, without a line's end of its own."""
        if text:
            self._sink.write(printable(text))
            self._sink.flush()
            self._at_line_start = text.endswith("\n")

    def say(self, line: str) -> None:
        """A whole line; an empty one only ends what was streamed."""
        if not self._at_line_start:
            self._sink.write("\n")
            if not line:
                self._at_line_start = True
                return
        self._sink.write(printable(line) + "\n")
        self._sink.flush()
        self._at_line_start = True


def complete_names() -> None:
    """Tab completes command names where the terminal can (not on Windows)."""
    try:
        import readline
    except ImportError:
        return

    def completer(text: str, index: int) -> str | None:
        if not text.startswith("/"):
            return None
        names = complete(text[1:], Surface.TERMINAL)
        return f"/{names[index]} " if index < len(names) else None

    readline.set_completer_delims(" \t\n")
    readline.set_completer(completer)
    readline.parse_and_bind("tab: complete")
