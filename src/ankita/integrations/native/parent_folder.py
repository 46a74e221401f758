"""The folder that holds a file, opened so that no link can lead an act elsewhere.

Where the system can (POSIX) each folder on the way is opened by descriptor without
following links, and the act happens relative to the last one. Elsewhere the real path
is checked again right before the act.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ankita.errors import ScopeError
from ankita.security.scope import FolderScope, ScopedPath, moved

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a named pipe must not hang."""

_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINKS | _CLOEXEC
READ_FLAGS = os.O_RDONLY | _NO_LINKS | _NO_WAIT | _BINARY | _CLOEXEC
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS | _BINARY | _CLOEXEC
PRIVATE_MODE = 0o600

WORKS_BY_DESCRIPTOR = os.open in os.supports_dir_fd and bool(_NO_LINKS)


class ParentFolder(Protocol):
    """The folder that holds a file, opened."""

    def open(self, name: str, flags: int, mode: int = ...) -> int: ...
    def look(self, name: str) -> os.stat_result | None: ...
    def swap(self, draft: str, name: str) -> None: ...
    def remove(self, name: str) -> None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...


class DescriptorFolder:
    """A folder reached from the granted one step by step, never through a link."""

    def __init__(self, place: ScopedPath, create: bool) -> None:
        self._place = place
        self._descriptor = os.open(place.root, _FOLDER_FLAGS)
        try:
            for part in place.parts[:-1]:
                self._step(part, create)
        except BaseException:
            self.close()
            raise

    def _step(self, part: str, create: bool) -> None:
        try:
            inner = self.open(part, _FOLDER_FLAGS)
        except FileNotFoundError:
            if not create:
                raise
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._descriptor)
            self.sync()
            inner = self.open(part, _FOLDER_FLAGS)
        os.close(self._descriptor)
        self._descriptor = inner

    def open(self, name: str, flags: int, mode: int = PRIVATE_MODE) -> int:
        try:
            return os.open(name, flags, mode, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self._is_link(name):
                raise moved(self._place.path) from error
            raise

    def _is_link(self, name: str) -> bool:
        found = self.look(name)
        return found is not None and stat.S_ISLNK(found.st_mode)

    def look(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def swap(self, draft: str, name: str) -> None:
        os.replace(draft, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        # Some file systems cannot sync a folder; the content itself is on disk by then.
        with suppress(OSError):
            os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class PathFolder:
    """A folder known by path; its real path is checked again before each act."""

    def __init__(self, place: ScopedPath, create: bool, scope: FolderScope) -> None:
        self._place = place
        self._scope = scope
        self._path: Path = place.path.parent
        self._check()
        if create:
            self._path.mkdir(parents=True, exist_ok=True)

    def _check(self) -> None:
        self._scope.check_unmoved(self._place)

    def open(self, name: str, flags: int, mode: int = PRIVATE_MODE) -> int:
        self._check()
        descriptor = os.open(self._path / name, flags, mode)
        try:
            self._check()
        except ScopeError:
            os.close(descriptor)
            raise
        return descriptor

    def look(self, name: str) -> os.stat_result | None:
        try:
            return (self._path / name).lstat()
        except FileNotFoundError:
            return None

    def swap(self, draft: str, name: str) -> None:
        self._check()
        (self._path / draft).replace(self._path / name)

    def remove(self, name: str) -> None:
        (self._path / name).unlink()

    def sync(self) -> None:
        """Windows keeps folder entries durable by itself."""

    def close(self) -> None:
        """Nothing is held open."""
