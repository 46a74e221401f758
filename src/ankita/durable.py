"""Small files that a crash, a full disk or a second process can't tear.

A write goes into a new temporary file, is flushed to the disk and then replaces the
old file in one step; on POSIX the folder is flushed too, because without that an
acknowledged write can be lost in a power cut. Whatever fails on the way, the old
content is what a reader finds afterwards.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ankita.atomic_replace import DiskCalls, create_exclusively, replace_content, sync_folder
from ankita.clock import Clock, SystemClock
from ankita.errors import (
    DamagedDataError,
    DiskFullError,
    NewerDataError,
    StoredDataError,
    WriteError,
)
from ankita.paths import FILE_MODE

if TYPE_CHECKING:
    from ankita.messages import Json

MAX_FILE_BYTES = 16 * 1024 * 1024
LOCK_TIMEOUT_SECONDS = 10.0
LOCK_POLL_SECONDS = 0.01

_DISK_FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})

_log = logging.getLogger(__name__)


class DurableFiles:
    """Reads and writes the small files of one owned folder.

    A path may be relative to the folder; once symbolic links are followed it must lie
    inside. Writes to one file are serialised across threads and processes.
    """

    def __init__(
        self,
        folder: Path,
        *,
        disk: DiskCalls | None = None,
        clock: Clock | None = None,
        lock_timeout_seconds: float = LOCK_TIMEOUT_SECONDS,
    ) -> None:
        self._folder = folder
        self._disk = disk or DiskCalls()
        self._clock = clock or SystemClock()
        self._lock_timeout_seconds = lock_timeout_seconds

    def write_bytes(self, path: Path, data: bytes) -> None:
        """Replace the content. Raises WriteError or DiskFullError; then the old one is whole."""
        self.update_bytes(path, lambda _old: data)

    def write_text(self, path: Path, text: str) -> None:
        """Like `write_bytes`, in UTF-8."""
        self.write_bytes(path, text.encode("utf-8"))

    def write_json(self, path: Path, document: Mapping[str, Json]) -> None:
        """Like `write_bytes`. The document carries its integer "version"."""
        try:
            data = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2).encode()
        except UnicodeEncodeError:  # half of a surrogate pair: only an escape can hold it
            data = json.dumps(document, allow_nan=False, indent=2).encode()
        self.write_bytes(path, data + b"\n")

    def update_bytes(self, path: Path, change: Callable[[bytes | None], bytes]) -> None:
        """Replace the content by `change(old)`; nobody else writes in between.

        `change` gets None when there is no file. What it raises passes through and
        nothing is written.
        """
        real = self._owned(path)
        with self._only_writer(real):
            old = _read(real)
            data = change(old)
            if len(data) > MAX_FILE_BYTES:
                raise WriteError(
                    f"{path.name} would be larger than {MAX_FILE_BYTES // 2**20} MB.",
                    advice="The old content was kept.",
                )
            with _as_write_error(path):
                replace_content(real, old, data, self._disk)

    def read_bytes(self, path: Path) -> bytes | None:
        """The content, or None when there is no file. Raises StoredDataError."""
        return _read(self._owned(path))

    def read_text(self, path: Path) -> str | None:
        """Like `read_bytes`, from UTF-8. Raises DamagedDataError when it is not."""
        data = self.read_bytes(path)
        try:
            return None if data is None else data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _damaged(path, "it is not UTF-8 text") from error

    def read_json(self, path: Path, newest_version: int) -> dict[str, Any] | None:
        """A JSON object whose "version" is from 1 to `newest_version`, or None when absent.

        Raises NewerDataError, DamagedDataError or StoredDataError; the file is untouched.
        """
        data = self.read_bytes(path)
        return None if data is None else parse_document(path, data, newest_version)

    def keep_aside(self, path: Path, reason: str) -> Path:
        """Move a file that can't be used to a free name beside it, and return that name."""
        real = self._owned(path)
        with self._only_writer(real), _as_write_error(path):
            aside = self._reserve_name(real)
            try:
                self._disk.replace(real, aside)
            except OSError:
                aside.unlink(missing_ok=True)
                raise
            sync_folder(real.parent, self._disk)
        _log.warning("%s was kept aside as %s: %s", real.name, aside.name, reason)
        return aside

    def _owned(self, path: Path) -> Path:
        try:
            folder = self._folder.resolve(strict=True)
            real = (folder / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise WriteError(
                f"The place of {path.name} can't be reached ({type(error).__name__}).",
                advice=f"Check the folder {self._folder}.",
            ) from error
        if real == folder or not real.is_relative_to(folder):
            raise WriteError(
                f"{path.name} leads out of the folder {self._folder}.",
                advice="Nothing was read or written. Remove the link and try again.",
            )
        return real

    @contextlib.contextmanager
    def _only_writer(self, real: Path) -> Iterator[None]:
        import filelock

        # One lock object for each write: the system's lock then also holds between threads.
        lock = filelock.FileLock(
            real.with_name(f".{real.name}.lock"),
            timeout=self._lock_timeout_seconds,
            mode=FILE_MODE,
            poll_interval=LOCK_POLL_SECONDS,
        )
        with _as_write_error(real):
            try:
                lock.acquire()
            except filelock.Timeout as error:
                raise WriteError(
                    f"Another program is still writing {real.name}.",
                    advice="Try again in a moment.",
                ) from error
        try:
            yield
        finally:
            lock.release()

    def _reserve_name(self, real: Path) -> Path:
        stem = f"{real.name}.damaged-{self._clock.now():%Y%m%dT%H%M%SZ}"
        number = 1
        while True:
            aside = real.with_name(stem if number == 1 else f"{stem}-{number}")
            try:
                create_exclusively(aside, b"", self._disk)
            except FileExistsError:
                number += 1
            else:
                return aside


def parse_document(path: Path, data: bytes, newest_version: int) -> dict[str, Any]:
    """A stored JSON object with a version. `path` is only for the words of the errors."""
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "it is not valid JSON") from error
    version = document.get("version") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _damaged(path, "it has no version")
    if version > newest_version:
        raise NewerDataError(
            f"{path.name} was written by a newer version of Ankita.",
            advice="Update Ankita. The file was left as it is.",
        )
    assert isinstance(document, dict)
    return document


def _read(real: Path) -> bytes | None:
    try:
        with real.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoredDataError(
            f"{real.name} can't be read: {error.strerror or type(error).__name__}.",
            advice="Check its permissions. It was left as it is.",
        ) from error
    if len(data) > MAX_FILE_BYTES:
        raise _damaged(real, "it is too large")
    return data


def _damaged(path: Path, why: str) -> DamagedDataError:
    return DamagedDataError(
        f"{path.name} is damaged: {why}.", advice="It was left as it is, at its old place."
    )


@contextlib.contextmanager
def _as_write_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise DiskFullError(
                f"There is no space left to save {path.name}.",
                advice="Free some space and try again. The old content was kept.",
            ) from error
        raise WriteError(
            f"{path.name} could not be saved: {error.strerror or type(error).__name__}.",
            advice="The old content was kept.",
        ) from error
