"""On a real X screen with a window manager: the island never takes what the user types."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[3]
LONGEST_WAIT_SECONDS = 30.0

pytestmark = pytest.mark.desktop


class Screen:
    """An X screen with a window manager and the script on it, seen through its reports."""

    def __init__(self, display: str, script: subprocess.Popen[str]) -> None:
        self._display = display
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        assert script.stdout is not None
        threading.Thread(target=self._read, args=(script.stdout,), daemon=True).start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(json.loads(line))

    def wait(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first report for which `is_so` holds."""
        seen: dict[str, Any] = {}
        end = time.monotonic() + LONGEST_WAIT_SECONDS
        while time.monotonic() < end:
            try:
                seen = self._lines.get(timeout=0.2)
            except queue.Empty:
                continue
            if is_so(seen):
                return seen
        raise AssertionError(f"never so; last seen: {seen}")

    def xdotool(self, *words: str) -> None:
        environment = {**os.environ, "DISPLAY": self._display}
        subprocess.run(["xdotool", *words], env=environment, check=True, timeout=20)


@pytest.fixture
def screen() -> Iterator[Screen]:
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    started = [server]
    try:
        with os.fdopen(reading) as numbers:
            display = f":{numbers.readline().strip()}"
        environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "PYTHONPATH": str(ROOT),
        }
        manager = subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL)
        started.append(manager)
        script = subprocess.Popen(
            [sys.executable, "-m", "tests.ui.island.focus_script"],
            env=environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(script)
        yield Screen(display, script)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(10)
            if process.stdout is not None:
                process.stdout.close()


@pytest.mark.spec("ISL-5")
@pytest.mark.spec("ISL-3")
@pytest.mark.spec("APR-22")
def test_typing_goes_on_while_the_island_asks_and_keys_reach_it_only_after_a_click(
    screen: Screen,
) -> None:
    asked = screen.wait(lambda now: now["form"] == "asking" and now["can_answer"])
    screen.xdotool("type", "yny")
    typed = screen.wait(lambda now: now["text"] == "yny")
    assert typed["editor_has_focus"]
    assert typed["answers"] == []

    x, y = asked["grip"]
    screen.xdotool("mousemove", str(x), str(y), "click", "1")
    screen.wait(lambda now: now["island_has_keyboard"] and now["can_answer"])
    screen.xdotool("key", "y")
    answered = screen.wait(lambda now: now["answers"])
    assert answered["answers"] == ["yes_once"]
    assert answered["text"] == "yny"

    screen.xdotool("key", "Escape")
    given_back = screen.wait(lambda now: now["editor_has_focus"])
    assert given_back["island_visible"]
    assert not given_back["island_has_keyboard"]
    screen.xdotool("type", "more")
    screen.wait(lambda now: now["text"] == "ynymore")


@pytest.mark.spec("ISL-1")
def test_without_a_compositor_it_is_cut_to_its_rounded_shape(screen: Screen) -> None:
    assert screen.wait(lambda now: now["island_visible"])["island_is_cut"]
