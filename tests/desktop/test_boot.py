"""The app opens from the source tree and from a wheel: both windows are painted for real."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import QUIT_SECONDS, Profile, RunningApp
from tests.desktop.screen import Screen, XWindow, is_blank, until
from tests.integration.built_wheel import Installation, build_wheel, install

pytestmark = [pytest.mark.desktop, pytest.mark.spec("APP-1", "APP-2")]

BROKEN = """
import sys
from pathlib import Path
from ankita.config import Settings
from ankita.paths import ProfilePaths
from ankita.ui.application import run

def no_engine():
    raise ImportError("a library is missing")

sys.exit(run(ProfilePaths(Path(sys.argv[1])), Settings(), no_engine))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"))
    return install(wheel, tmp_path_factory.mktemp("prefix"))


def painted(app: RunningApp) -> set[str]:
    """The moments that the app itself reports."""
    lines = app.errors.read_text(encoding="utf-8").splitlines()
    return {json.loads(line)["moment"] for line in lines if line.startswith("{")}


def test_both_windows_are_painted_from_the_source_tree(profile: Profile, start: Start) -> None:
    app = start(profile)
    main, island = app.drawn("boot-source")
    assert main.box.width >= 800
    assert 0 < island.box.width < main.box.width
    moments = {"window painted", "content painted", "island painted"}
    until(lambda: moments <= painted(app), "the frame, its content and the island")
    assert app.quit() == 0
    left = [line for line in app.errors.read_text("utf-8").splitlines() if line[:1] != "{"]
    assert left == [], "nothing else is printed by a start that went well"


def test_what_is_typed_into_the_first_frame_is_sent(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile)
    until(lambda: screen.active() in [w.id for w in screen.windows_of(app.process.pid)], "focus")
    screen.type("hello")
    screen.press("Return")
    until(lambda: [item["text"] for item in profile.items("user")] == ["hello"], "the message")
    assert app.quit() == 0


@pytest.mark.spec("APP-6")
def test_parts_that_cannot_be_loaded_are_told_in_the_window_that_is_open(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile, sys.executable, "-c", BROKEN, profile.root)

    def failure() -> XWindow | None:
        found = screen.windows_of(app.process.pid)
        assert len(found) < 2, "the open window says it, no second one"
        return next((window for window in found if "could not open" in window.title), None)

    window = until(failure, "the failure on screen")
    until(lambda: not is_blank(screen.picture("boot-broken", window.box)), "its words")
    screen.close(window)
    assert app.process.wait(QUIT_SECONDS) == 1


@pytest.mark.spec("PKG-1")
def test_both_windows_are_painted_from_an_installed_wheel(
    profile: Profile, start: Start, installed: Installation
) -> None:
    app = start(profile, installed.ankita)
    app.drawn("boot-wheel")
    assert app.quit() == 0


def test_the_profile_is_private_after_the_first_start(profile: Profile, start: Start) -> None:
    app = start(profile)
    until(lambda: (profile.root / "ankita.db").exists(), "the database")
    app.windows()
    assert profile.root.stat().st_mode & 0o077 == 0
    assert (profile.root / "ankita.db").stat().st_mode & 0o077 == 0


def folder_as_database(root: Path) -> None:
    (root / "ankita.db").mkdir()  # no database can be opened here, by nobody


def file_as_profile(root: Path) -> None:
    shutil.rmtree(root)
    root.write_text("not a folder", encoding="utf-8")


def newer_database(root: Path) -> None:
    with contextlib.closing(sqlite3.connect(root / "ankita.db")) as database:
        database.execute("PRAGMA user_version = 99")


@pytest.mark.spec("APP-6")
@pytest.mark.parametrize("damage", [folder_as_database, file_as_profile, newer_database])
def test_a_broken_profile_opens_windows_that_show_something(
    tmp_path: Path, start: Start, damage: Callable[[Path], None]
) -> None:
    broken = Profile(tmp_path / "profile")
    damage(broken.root)
    app = start(broken)
    app.drawn(f"boot-{damage.__name__}")
    assert app.process.poll() is None
