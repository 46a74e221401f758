"""What is kept of a command's output, and how it is started."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.integrations.native.command_output import (
    HEAD_CHARACTERS,
    LIVE_LINES_EACH_READ,
    TAIL_CHARACTERS,
    CommandOutput,
    LineReporter,
)
from ankita.integrations.native.shell import shell_arguments

pytestmark = pytest.mark.spec("TOL-2")


@given(
    sizes=st.lists(st.integers(min_value=0, max_value=50_000), max_size=8),
    since=st.integers(min_value=0, max_value=200_000),
)
def test_beginning_and_end_are_exact_and_the_gap_is_counted(sizes: list[int], since: int) -> None:
    output = CommandOutput()
    whole = ""
    for number, size in enumerate(sizes):
        part = chr(ord("a") + number) * size
        whole += part
        output.add(part)
    text, end = output.text(since)
    assert end == len(whole)
    if "characters cut" not in text:
        assert text == whole[since:]
        return
    head, tail = text.split("\n[… ")[0], text.split("cut …]\n")[1]
    missing = int(text.split("[… ")[1].split(" ")[0].replace(",", ""))
    assert head == whole[since:HEAD_CHARACTERS]
    assert tail == whole[-TAIL_CHARACTERS:]
    assert len(head) + missing + len(tail) == len(whole) - since


def test_of_a_burst_only_the_last_lines_are_reported() -> None:
    lines: list[str] = []
    reporter = LineReporter(lines.append)
    reporter.add("".join(f"{number}\n" for number in range(200)) + "rest")
    reporter.finish()
    assert lines[0] == f"[… {200 - LIVE_LINES_EACH_READ} lines not shown live …]"
    assert lines[-2:] == ["199", "rest"]


def test_a_line_without_end_is_reported_in_pieces() -> None:
    lines: list[str] = []
    reporter = LineReporter(lines.append)
    reporter.add("x" * 1500)
    assert lines == ["x" * 1000]


def test_a_posix_command_goes_to_sh() -> None:
    assert shell_arguments("echo 'a b'", windows=False) == ["/bin/sh", "-c", "echo 'a b'"]


def test_a_windows_command_reaches_powershell_unharmed() -> None:
    program, *options, encoded = shell_arguments('echo "a  b" # é', windows=True)
    assert Path(program).stem in {"pwsh", "powershell"}
    assert "-NoProfile" in options
    script = base64.b64decode(encoded).decode("utf-16-le")
    assert '\necho "a  b" # é\n' in script
    assert "exit $(" in script
