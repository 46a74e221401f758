"""Checks whether Ankita runs on the profile, and who holds its locks."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ankita.doctor.finding import Finding, State, Subject

MAX_PROCESS = 2**31 - 1
"""No system numbers its processes higher; a larger number was not written by Ankita."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock; `process` is 0 where the system does not say."""

    process: int

    def words(self) -> str:
        return f"process {self.process}" if self.process else "another process"


@dataclass(frozen=True, slots=True)
class WindowLock:
    """What the window's lock file says: a process and the machine it ran on."""

    process: int
    machine: str


def check_locks(subject: Subject) -> Finding:
    import psutil

    engine = holder_of(subject.paths.engine_lock)
    window = read_window_lock(subject.paths.window_lock)
    is_alive = window is not None and psutil.pid_exists(window.process)
    return judge_locks(engine, window, is_alive, socket.gethostname())


def judge_locks(
    engine: Holder | None, window: WindowLock | None, is_alive: bool, machine: str
) -> Finding:
    """`is_alive`: a process with the window lock's number exists here."""
    if engine is not None:
        return Finding("locks", State.OK, f"Ankita is running on this profile ({engine.words()}).")
    if window is None:
        return Finding("locks", State.OK, "Ankita is not running on this profile.")
    if window.machine and window.machine != machine:
        return Finding(
            "locks",
            State.WARN,
            f"The window is held by process {window.process} on another machine.",
            "If Ankita does not run there, delete window.lock in the profile folder.",
        )
    if is_alive:
        return Finding(
            "locks",
            State.WARN,
            f"Process {window.process} holds the window, but no engine runs.",
            "It may be starting or ending. If no window comes, end that process.",
        )
    return Finding(
        "locks",
        State.OK,
        f"A stale lock was left by process {window.process}, which is gone; the next start takes"
        " it over.",
    )


def read_window_lock(path: Path) -> WindowLock | None:
    """Lines: process id, program, machine. None when there is none or it says nothing."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        process = int(lines[0])
        if not 0 < process <= MAX_PROCESS:
            return None
        return WindowLock(process, lines[2] if len(lines) > 2 else "")
    except (OSError, ValueError, IndexError):
        return None


def holder_of(path: Path) -> Holder | None:
    """Who holds a lock on the file, found without getting in the way of a start."""
    try:
        number = path.stat().st_ino
    except OSError:
        return None
    if sys.platform == "linux":
        listed = listed_holder(_system_locks(), number)
        # Only a file that is listed is tried: a try is itself a lock, for a moment.
        return listed if listed is not None and _is_held(path) else None
    return Holder(0) if _is_held(path) else None


def listed_holder(lines: Iterable[str], number: int) -> Holder | None:
    """Whom Linux's list of locks names for a file with this inode number."""
    for line in lines:
        fields = line.split()
        if len(fields) >= 6 and fields[1] == "FLOCK" and fields[5].endswith(f":{number}"):
            return Holder(max(int(fields[4]), 0))
    return None


def _system_locks() -> list[str]:
    try:
        return Path("/proc/locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY if sys.platform != "win32" else os.O_RDWR)
    except PermissionError:
        return sys.platform == "win32"
    except OSError:
        return False
    try:
        return not _can_share(descriptor)
    finally:
        os.close(descriptor)


def _can_share(descriptor: int) -> bool:
    """Take a lock and give it back at once."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
