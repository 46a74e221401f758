"""Rows that nothing waits for, and callers that stop waiting."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path

import pytest

from ankita.storage import Connection, Database

pytestmark = pytest.mark.spec("ENG-4")

INSERT = "INSERT INTO teammates (id, position, body) VALUES (?, 1, '')"


def _count(connection: Connection) -> int:
    number: int = connection.execute("SELECT COUNT(*) FROM teammates").fetchone()[0]
    return number


async def test_a_queued_row_is_there_for_all_that_is_asked_after_it(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    database.write_soon(lambda c: c.execute(INSERT, ("a",)))
    assert await database.read(_count) == 1
    database.write_soon(lambda c: c.execute(INSERT, ("b",)))
    await database.aclose()
    again = Database(tmp_path / "a.db")
    assert await again.read(_count) == 2
    await again.aclose()


async def test_a_queued_row_that_fails_is_logged_and_breaks_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(tmp_path / "a.db")
    with caplog.at_level(logging.ERROR):
        database.write_soon(lambda c: c.execute("INSERT INTO nowhere VALUES (1)"))
        await database.write(lambda c: c.execute(INSERT, ("a",)))
    assert "a row was not stored" in caplog.text
    assert await database.read(_count) == 1
    await database.aclose()


async def test_a_caller_that_is_cancelled_leaves_a_whole_transaction(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        connection.execute(INSERT, ("a",))
        begun.set()
        go_on.wait(20)
        connection.execute(INSERT, ("b",))

    writing = asyncio.create_task(database.write(work))
    await asyncio.to_thread(begun.wait, 20)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    go_on.set()
    assert await database.read(_count) == 2
    await database.aclose()
