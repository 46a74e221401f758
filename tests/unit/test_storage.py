"""The database: whole transactions or none, one thread, honest errors."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ankita.errors import DamagedDataError, DiskFullError, NewerDataError, WriteError
from ankita.storage import Connection, Database, keep_database_aside


@asynccontextmanager
async def database(path: Path) -> AsyncIterator[Database]:
    opened = Database(path)
    try:
        yield opened
    finally:
        await opened.aclose()


def add_thread(connection: Connection, name: str = "a") -> None:
    connection.execute(
        "INSERT INTO threads (id, teammate_id, title, created_at, updated_at)"
        " VALUES (?, 'm', 't', '', '')",
        (name,),
    )


def count(connection: Connection) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM threads").fetchone()[0])


async def test_nothing_of_a_failed_transaction_remains_and_the_next_one_works(
    tmp_path: Path,
) -> None:
    async with database(tmp_path / "a.db") as stored:

        def half(connection: Connection) -> None:
            add_thread(connection)
            raise ValueError("in the middle")

        with pytest.raises(ValueError, match="in the middle"):
            await stored.write(half)
        assert await stored.read(count) == 0
        await stored.write(add_thread)
        assert await stored.read(count) == 1


async def test_a_cancelled_caller_leaves_a_whole_transaction(tmp_path: Path) -> None:
    async with database(tmp_path / "a.db") as stored:
        writing = asyncio.ensure_future(stored.write(add_thread))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert await stored.read(count) in (0, 1)
        await stored.write(lambda c: add_thread(c, "b"))


async def test_a_full_database_raises_and_keeps_what_was_there(tmp_path: Path) -> None:
    async with database(tmp_path / "a.db") as stored:
        await stored.write(add_thread)
        await stored.read(lambda c: c.execute("PRAGMA max_page_count = 1").fetchone())
        with pytest.raises(DiskFullError):
            await stored.write(lambda c: add_thread(c, "b" * 2_000_000))
        assert await stored.read(count) == 1


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\x00" + bytes(200)])
def test_what_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content * 100)
    with pytest.raises(DamagedDataError):
        Database(path)
    assert path.read_bytes() == content * 100


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with database(path):
        pass
    with sqlite3.connect(path) as outside:
        outside.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(NewerDataError):
        Database(path)
    assert path.read_bytes() == before


async def test_a_database_is_moved_aside_with_its_side_files(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for name in ("a.db", "a.db-wal", "a.db-shm"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    aside = keep_database_aside(path, ".damaged-1")
    assert aside.read_text(encoding="utf-8") == "a.db"
    assert sorted(p.name for p in tmp_path.iterdir()) == [  # noqa: ASYNC240
        "a.db.damaged-1",
        "a.db.damaged-1-shm",
        "a.db.damaged-1-wal",
    ]


@pytest.mark.spec("APP-7")
@pytest.mark.skipif("sys.platform == 'win32'")
async def test_the_database_and_its_side_files_are_private(tmp_path: Path) -> None:
    async with database(tmp_path / "a.db") as stored:
        await stored.write(add_thread)
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}  # noqa: ASYNC240
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


async def test_an_answered_request_is_final_in_the_store_itself(tmp_path: Path) -> None:
    async with database(tmp_path / "a.db") as stored:

        def ask(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO approvals (id, thread_id, turn_id, call_id, teammate_id, digest, body,"
                " state, created_at) VALUES ('r', '', '', '', '', '', '', 'no', '')"
            )

        await stored.write(ask)
        for state in ("yes", "pending", "no"):
            with pytest.raises(Exception, match="final"):
                await stored.write(
                    lambda c, state=state: c.execute("UPDATE approvals SET state = ?", (state,))
                )


async def test_a_database_that_another_program_holds_is_not_taken_for_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    async with database(path) as stored:
        await stored.write(add_thread)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("ankita.storage.BUSY_SECONDS", 0.05)
    with pytest.raises(WriteError, match="can't be opened"):
        Database(path)
    holder.close()
    async with database(path) as stored:
        assert await stored.read(count) == 1


async def test_what_was_deleted_is_not_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with database(path) as stored:
        await stored.write(lambda c: add_thread(c, "planted-words"))
        await stored.write(lambda c: c.execute("DELETE FROM threads"))
    left = b"".join(p.read_bytes() for p in tmp_path.iterdir())  # noqa: ASYNC240
    assert b"planted-words" not in left
