"""Replaces the content of one file in one step, or leaves it as it was.

The caller makes sure that nobody else writes the same file meanwhile; `durable`
does that and is what the rest of the product uses.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ankita.paths import FILE_MODE, HAS_FILE_MODES

REPLACE_ATTEMPTS = 10
REPLACE_PAUSE_SECONDS = 0.02

_IS_POSIX = os.name == "posix"
_NEW_FILE = (
    os.O_CREAT
    | os.O_EXCL
    | os.O_WRONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def _replace(source: Path, target: Path) -> None:
    """On Windows a virus scanner or a reader may hold the target for a moment."""
    for _ in range(REPLACE_ATTEMPTS if sys.platform == "win32" else 0):
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(REPLACE_PAUSE_SECONDS)
        else:
            return
    source.replace(target)


@dataclass(frozen=True, slots=True)
class DiskCalls:
    """The four system calls that a write depends on; tests make them fail one by one."""

    open: Callable[[Path, int, int], int] = os.open
    write: Callable[[int, bytes | memoryview], int] = os.write
    sync: Callable[[int], None] = os.fsync
    replace: Callable[[Path, Path], None] = _replace


def create_exclusively(path: Path, data: bytes, disk: DiskCalls) -> None:
    """Write a file that must not exist yet, private and flushed. Raises OSError."""
    descriptor = disk.open(path, _NEW_FILE, FILE_MODE)
    try:
        if HAS_FILE_MODES:
            os.fchmod(descriptor, FILE_MODE)
        rest = memoryview(data)
        while rest:
            rest = rest[disk.write(descriptor, rest) :]
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path, disk: DiskCalls) -> None:
    """Make the names in `folder` survive a power cut. Raises OSError."""
    if not _IS_POSIX:  # Windows can't open a folder; NTFS journals the rename itself
        return
    descriptor = disk.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0), 0)
    try:
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def replace_content(path: Path, old: bytes | None, data: bytes, disk: DiskCalls) -> None:
    """Put `data` in the place of `old`. Raises OSError, and then `old` is what is there."""
    remove_leftovers(path)
    fresh, previous = _temporary_name(path), _temporary_name(path)
    try:
        create_exclusively(fresh, data, disk)
        if fresh.read_bytes() != data:
            raise OSError(errno.EIO, "what was written reads back differently")
        if _IS_POSIX and old is not None:
            _keep_second_name(path, previous, old, disk)
        disk.replace(fresh, path)
        try:
            sync_folder(path.parent, disk)
        except OSError:
            # The caller is told that nothing changed, so it must be true.
            if old is None:
                path.unlink()
            else:
                previous.replace(path)
            raise
    finally:
        for temporary in (fresh, previous):
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Delete the temporary files that a killed writer of `path` left behind."""
    start = f".{path.name}."
    with os.scandir(path.parent) as entries:
        for entry in entries:
            if entry.name.startswith(start) and entry.name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _keep_second_name(path: Path, second: Path, old: bytes, disk: DiskCalls) -> None:
    try:
        os.link(path, second)
    except OSError:  # a file system without hard links, such as exFAT
        create_exclusively(second, old, disk)


def _temporary_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(16).hex()}.tmp")
