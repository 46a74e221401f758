"""A file that is being fetched: its part on the disk, its check, and the name it gets at the end.

Every method blocks: call them in a thread. Two of them may overlap when one was abandoned.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ankita.atomic_replace import DiskCalls, create_exclusively, sync_folder
from ankita.errors import DiskFullError, WriteError
from ankita.paths import FILE_MODE, FOLDER_MODE, HAS_FILE_MODES

HASH_BYTES: Final = 1024 * 1024
MAX_ETAG_BYTES: Final = 1_024

NoteDone = Callable[[int], None]
"""Told how many bytes are done."""

_FULL: Final = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
_OPEN_PART: Final = (
    os.O_CREAT
    | os.O_WRONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class PartFile:
    """The part of the file `name` whose hash shall be `sha256`, in `folder`.

    Its own name holds the hash, so parts of different files never mix. Raises WriteError,
    or DiskFullError where the disk is full; what was written stays.
    """

    def __init__(
        self, folder: Path, name: str, sha256: str, *, disk: DiskCalls | None = None
    ) -> None:
        self._folder = folder
        self._name = name
        self._sha256 = sha256
        self._disk = disk or DiskCalls()
        self._part = folder / f"{name}.{sha256[:16]}.part"
        self._mark = self._part.with_suffix(".etag")
        self._descriptor: int | None = None
        self._lock = threading.Lock()

    def length(self) -> int:
        """Bytes fetched so far."""
        try:
            return self._part.stat().st_size
        except OSError:
            return 0

    def etag(self) -> str:
        """The mark of the file that the part comes from, "" when unknown."""
        try:
            with self._mark.open("rb") as file:
                return file.read(MAX_ETAG_BYTES).decode("ascii")
        except (OSError, ValueError):
            return ""

    def free_bytes(self) -> int:
        """Free space where the file shall lie. Makes the folder."""
        with self._as_write_error():
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            return shutil.disk_usage(self._folder).free

    def begin(self, at: int, etag: str) -> None:
        """Open the part for writing from `at` on; what is behind that is dropped."""
        with self._as_write_error(), self._lock:
            self._mark.unlink(missing_ok=True)
            descriptor = self._disk.open(self._part, _OPEN_PART, FILE_MODE)
            self._descriptor = descriptor
            if HAS_FILE_MODES:
                os.fchmod(descriptor, FILE_MODE)
            os.ftruncate(descriptor, at)
            os.lseek(descriptor, at, os.SEEK_SET)
            mark = etag.encode("ascii", errors="replace")
            if 0 < len(mark) <= MAX_ETAG_BYTES:
                create_exclusively(self._mark, mark, self._disk)

    def write(self, data: bytes) -> None:
        """Append to what was begun."""
        with self._as_write_error(), self._lock:
            rest = memoryview(data)
            while rest and self._descriptor is not None:
                rest = rest[self._disk.write(self._descriptor, rest) :]

    def end(self) -> None:
        """Flush and close what was begun. May be called twice."""
        with self._as_write_error(), self._lock:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is None:
                return
            try:
                self._disk.sync(descriptor)
            finally:
                os.close(descriptor)

    def is_right(self, note: NoteDone, stop: threading.Event) -> bool:
        """Whether the part has the hash. `note(done)` counts bytes; False once `stop` is set."""
        with self._as_write_error():
            return self._has_hash(self._part, note, stop)

    def finished(self, size: int, note: NoteDone, stop: threading.Event) -> Path | None:
        """The whole file where it lies there already with the right hash, else None."""
        for path in self._names():
            with contextlib.suppress(OSError):
                if path.stat().st_size == size and self._has_hash(path, note, stop):
                    return path
        return None

    def finish(self) -> Path:
        """Give the checked part its name. A file of that name with other content is kept."""
        with self._as_write_error():
            plain, unique = self._names()
            path = unique if os.path.lexists(plain) else plain
            self._disk.replace(self._part, path)
            sync_folder(self._folder, self._disk)
            self._mark.unlink(missing_ok=True)
        return path

    def discard(self) -> None:
        """Delete the part. No error when there is none."""
        self.end()
        with self._as_write_error():
            self._part.unlink(missing_ok=True)
            self._mark.unlink(missing_ok=True)

    def _names(self) -> tuple[Path, Path]:
        plain = self._folder / self._name
        return plain, plain.with_name(f"{plain.stem}-{self._sha256[:16]}{plain.suffix}")

    def _has_hash(self, path: Path, note: NoteDone, stop: threading.Event) -> bool:
        digest, done = hashlib.sha256(), 0
        with path.open("rb") as file:
            while (block := file.read(HASH_BYTES)) and not stop.is_set():
                digest.update(block)
                done += len(block)
                note(done)
        return not stop.is_set() and digest.hexdigest() == self._sha256

    @contextlib.contextmanager
    def _as_write_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise DiskFullError(
                    f"There is no space left for {self._name}.",
                    advice="Free some space and try again; what was fetched is kept.",
                ) from error
            raise WriteError(
                f"{self._name} could not be saved: {error.strerror or type(error).__name__}.",
                advice="Check the folder's permissions, then try again.",
            ) from error
