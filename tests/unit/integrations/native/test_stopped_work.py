"""A stopped file call changes nothing after it was stopped."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from ankita.integrations.native.blocking_work import to_the_end
from ankita.integrations.native.provider import NativeTools
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.security.scope import FolderScope
from tests.fakes.tools import make_context


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.spec("ENG-3")
async def test_a_write_that_is_stopped_half_way_does_not_land(
    workspace: Path, scope: FolderScope
) -> None:
    (workspace / "a.txt").write_text("old")
    has_begun, may_go_on = threading.Event(), threading.Event()

    def write(descriptor: int, content: memoryview) -> int:
        has_begun.set()
        may_go_on.wait(5)
        return os.write(descriptor, content)

    files = ScopedFiles(scope, write=write)
    native = NativeTools(scope, is_secret=lambda _n, _v: False, files=files)
    arguments = {"path": "a.txt", "content": "new"}
    task = asyncio.create_task(native.call("write_file", arguments, make_context()))
    await asyncio.to_thread(has_begun.wait, 5)
    task.cancel()
    asyncio.get_running_loop().call_soon(may_go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (workspace / "a.txt").read_text() == "old"
    assert names(workspace) == ["a.txt"]


async def test_work_that_must_be_finished_outlasts_two_cancels() -> None:
    gate = asyncio.Event()
    finished = []

    async def work() -> None:
        await gate.wait()
        finished.append(True)

    task = asyncio.create_task(to_the_end(work()))
    for _ in range(2):
        await asyncio.sleep(0)
        task.cancel()
    asyncio.get_running_loop().call_later(0.01, gate.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert finished == [True]
