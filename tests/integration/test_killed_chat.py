"""`ankita chat` as a process, a model server on the wire, and a real kill -9 (ENG-4, CLI-1)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.scripted_chat_server import (
    Hold,
    delta,
    raw,
    scripted_server_thread,
)

SECONDS = 60


def configure(profile: Path, base_url: str) -> None:
    profile.mkdir()
    server = {"base_url": base_url, "model": "scripted-model", "tool_mode": "native"}
    settings = {"version": 1, "server": server, "folders": []}
    (profile / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


@contextmanager
def chat(profile: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ankita", "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=1,
        env={**os.environ, "ANKITA_HOME": str(profile), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    seen = ""
    while words not in seen:
        character = process.stdout.read(1)
        assert character, f"ended before {words!r}: {seen}"
        seen += character
    return seen


@pytest.mark.spec("ENG-4")
def test_what_was_on_screen_before_kill_9_is_there_afterwards(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    with scripted_server_thread([raw(delta(content="Half a sentence"), Hold())]) as server:
        configure(profile, server.base_url)
        with chat(profile) as first:
            say(first, "talk")
            read_until(first, "Half a sentence")
            first.send_signal(signal.SIGKILL)
            first.wait(SECONDS)
        with chat(profile) as second:
            say(second, "/open 1")
            shown = read_until(second, "! Interrupted: Ankita was closed")
    assert "> talk\nHalf a sentence\n" in shown


def test_a_second_chat_on_the_same_profile_says_why_it_cannot(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    with chat(profile) as first:
        read_until(first, "Type a message")
        with chat(profile) as second:
            read_until(second, "already running on this profile")
            assert second.wait(SECONDS) == 1
