"""Which lines were typed while a reply was being worked on (CLI-1)."""

from __future__ import annotations

import os
import sys

import pytest

from ankita.cli.typed_ahead import TerminalAhead

pytestmark = [
    pytest.mark.spec("CLI-1"),
    pytest.mark.skipif(sys.platform == "win32", reason="reads a POSIX terminal"),
]


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_the_end_of_a_line_ends_it(mark: str) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, f"a quote{mark}/stop\nthen this\n".encode())
        assert TerminalAhead(reading).lines() == [f"a quote{mark}/stop", "then this"]
    finally:
        os.close(reading)
        os.close(writing)
