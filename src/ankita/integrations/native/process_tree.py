"""Finds and ends every process that a command started, also those that detached.

A process belongs to the tree when it descends from the first one, is in its session
(POSIX), or carries the tree's mark in its environment, which children inherit even
when they detach. A process that detaches *and* clears its environment between two
looks is the one that can get away.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator

import psutil

MARK_VARIABLE = "ANKITA_JOB"

ASK_SECONDS = 0.5
"""How long processes may take to end by themselves after being asked."""

END_SECONDS = 1.8
"""When to give up on processes that do not even end when killed."""

SETTLE_SECONDS = 0.2
"""Helpers of a command often end a moment after it."""

LOOKS = 20
"""The list of processes is read again until nothing in it changes, at most this often:
one that forks and ends while the list is read through is only known by its child."""

_POLL_SECONDS = 0.02


class ProcessTree:
    """The processes of one command. Methods block: call them in a thread.

    `pid` is the first process, `mark` the value of MARK_VARIABLE it was started with.
    """

    def __init__(self, pid: int, mark: str) -> None:
        self._pid = pid
        self._mark = mark
        self._first_ended_at: float | None = None
        self._known: set[psutil.Process] = set()
        self._lock = threading.Lock()

    def note_first_ended(self) -> None:
        """The first process was collected; from now on its number may be reused."""
        self._first_ended_at = time.time()

    def living(self) -> list[psutil.Process]:
        """Every process of the tree that runs now."""
        with self._lock:
            self._known = self._look(set(self._known))
            return list(self._known)

    def _look(self, found: set[psutil.Process]) -> set[psutil.Process]:
        seen = {os.getpid()}
        for _ in range(LOOKS):
            new = set(psutil.pids()) - seen
            seen |= new
            found.update(self._owned_among(new))
            for process in list(found):
                found.update(_descendants(process))
            before, found = found, {process for process in found if _is_alive(process)}
            # One that ended meanwhile may have left a child that no list showed yet.
            if not new and found == before:
                break
        return found

    def _owned_among(self, numbers: Iterable[int]) -> Iterator[psutil.Process]:
        for number in numbers:
            try:
                process = psutil.Process(number)
                if self._owns(process):
                    yield process
            except psutil.Error:
                continue

    def settled(self) -> int:
        """How many processes outlive the first one, those not counted that just end too."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (living := self.living()) and time.monotonic() < deadline:
            _wait_gone(living, deadline)
        return len(living)

    def end(self) -> list[int]:
        """Ask all to end, then kill what is left, within END_SECONDS.

        Returns the numbers of the processes that are still there.
        """
        started = time.monotonic()
        living = self.living()
        for process in living:
            _send(process, kill=False)
        _wait_gone(living, started + ASK_SECONDS)
        while living := self.living():
            # Killing one can let another start a replacement: look again until none is left.
            for process in living:
                _send(process, kill=True)
            _wait_gone(living, min(time.monotonic() + 0.2, started + END_SECONDS))
            if time.monotonic() > started + END_SECONDS:
                return [process.pid for process in self.living()]
        return []

    def _owns(self, process: psutil.Process) -> bool:
        if process.pid == self._pid and self._first_ended_at is None:
            return True
        if self._is_in_session(process):
            return True
        return process.environ().get(MARK_VARIABLE) == self._mark

    def _is_in_session(self, process: psutil.Process) -> bool:
        if sys.platform == "win32":
            return False
        try:
            if os.getsid(process.pid) != self._pid:
                return False
        except OSError:
            return False
        # A session number is only reused once it is free, so what began before the first
        # process ended and has its session number is certainly ours.
        return self._first_ended_at is None or process.create_time() < self._first_ended_at


def _descendants(process: psutil.Process) -> Iterable[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return ()


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _send(process: psutil.Process, *, kill: bool) -> None:
    """psutil compares the start time first, so a reused number is never hit."""
    try:
        if kill:
            process.kill()
        else:
            process.terminate()
    except psutil.Error:
        return


def _wait_gone(processes: Iterable[psutil.Process], deadline: float) -> None:
    """Only looks: psutil's own wait would take the exit code away from the job."""
    waiting = list(processes)
    while waiting and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        waiting = [process for process in waiting if _is_alive(process)]
