"""The doctor where all is well: it says so, ends with 0 and leaves no trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.doctor.doctor_run import doctor, snapshot

pytestmark = pytest.mark.spec("APP-8")

NAMES = [
    "python",
    "window",
    "profile",
    "disk",
    "database",
    "settings",
    "rules",
    "keyring",
    "models",
    "browser",
    "mcp",
    "driver",
    "locks",
    "clock",
]


@contextmanager
def chatting(profile: Path) -> Iterator[subprocess.Popen[str]]:
    """A terminal chat that has opened the profile and waits."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ankita", "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ANKITA_HOME": str(profile), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        while "Type a message" not in (line := process.stdout.readline()):
            assert line, "the chat ended"
        yield process
    finally:
        process.kill()
        process.wait(60)
        process.stdin.close()
        process.stdout.close()


def test_before_the_first_start_nothing_is_made(tmp_path: Path) -> None:
    run = doctor(tmp_path / "profile")
    assert run.code == 0
    assert list(run.findings) == NAMES
    assert "first start" in run.found("profile")
    assert list(tmp_path.iterdir()) == []


def test_it_looks_at_a_running_app_without_a_trace_and_names_its_process(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    with chatting(profile) as chat:
        before = snapshot(profile)
        run = doctor(profile)
        assert snapshot(profile) == before
        assert chat.poll() is None
    assert run.code == 0
    assert run.state("database") == "ok"
    assert "0 threads" in run.found("database")
    assert run.state("locks") == "ok"
    assert "running" in run.found("locks")
    if sys.platform == "linux":
        assert str(chat.pid) in run.found("locks")


def test_after_a_kill_the_database_is_read_with_its_log_and_left_as_it_was(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    with chatting(profile):
        pass
    assert (profile / "ankita.db-wal").exists()
    before = snapshot(profile)
    run = doctor(profile)
    assert snapshot(profile) == before
    assert run.code == 0
    assert (run.state("database"), run.state("locks")) == ("ok", "ok")
    assert "not running" in run.found("locks")


def test_a_person_reads_one_line_a_check(tmp_path: Path) -> None:
    run = doctor(tmp_path / "profile", as_text=True)
    lines = run.output.splitlines()
    assert [line.split()[1] for line in lines] == NAMES
    assert {line.split()[0] for line in lines} <= {"ok", "warn"}
    assert run.errors == ""


def test_json_holds_four_texts_for_each_check(tmp_path: Path) -> None:
    for finding in json.loads(doctor(tmp_path / "profile").output):
        assert set(finding) == {"name", "state", "found", "advice"}
        assert all(isinstance(value, str) for value in finding.values())
