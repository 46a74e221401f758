"""Start and memory of the app beside an empty Chromium app window on the same screen.

Linux. Starts a virtual X screen with a window manager of its own and installs nothing.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measures import CannotMeasureError, Measure, Part
from benchmarks.screen import NEEDED, VirtualScreen, Watcher
from benchmarks.start_run import Run, start_once

VERSION_RUNS = 15
MOST_RATIO = 0.5
MOST_WAIT_MILLISECONDS = 250.0
"""From the first frame until the window can be used."""

MOST_VERSION_MILLISECONDS = 100.0

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
COLOURS = ("#101214", "#e7eaed", "#7ccba2", "#e3b35f", "#e6786c", "#82aeea")
PAGE = "<!doctype html><title>page</title>" + "".join(
    f"<p style='background:{colour};height:60px'>Hello</p>" for colour in COLOURS
)
OURS, THEIRS = "Ankita", "Chromium app window"


def measure(runs: int) -> Part:
    """Medians of `runs` starts of each. Raises CannotMeasureError where something is missing."""
    lacks = missing()
    if lacks:
        raise CannotMeasureError(", ".join(lacks))
    browser = next(found for name in CHROMIUMS if (found := shutil.which(name)))
    version = version_times()
    return part_of(*compare(runs, browser), version)


def part_of(ours: Sequence[Run], theirs: Sequence[Run], version: Sequence[float]) -> Part:
    """The figures of both apps, and their ratios."""
    measures: list[Measure] = []
    for what, unit, pick in _PICKS:
        mine = _of(f"{what}, {OURS}", unit, [pick(run) for run in ours])
        other = _of(f"{what}, {THEIRS}", unit, [pick(run) for run in theirs])
        measures += (mine, other)
        if what in _LIMITED:
            ratio = mine.value / other.value
            measures.append(Measure(f"{what}, ratio", ratio, "times", MOST_RATIO))
    measures += (_wait(ours), _of("`ankita --version`", "ms", version, MOST_VERSION_MILLISECONDS))
    return Part("Start and memory", tuple(measures))


_LIMITED = ("first frame", "memory")
_PICKS: tuple[tuple[str, str, Callable[[Run], float]], ...] = (
    ("first frame", "ms", lambda run: run.first_frame),
    ("memory", "MB", lambda run: run.pss_mb),
    ("processes", "", lambda run: run.processes),
    ("idle load", "%", lambda run: run.idle_percent),
)


def _of(what: str, unit: str, taken: Sequence[float], limit: float | None = None) -> Measure:
    return Measure(what, statistics.median(taken), unit, limit, max(taken))


def _wait(runs: Sequence[Run]) -> Measure:
    """An app that does not tell when it can be used is over the limit."""
    told = [run.wait for run in runs if run.wait is not None] or [float("inf")]
    return _of("from the first frame until usable", "ms", told, MOST_WAIT_MILLISECONDS)


def version_times() -> list[float]:
    """Milliseconds of `ankita --version` from process start to its end."""
    script = Path(sys.executable).with_name("ankita")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "ankita"]
    times = []
    for _ in range(VERSION_RUNS):
        started = time.monotonic()
        subprocess.run([*command, "--version"], check=True, stdout=subprocess.DEVNULL)
        times.append((time.monotonic() - started) * 1000)
    return times


def compare(runs: int, browser: str) -> tuple[list[Run], list[Run]]:
    """Both apps in turn, so that a busy moment of the machine hits both."""
    ours: list[Run] = []
    theirs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="ankita-bench-") as name:
        folder = Path(name)
        page = folder / "page.html"
        page.write_text(PAGE, encoding="utf-8")
        with VirtualScreen(folder) as screen:
            watcher = Watcher(screen.environment)
            # The first round warms the disk's cache for both and is not counted.
            for number in range(runs + 1):
                environment = screen.environment | {"ANKITA_HOME": str(folder / f"home-{number}")}
                own = start_once([sys.executable, "-m", "ankita"], environment, watcher)
                other = start_once(
                    [
                        browser,
                        *CHROMIUM_FLAGS,
                        f"--user-data-dir={folder / f'browser-{number}'}",
                        f"--app={page.as_uri()}",
                    ],
                    environment,
                    watcher,
                )
                if number:
                    ours.append(own)
                    theirs.append(other)
    return ours, theirs


def missing() -> list[str]:
    """What this machine lacks for the measurement, in words."""
    lacks = [f"the program {name}" for name in NEEDED if shutil.which(name) is None]
    if not any(shutil.which(name) for name in CHROMIUMS):
        lacks.append("Chromium")
    if not sys.platform.startswith("linux"):
        lacks.append("Linux")
    return lacks
