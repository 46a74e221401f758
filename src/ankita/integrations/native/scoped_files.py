"""Reads and replaces whole files below a granted folder."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ankita.errors import ToolError
from ankita.ids import new_id
from ankita.integrations.native.parent_folder import (
    CREATE_FLAGS,
    PRIVATE_MODE,
    READ_FLAGS,
    WORKS_BY_DESCRIPTOR,
    DescriptorFolder,
    ParentFolder,
    PathFolder,
)
from ankita.integrations.native.plain_errors import plain_errors
from ankita.security.scope import FolderScope, ScopedPath, moved

_NEW_FILE_MODE = 0o666
_ANY_WRITE = 0o222

Write = Callable[[int, memoryview], int]


class ScopedFiles:
    """Reads and replaces whole files. Every OSError becomes a ToolError in plain words.

    `write` is the system call that writes; tests make it fail. `by_descriptor` picks
    how folders are opened, see parent_folder.
    """

    def __init__(
        self,
        scope: FolderScope,
        *,
        write: Write = os.write,
        by_descriptor: bool = WORKS_BY_DESCRIPTOR,
    ) -> None:
        self._scope = scope
        self._write = write
        self._by_descriptor = by_descriptor

    def read(self, place: ScopedPath, limit_bytes: int) -> bytes:
        """The whole content. Raises ToolError when it is no file or over the limit."""
        shown = self._scope.shown(place.path)
        with plain_errors(shown, "read"), self._opened(place) as file:
            found = os.fstat(file.fileno())
            _require_file(found, shown)
            if found.st_size <= limit_bytes:
                content = file.read(limit_bytes + 1)
                if len(content) <= limit_bytes:
                    return content
        raise ToolError(
            f"{shown} is too large to read: {found.st_size:,} bytes, limit {limit_bytes:,}.",
            advice="Use search_files, or a command that prints a part of it.",
        )

    def check_file(self, place: ScopedPath) -> None:
        """Raise ToolError when there is no ordinary file that can be opened."""
        shown = self._scope.shown(place.path)
        with plain_errors(shown, "read"), self._opened(place) as file:
            _require_file(os.fstat(file.fileno()), shown)

    def replace(
        self,
        place: ScopedPath,
        content: bytes,
        is_stopped: Callable[[], bool],
        expected: bytes | None = None,
    ) -> bool:
        """Write a file whole: afterwards it holds the old or the new content, never a part.

        Creates missing folders, keeps the mode of a file that was there. Returns whether
        the file is new. When `is_stopped` says so before the swap, or the file no longer
        holds `expected`, nothing changes and ToolError is raised.
        """
        shown = self._scope.shown(place.path)
        with plain_errors(shown, "written"), self._parent(place, create=True) as folder:
            name = place.path.name
            before = folder.look(name)
            if before is not None:
                if stat.S_ISLNK(before.st_mode):
                    raise moved(place.path)
                _require_file(before, shown)
                _require_writable(before, shown)
            draft = f".{new_id()}.tmp"
            try:
                self._write_draft(folder, draft, content, before)
                if is_stopped():
                    raise ToolError(f"Stopped before {shown} was changed.")
                if expected is not None:
                    _require_content(folder, name, expected, shown)
                folder.swap(draft, name)
            except BaseException:
                with suppress(OSError):
                    folder.remove(draft)
                raise
            folder.sync()
        return before is None

    def _write_draft(
        self, folder: ParentFolder, draft: str, content: bytes, before: os.stat_result | None
    ) -> None:
        mode = _NEW_FILE_MODE if before is None else PRIVATE_MODE
        descriptor = folder.open(draft, CREATE_FLAGS, mode)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[self._write(descriptor, rest) :]
            if before is not None:
                _keep_owner_and_mode(descriptor, before)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def _opened(self, place: ScopedPath) -> Iterator[BinaryIO]:
        with (
            self._parent(place, create=False) as folder,
            _opened(folder, place.path.name) as file,
        ):
            yield file

    @contextmanager
    def _parent(self, place: ScopedPath, *, create: bool) -> Iterator[ParentFolder]:
        if not place.parts:
            raise ToolError(
                f"{self._scope.shown(place.path)} is a folder.", advice="Use list_folder."
            )
        folder: ParentFolder
        if self._by_descriptor:
            folder = DescriptorFolder(place, create)
        else:
            folder = PathFolder(place, create, self._scope)
        try:
            yield folder
        finally:
            folder.close()


def _require_file(found: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolError(f"{shown} is a folder.", advice="Use list_folder to see what is in it.")
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{shown} is a device, a pipe or a socket, not a file.")


def _require_content(folder: ParentFolder, name: str, expected: bytes, shown: str) -> None:
    with _opened(folder, name) as file:
        if file.read(len(expected) + 1) != expected:
            raise ToolError(
                f"{shown} was changed by something else meanwhile; nothing was written.",
                advice="Read the file again.",
            )


@contextmanager
def _opened(folder: ParentFolder, name: str) -> Iterator[BinaryIO]:
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        yield file


def _require_writable(found: os.stat_result, shown: str) -> None:
    # Swapping would get past the mark that the owner set on the file.
    if not found.st_mode & _ANY_WRITE:
        raise ToolError(
            f"{shown} is marked read-only. It was not changed.",
            advice="Ask the user whether the mark may be removed.",
        )


def _keep_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
