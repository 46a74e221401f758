"""One start of a desktop app on the virtual screen: first frame, memory, idle load."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmarks.screen import Watcher

FIRST_FRAME_SECONDS = 60.0
SETTLE_SECONDS = 3.0
"""After the first frame, before memory is read: what starts behind has then started."""

IDLE_SECONDS = 5.0

FRAME_TOLD, CONTENT_TOLD = "window painted", "content painted"
"""Moments that Ankita tells about itself with ANKITA_TRACE_START=1."""


@dataclass(frozen=True, slots=True)
class Run:
    """One start: milliseconds to the first frame on the X server, then memory and idle load.

    `wait` is what Ankita says about the time from its first frame until it can be used.
    """

    first_frame: float
    wait: float | None
    pss_mb: float
    processes: int
    idle_percent: float


def start_once(command: Sequence[str], environment: dict[str, str], watcher: Watcher) -> Run:
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


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + FIRST_FRAME_SECONDS
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
