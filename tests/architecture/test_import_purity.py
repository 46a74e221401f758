"""Importing starts nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tracked_files import SOURCE

WATCH = Path(__file__).with_name("import_watch.py")


def watch(tmp_path: Path, *, extra_path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Import everything in a fresh interpreter that has a home of its own."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in {"PATH", "SYSTEMROOT", "TEMP", "TMP", "LD_LIBRARY_PATH"}
    }
    environment["HOME"] = str(tmp_path)
    if extra_path is not None:
        environment["PYTHONPATH"] = str(extra_path)
    return subprocess.run(
        [sys.executable, "-B", str(WATCH)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.spec("APP-3")
def test_importing_every_module_starts_nothing(tmp_path: Path) -> None:
    found = watch(tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout == ""
    assert list(tmp_path.iterdir()) == []
    modules = len(list(SOURCE.rglob("*.py")))
    assert f"{modules} modules" in found.stderr


@pytest.mark.parametrize(
    ("act", "event"),
    [
        ("import threading; threading.Thread(target=int).start()", "a thread starts"),
        ("import socket; socket.socket().close()", "socket.__new__"),
        ("open('left.txt', 'w').close()", "open"),
        ("import sqlite3; sqlite3.connect(':memory:').close()", "sqlite3.connect"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-V'])", "subprocess.Popen"),
        (
            "from PySide6.QtCore import QCoreApplication as A; app = A([])",
            "a Qt application exists",
        ),
    ],
)
def test_a_module_that_starts_something_is_reported(tmp_path: Path, act: str, event: str) -> None:
    package = tmp_path / "other" / "ankita"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "guilty.py").write_text(act)
    found = watch(tmp_path, extra_path=package.parent)
    assert found.returncode == 0, found.stderr
    assert "ankita.guilty" in found.stdout
    assert event in found.stdout
