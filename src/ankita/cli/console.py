"""The terminal as text in and out: prompts, streamed text, whole lines, words nobody sees."""

from __future__ import annotations

import sys
import threading
from typing import TextIO

from ankita.cli.lines import printable
from ankita.engine.actions import Surface, complete

CLEAR_LINE = "\r\x1b[K"


class Console:
    """Knows whether the cursor stands at the start of a line; shows no control characters.

    `aside` takes what is told about the work; a script that wants the reply alone keeps
    it apart. Two threads may write: the one that talks and the one that tells news.
    """

    def __init__(self, source: TextIO, sink: TextIO, aside: TextIO | None = None) -> None:
        self._source = source
        self._sink = sink
        self._aside = aside or sink
        self._at_line_start = True
        self._prompt = ""
        self._writing = threading.RLock()

    @property
    def is_terminal(self) -> bool:
        """Whether a person types here."""
        return self._source is sys.stdin and self._source.isatty()

    def read(self, prompt: str, *, interruptible: bool = False) -> str | None:
        """One line, None at the end of the input. Ctrl+C gives an empty line, or is raised."""
        self.end_line()
        if not self.is_terminal:
            line = self._source.readline()
            return line.rstrip("\n") if line else None
        self._prompt = prompt
        try:
            return input(prompt)
        except EOFError:
            return None
        except KeyboardInterrupt:
            self.say("")
            if interruptible:
                raise
            return ""
        finally:
            self._prompt = ""

    def secret(self, prompt: str) -> str | None:
        """A line that is not shown; None when nobody types here or they gave up."""
        if not self.is_terminal:
            return None
        import getpass

        self.end_line()
        try:
            return getpass.getpass(prompt)
        except (EOFError, KeyboardInterrupt):
            self.say("")
            return None

    def write(self, text: str) -> None:
        """A piece of streamed text, without a line's end of its own."""
        if not text:
            return
        with self._writing:
            self._sink.write(printable(text))
            self._sink.flush()
            self._at_line_start = text.endswith("\n")

    def end_line(self) -> None:
        """Begin a new line, unless the cursor stands at the start of one."""
        with self._writing:
            if not self._at_line_start:
                self._sink.write("\n")
                self._sink.flush()
                self._at_line_start = True

    def say(self, line: str) -> None:
        """A whole line; an empty one only ends what was streamed."""
        with self._writing:
            was_streaming = not self._at_line_start
            self.end_line()
            if line or not was_streaming:
                self._put(self._sink, line)

    def note(self, line: str) -> None:
        """A whole line about the work, not part of the reply."""
        if self._aside is self._sink:
            self.say(line)
        else:
            with self._writing:
                self._put(self._aside, line)

    def interject(self, line: str) -> None:
        """A whole line while a person may be typing: what they typed is shown again."""
        with self._writing:
            if not self._prompt:
                self.note(line)
                return
            self._sink.write(f"{CLEAR_LINE}{printable(line)}\n{self._prompt}{_typed_so_far()}")
            self._sink.flush()

    def _put(self, where: TextIO, line: str) -> None:
        where.write(printable(line) + "\n")
        where.flush()


def _typed_so_far() -> str:
    readline = sys.modules.get("readline")
    return printable(readline.get_line_buffer()) if readline else ""


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
