"""One virtual screen for all desktop tests; a fresh profile and app for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.desktop.running_app import Profile, RunningApp
from tests.desktop.screen import Screen

Start = Callable[..., RunningApp]


@pytest.fixture(scope="session")
def screen() -> Iterator[Screen]:
    screen = Screen()
    try:
        screen.start()
        yield screen
    finally:
        screen.stop()


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return Profile(tmp_path / "profile")


@pytest.fixture
def start(screen: Screen) -> Iterator[Start]:
    """Starts the app on a profile, with another command if wanted; ends what it started."""
    running: list[RunningApp] = []

    def begin(profile: Profile, *command: str | Path) -> RunningApp:
        running.append(RunningApp(screen, profile, command))
        return running[-1]

    yield begin
    for app in running:
        app.end()
