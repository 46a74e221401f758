"""Measures start and memory, beside an empty Chromium app window on the same screen.

Linux. Starts a virtual X screen with a window manager of its own and installs nothing.
Run it with the Python that has Ankita: `python scripts/bench.py [--runs 7] [--json]`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

RUNS = 7
VERSION_RUNS = 15
FIRST_FRAME_SECONDS = 60.0
SETTLE_SECONDS = 3.0
"""After the first frame, before memory is read: what starts behind has then started."""

IDLE_SECONDS = 5.0
LEAST_COLOURS = 4
"""A picture of the screen with fewer colours than this is a blank window on a plain ground."""

MOST_RATIO = 0.5
MOST_WAIT_MILLISECONDS = 250.0
"""From the first frame until the window can be used."""

MOST_VERSION_MILLISECONDS = 100.0

NEEDED = ("Xvfb", "openbox")
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
# No frames and no titles: whatever is drawn on the plain screen was drawn by the app.
OPENBOX = """<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc">
<applications><application class="*"><decor>no</decor></application></applications>
</openbox_config>"""


FRAME_TOLD, CONTENT_TOLD = "window painted", "content painted"
"""Moments that Ankita tells about itself with ANKITA_TRACE_START=1."""


@dataclass(frozen=True)
class Run:
    """One start: milliseconds to the first frame on the X server, then memory and idle load.

    `wait` is what Ankita says about the time from its first frame until it can be used.
    """

    first_frame: float
    wait: float | None
    pss_mb: float
    processes: int
    idle_percent: float


@dataclass(frozen=True)
class Summary:
    """Medians of several runs."""

    name: str
    first_frame: float
    slowest: float
    wait: float | None
    pss_mb: float
    processes: int
    idle_percent: float


class VirtualScreen:
    """An X server and a window manager for as long as the block lasts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: list[subprocess.Popen[bytes]] = []
        self.environment: dict[str, str] = {}

    def __enter__(self) -> VirtualScreen:
        reads, writes = os.pipe()
        command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1280x800x24"]
        self._serve([*command, "-nolisten", "tcp"], dict(os.environ), writes)
        os.close(writes)
        with os.fdopen(reads) as pipe:
            display = f":{pipe.readline().strip()}"
        kept = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        # As an installed app: its byte code is compiled once, in the round that is not counted.
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environment = kept | {
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "ANKITA_TRACE_START": "1",
            "PYTHONPYCACHEPREFIX": str(self._folder / "bytecode"),
        }
        rules = self._folder / "openbox.xml"
        rules.write_text(OPENBOX, encoding="utf-8")
        self._serve(["openbox", "--config-file", str(rules)], self.environment)
        return self

    def __exit__(self, *_: object) -> None:
        for server in reversed(self._servers):
            server.terminate()
            server.wait(10)

    def _serve(self, command: list[str], environment: dict[str, str], *keep: int) -> None:
        self._servers.append(
            subprocess.Popen(
                command,
                env=environment,
                pass_fds=keep,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )


class Watcher:
    """Looks at the screen from outside, the same way for every app."""

    def __init__(self, environment: dict[str, str]) -> None:
        os.environ.update(environment)
        from PySide6.QtGui import QGuiApplication

        self._application = QGuiApplication(["bench"])

    def is_blank(self) -> bool:
        screen = self._application.primaryScreen()
        image = screen.grabWindow(0).toImage()
        points = ((x, y) for y in range(4, image.height(), 29) for x in range(4, image.width(), 29))
        return len({image.pixel(x, y) & 0xF0F0F0 for x, y in points}) < LEAST_COLOURS


def measure(command: Sequence[str], environment: dict[str, str], watcher: Watcher) -> Run:
    """Start, wait for the first frame, let it settle, read memory and load, end it."""
    wait_until(watcher.is_blank, "the screen to be empty")
    with tempfile.TemporaryFile() as told:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            start_new_session=True,
        )
        try:
            return observe(process, started, watcher, told)
        finally:
            end(process)


def observe(
    process: subprocess.Popen[bytes], started: float, watcher: Watcher, told: IO[bytes]
) -> Run:
    wait_until(lambda: not watcher.is_blank(), "the first frame")
    first_frame = (time.monotonic() - started) * 1000
    time.sleep(SETTLE_SECONDS)
    tree = process_tree(process.pid)
    before = cpu_seconds(tree)
    time.sleep(IDLE_SECONDS)
    idle = (cpu_seconds(tree) - before) / IDLE_SECONDS * 100
    return Run(first_frame, wait_told(told), pss_bytes(tree) / 2**20, len(tree), idle)


def wait_told(told: IO[bytes]) -> float | None:
    """Milliseconds from the first frame to its content, when the app tells of both."""
    told.seek(0)
    moments: dict[str, float] = {}
    for line in told.read().decode("utf-8", "replace").splitlines():
        if line.startswith('{"moment"'):
            moment = json.loads(line)
            moments[moment["moment"]] = moment["unix_time"] * 1000
    if not {FRAME_TOLD, CONTENT_TOLD} <= moments.keys():
        return None
    return moments[CONTENT_TOLD] - moments[FRAME_TOLD]


def end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(is_so: object, what: str) -> None:
    deadline = time.monotonic() + FIRST_FRAME_SECONDS
    assert callable(is_so)
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: waited too long for {what}")
        time.sleep(0.002)


def process_tree(pid: int) -> list[int]:
    import psutil

    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def pss_bytes(pids: Sequence[int]) -> int:
    """Proportional set size: shared pages are counted once over all who share them."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def cpu_seconds(pids: Sequence[int]) -> float:
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        except OSError:
            continue
        ticks += sum(int(number) for number in fields.split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def version_milliseconds() -> float:
    """The median time of `ankita --version` from process start to its end."""
    script = Path(sys.executable).with_name("ankita")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "ankita"]
    times = []
    for _ in range(VERSION_RUNS):
        started = time.monotonic()
        subprocess.run([*command, "--version"], check=True, stdout=subprocess.DEVNULL)
        times.append((time.monotonic() - started) * 1000)
    return statistics.median(times)


def summary_of(name: str, runs: Sequence[Run]) -> Summary:
    waits = [run.wait for run in runs if run.wait is not None]
    return Summary(
        name,
        statistics.median(run.first_frame for run in runs),
        max(run.first_frame for run in runs),
        statistics.median(waits) if waits else None,
        statistics.median(run.pss_mb for run in runs),
        round(statistics.median(run.processes for run in runs)),
        statistics.median(run.idle_percent for run in runs),
    )


def compare(runs: int, browser: str) -> tuple[Summary, Summary]:
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
                own = measure([sys.executable, "-m", "ankita"], environment, watcher)
                other = measure(
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
    return summary_of("Ankita", ours), summary_of("Chromium app window", theirs)


def missing() -> list[str]:
    """What this machine lacks for the measurement, in words."""
    lacks = [f"the program {name}" for name in NEEDED if shutil.which(name) is None]
    if not any(shutil.which(name) for name in CHROMIUMS):
        lacks.append("Chromium")
    if not sys.platform.startswith("linux"):
        lacks.append("Linux")
    return lacks


def report(ours: Summary, theirs: Summary, version: float) -> str:
    rows = [
        "| | first frame | slowest | then usable after | PSS | processes | idle CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {each.name} | {each.first_frame:.0f} ms | {each.slowest:.0f} ms |"
        f" {'' if each.wait is None else f'{each.wait:.0f} ms'} | {each.pss_mb:.0f} MB"
        f" | {each.processes} | {each.idle_percent:.1f} % |"
        for each in (ours, theirs)
    ]
    frame, memory = ours.first_frame / theirs.first_frame, ours.pss_mb / theirs.pss_mb
    rows.append(f"| ratio (at most {MOST_RATIO}) | {frame:.2f} | | | {memory:.2f} | | |")
    rows.append("")
    rows.append(
        f"`ankita --version`: {version:.0f} ms (at most {MOST_VERSION_MILLISECONDS:.0f} ms)"
    )
    load = os.getloadavg()[0]
    rows.append(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load:.1f},"
        f" Python {platform.python_version()}"
    )
    return "\n".join(rows)


def main() -> int:
    """Print the figures; 1 when one is over its limit, 2 when they can't be taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    lacks = missing()
    if lacks:
        print("bench: this machine lacks " + ", ".join(lacks), file=sys.stderr)
        return 2
    browser = next(found for name in CHROMIUMS if (found := shutil.which(name)))
    version = version_milliseconds()
    ours, theirs = compare(options.runs, browser)
    if options.json:
        print(json.dumps({"version_ms": version, "ours": vars(ours), "theirs": vars(theirs)}))
    else:
        print(report(ours, theirs, version))
    is_good = (
        ours.first_frame <= MOST_RATIO * theirs.first_frame
        and ours.wait is not None
        and ours.wait <= MOST_WAIT_MILLISECONDS
        and ours.pss_mb <= MOST_RATIO * theirs.pss_mb
        and version < MOST_VERSION_MILLISECONDS
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
