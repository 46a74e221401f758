"""The database: one connection on one thread, transactions as functions, WAL on disk.

Nothing else in the product imports sqlite3 (migrations.py aside).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ankita.errors import DamagedDataError, DiskFullError, NewerDataError, WriteError
from ankita.migrations import SCHEMA_VERSION, migrate
from ankita.paths import create_private_file

log = logging.getLogger(__name__)

Connection = sqlite3.Connection
Row = sqlite3.Row
T = TypeVar("T")

Work = Callable[[Connection], object]
"""What is done within one transaction."""

QUICK_CHECK_BYTES = 64 * 1024 * 1024
"""Larger databases are not checked as a whole at start; SQLite still reports what it meets."""

BUSY_SECONDS = 5.0
"""How long another program may hold the database before that is said."""

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

SIDE_FILES = ("", "-wal", "-shm")


class Database:
    """Opens in the constructor, which may block: call it off the loop.

    Raises DamagedDataError or NewerDataError with the file untouched.
    """

    def __init__(self, path: Path) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="storage")
        try:
            self._connection = self._executor.submit(_open, path).result()
        except BaseException:
            self._executor.shutdown(wait=True)
            raise
        self._closed = False

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the database's thread and return its value."""
        return await self._run(lambda: work(self._connection))

    async def write(self, work: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run `work` in one transaction; nothing of it remains when it raises.

        Returns after the commit. `durable` also survives a power cut; without it the
        rows survive a killed process and reach the disk with the next durable commit.
        Raises DiskFullError or WriteError.
        """
        return await self._run(lambda: self._transaction(work, durable))

    def write_soon(self, work: Work) -> None:
        """Queue a transaction that nothing waits for; it is not durable.

        It comes before all that is asked for after it. A failure is logged.
        """
        self._executor.submit(self._transaction, work, False).add_done_callback(_log_failure)

    async def aclose(self) -> None:
        """Close after the queued work. May be called twice."""
        if self._closed:
            return
        await self._run(lambda: self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        await self._run(self._connection.close)
        self._closed = True
        self._executor.shutdown(wait=True)

    async def _run(self, work: Callable[[], T]) -> T:
        # A caller that is cancelled only stops waiting: the thread can't be interrupted, and
        # a transaction that was begun comes to its end.
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._executor.submit(_deliver, work, loop, done)
        return await done

    def _transaction(self, work: Callable[[Connection], T], durable: bool) -> T:
        connection = self._connection
        try:
            connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            value = work(connection)
            connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise _write_error(error) from error
        finally:
            # SQLite has already rolled back by itself where the disk is full.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return value


def _deliver(
    work: Callable[[], T], loop: asyncio.AbstractEventLoop, done: asyncio.Future[T]
) -> None:
    """Run on the database's thread. Lighter than an executor's future, which every step pays."""
    try:
        value = work()
    except BaseException as error:
        loop.call_soon_threadsafe(_settle, done, done.set_exception, error)
    else:
        loop.call_soon_threadsafe(_settle, done, done.set_result, value)


def _settle(done: asyncio.Future[T], give: Callable[[Any], None], outcome: object) -> None:
    if not done.done():
        give(outcome)


def _log_failure(done: Future[object]) -> None:
    error = done.exception()
    if error is not None:
        log.error("a row was not stored: %s", error)


def keep_database_aside(path: Path, suffix: str) -> Path:
    """Move a database that cannot be used, with its side files, to `path` + `suffix`."""
    aside = path.with_name(path.name + suffix)
    for side in SIDE_FILES:
        part = path.with_name(path.name + side)
        if part.exists():
            part.rename(aside.with_name(aside.name + side))
    return aside


def inspect_database(path: Path) -> str:
    """Look at a database without changing anything on the disk, also while it is in use.

    Gives what was found in a sentence. Raises DamagedDataError, NewerDataError, or
    WriteError where it can't be opened.
    """
    if not path.exists():
        return "There is no database yet."
    if not path.is_file():
        raise WriteError(f"{path} is not a file.", advice="Move it away.")
    try:
        return _inspect(path)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
            raise DamagedDataError("The database cannot be read.") from error
        if path.with_name(f"{path.name}-wal").exists() and os.access(path, os.R_OK):
            return "The database was not closed; the next start looks at it."
        raise WriteError(
            f"The database can't be opened: {error}.", advice="Check its permissions."
        ) from error


def _inspect(path: Path) -> str:
    # With a log beside it the database may be in use: the log is read, its index is not
    # written. Without one nobody else may be told of this reader.
    in_use = path.with_name(f"{path.name}-wal").exists()
    how = "mode=ro&readonly_shm=1" if in_use else "mode=ro&immutable=1"
    with contextlib.closing(
        sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS)
    ) as connection:
        _check(connection, path)
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            return "The database is empty."
        count = connection.execute("SELECT count(*) FROM threads").fetchone()[0]
    return f"The database opens; {count} {'thread' if count == 1 else 'threads'}."


def _check(connection: Connection, path: Path) -> int:
    """The version of the schema. Raises NewerDataError or DamagedDataError."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerDataError("The database was written by a newer version of Ankita.")
    if path.stat().st_size <= QUICK_CHECK_BYTES:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise DamagedDataError(f"The database is damaged: {verdict}.")
    assert isinstance(version, int)
    return version


def _open(path: Path) -> Connection:
    try:
        create_private_file(path)
    except OSError as error:
        raise _disk_error(error) from error
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        version = _check(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA foreign_keys=ON")
        # What was deleted or rewritten (streamed text, before it was scrubbed whole) is gone.
        connection.execute("PRAGMA secure_delete=ON")
        migrate(connection, version)
    except sqlite3.DatabaseError as error:
        connection.close()
        if "full" in str(error) or "I/O" in str(error):
            raise _write_error(error) from error
        if error.sqlite_errorcode & 0xFF in _DAMAGE:
            raise DamagedDataError("The database cannot be read.") from error
        raise WriteError(
            f"The database can't be opened: {error}.",
            advice="Another program may be using it. It was left as it is; try again.",
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _disk_error(error: OSError) -> WriteError:
    if error.errno == errno.ENOSPC:
        return DiskFullError("The disk is full.", advice="Free some space and start Ankita again.")
    return WriteError(f"The database can't be opened: {error.strerror}.")


def _write_error(error: sqlite3.Error) -> WriteError:
    if "disk is full" in str(error):
        return DiskFullError(
            "The disk is full; this was not saved.", advice="Free some space and try again."
        )
    return WriteError(f"The database could not be written: {error}.")
