"""`ankita chat` in a terminal of its own: what a person types, and what they see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 60.0
PRESS_SECONDS = 1.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")


class PtyChat:
    """`seen` is everything so far, without what only moves the cursor."""

    def __init__(self, profile: Path, *arguments: str, env: dict[str, str] | None = None) -> None:
        try:
            self._master, slave = os.openpty()
        except OSError as error:
            pytest.skip(f"no pseudo-terminal can be had here: {error}")
        self.seen = ""
        self._mark = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ankita", "chat", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "dumb", "ANKITA_HOME": str(profile), **(env or {})},
        )
        os.close(slave)

    def type(self, text: str) -> None:
        """Keys, as they are pressed."""
        os.write(self._master, text.encode())

    def say(self, line: str) -> None:
        self.type(f"{line}\n")

    def until(self, words: str) -> str:
        """Wait until `words` are seen after what was waited for before; all that was new."""
        deadline = time.monotonic() + SECONDS
        while words not in self.seen[self._mark :]:
            left = deadline - time.monotonic()
            ready = select.select([self._master], [], [], max(left, 0))[0]
            assert ready, f"no {words!r} in time: {self.seen[self._mark :]}"
            assert self._read(), f"ended before {words!r}: {self.seen[self._mark :]}"
        at = self.seen.index(words, self._mark) + len(words)
        new, self._mark = self.seen[self._mark : at], at
        return new

    def press_until(self, key: str, words: str) -> None:
        """Press a key, and again when nothing follows, as a person does.

        Python's line editor can miss a Ctrl+C that comes while it handles another key.
        """
        deadline = time.monotonic() + SECONDS
        while words not in self.seen[self._mark :] and time.monotonic() < deadline:
            self.type(key)
            while select.select([self._master], [], [], PRESS_SECONDS)[0]:
                assert self._read(), f"ended before {words!r}: {self.seen[self._mark :]}"
        self.until(words)

    def end(self) -> int:
        """Wait for the end of the process, reading what it still says; the exit code."""
        while self._read():
            pass
        return self.process.wait(SECONDS)

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(SECONDS)
        os.close(self._master)

    def _read(self) -> bool:
        part = b""
        with contextlib.suppress(OSError):  # how Linux tells that the other end is closed
            part = os.read(self._master, 65536)
        text = _ESCAPES.sub("", part.decode("utf-8", "replace"))
        self.seen += text.replace("\r\n", "\n")
        return bool(part)


@contextmanager
def pty_chat(
    profile: Path, *arguments: str, env: dict[str, str] | None = None
) -> Iterator[PtyChat]:
    chat = PtyChat(profile, *arguments, env=env)
    try:
        yield chat
    finally:
        chat.close()
