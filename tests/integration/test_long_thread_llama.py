"""A thread of 10,000 messages goes on with a real server whose window is 4,096 tokens (ENG-6).

The tiny model's tokens are bytes, so the window holds about a page of text: less than
any model that a user has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ankita.engine import OpenThread, ReplyItem, ReplyStatus, ThreadStatus, UseServer
from ankita.memory.work import WorkStore
from ankita.paths import ProfilePaths
from ankita.storage import Database
from tests.engine_lab import engine_lab
from tests.long_thread import THREAD, write_long_thread
from tests.servers.llama_server import LlamaServer, start_llama_server

pytestmark = [pytest.mark.engine, pytest.mark.spec("ENG-6")]

WINDOW = 4_096
TURNS = 4


@pytest.fixture
def small_server(tiny_model_file: Path) -> Iterator[LlamaServer]:
    pytest.importorskip("xllamacpp")
    server = start_llama_server(tiny_model_file, context_tokens=WINDOW)
    yield server
    server.stop()


async def test_it_goes_on_turn_after_turn(small_server: LlamaServer, tmp_path: Path) -> None:
    paths = ProfilePaths(tmp_path)
    await write_long_thread(paths, 10_000)
    async with engine_lab(tmp_path) as lab:
        await lab.do(UseServer(small_server.base_url, small_server.model))
        await lab.do(OpenThread(THREAD))
        for number in range(TURNS):
            items = await lab.talk(f"And question {number}?", THREAD)
            assert lab.state.threads[THREAD].status is ThreadStatus.IDLE
            last = items[-1]
            assert isinstance(last, ReplyItem)
            assert last.status is ReplyStatus.DONE
    database = Database(paths.database)
    rows = await WorkStore(database, lambda value: value).requests(THREAD)
    await database.aclose()
    assert len(rows) == TURNS
    assert all(row.left_out > 9_000 for row in rows)
    assert all(row.prompt_tokens and row.prompt_tokens < WINDOW for row in rows)
