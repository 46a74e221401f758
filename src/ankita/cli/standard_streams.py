"""Keeps the process's own output from ending it: odd encodings, and readers that go away."""

from __future__ import annotations

import io
import os
import sys


def take_any_text() -> None:
    """What a terminal's or a pipe's encoding lacks is replaced, instead of being an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def nobody_reads() -> None:
    """After a BrokenPipeError: what is left to be flushed must not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
