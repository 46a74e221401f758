"""Every kind of broken profile opens a window that says what is wrong (APP-6).

The engine and the window are the real ones; only the screen is not.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from ankita.app import make_engine
from ankita.paths import ProfilePaths
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.notice_bar import NoticeBar
from ankita.ui.main_window.shell import MainShell
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.main_window.window import MainWindow
from ankita.ui.view_models.window_models import make_models

pytestmark = pytest.mark.spec("APP-6")

MILLISECONDS = 60_000
STOP_SECONDS = 30.0


@contextmanager
def file_instead(profile: Path) -> Iterator[None]:
    profile.write_text("not a folder", encoding="utf-8")
    yield


@contextmanager
def shared_folder(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o755)
    (profile / "letters.txt").write_text("somebody else's", encoding="utf-8")
    yield


@contextmanager
def folder_as_database(profile: Path) -> Iterator[None]:
    (profile / "ankita.db").mkdir(parents=True)
    yield


@contextmanager
def damaged_database(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    (profile / "ankita.db").write_bytes(b"this is no database at all" * 400)
    yield


@contextmanager
def newer_database(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(profile / "ankita.db")) as database:
        database.execute("PRAGMA user_version = 99")
    yield


@contextmanager
def damaged_settings(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    (profile / "settings.json").write_text("{", encoding="utf-8")
    yield


@contextmanager
def newer_settings(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    (profile / "settings.json").write_text(json.dumps({"version": 99}), encoding="utf-8")
    yield


@contextmanager
def damaged_rules(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    (profile / "mcp-tiers.json").write_text("{", encoding="utf-8")
    yield


@contextmanager
def in_use(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    with filelock.FileLock(profile / "engine.lock", timeout=0):
        yield


@contextmanager
def full_disk(profile: Path) -> Iterator[None]:
    profile.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(profile)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a disk needs root on Linux")
    try:
        with contextlib.suppress(OSError), (profile / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        (profile / "ankita.db").touch()
        yield
    finally:
        subprocess.run(["umount", "-l", str(profile)], check=True)


KINDS: list[tuple[Callable[[Path], contextlib.AbstractContextManager[None]], str]] = [
    (file_instead, "is not a folder"),
    (shared_folder, "is shared and holds other things"),
    (folder_as_database, "The database can't be opened"),
    (damaged_database, "The database cannot be read"),
    (newer_database, "The database was written by a newer version"),
    (damaged_settings, "settings.json is damaged"),
    (newer_settings, "settings.json was written by a newer version"),
    (damaged_rules, "Your rules file is damaged, so everything asks"),
    (in_use, "already running on this profile"),
    (full_disk, "pace"),
]


def is_blank(image: QImage) -> bool:
    first = image.pixel(0, 0)
    points = ((x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7))
    return all(image.pixel(x, y) == first for x, y in points)


@pytest.mark.parametrize(("broken", "words"), KINDS, ids=[kind.__name__ for kind, _ in KINDS])
def test_the_window_opens_and_says_it(
    qtbot: QtBot,
    tmp_path: Path,
    broken: Callable[[Path], contextlib.AbstractContextManager[None]],
    words: str,
) -> None:
    profile = tmp_path / "profile"
    with broken(profile):
        engine = make_engine(ProfilePaths(profile))
        bridge = EngineBridge(engine)
        shell = MainShell(MemoryUiState())
        window = MainWindow(bridge, make_models(bridge, bridge), MemoryUiState())
        shell.fill(window)
        shell.show()
        engine.start()
        try:
            bar = window.findChild(NoticeBar)
            assert bar is not None
            qtbot.waitUntil(
                lambda: any(words in line for line in bar.words()), timeout=MILLISECONDS
            )
            assert bar.isVisible()
            assert not is_blank(shell.grab().toImage())
        finally:
            bridge.close()
            shell.hide()
            shell.deleteLater()
            assert engine.stop(STOP_SECONDS)
