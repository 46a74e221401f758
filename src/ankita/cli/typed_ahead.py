"""Whole lines that a person typed while a reply was being worked on.

The terminal collects them itself; here they are only fetched, without waiting. Where
the system can't say whether a line is there (Windows), they wait for the next prompt.
"""

from __future__ import annotations

import os
import sys
from typing import Protocol


class TypedAhead(Protocol):
    """`has_ended` is True once the person has closed the input."""

    has_ended: bool

    def lines(self) -> list[str]:
        """Every whole line so far, in order."""
        ...

    def forget(self) -> None:
        """Drop what was typed but not yet fetched, whole lines or not."""
        ...


class NothingAhead:
    """For pipes and for systems that can't be asked."""

    has_ended = False

    def lines(self) -> list[str]:
        return []

    def forget(self) -> None:
        """There is nothing to drop."""


class TerminalAhead:
    """For a POSIX terminal, which gives whole lines as long as nobody edits one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.has_ended = False

    def lines(self) -> list[str]:
        import select

        found = b""
        while not self.has_ended and select.select([self._descriptor], [], [], 0)[0]:
            part = os.read(self._descriptor, 4096)
            self.has_ended = not part
            found += part
        # Only what the terminal ends a line with: pasted text may hold other line ends.
        lines = found.decode("utf-8", "replace").split("\n")
        return lines if lines[-1] else lines[:-1]

    def forget(self) -> None:
        if sys.platform != "win32":
            import termios

            termios.tcflush(self._descriptor, termios.TCIFLUSH)


def typed_ahead() -> TypedAhead:
    """What suits this process's own input."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return NothingAhead()
    return TerminalAhead(sys.stdin.fileno())
