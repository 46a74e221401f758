"""Stop in the middle of anything: nothing runs on, and the thread says what had happened."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest

from ankita.engine import (
    Answer,
    CallStatus,
    NoticeItem,
    ReplyItem,
    ReplyStatus,
    StopTurn,
    ThreadStatus,
    UseServer,
)
from ankita.paths import ProfilePaths
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.servers.llama_server import LlamaServer
from tests.servers.tiny_model import ENDLESS_WORD

pytestmark = pytest.mark.spec("ENG-3")

GROWING = """
import subprocess, sys, time
depth = int(sys.argv[1])
if depth:
    subprocess.Popen([sys.executable, __file__, str(depth - 1)]).wait()
print("grandchild", flush=True)
time.sleep(600)
"""


def stopped_notice(lab: EngineLab, thread: object) -> str:
    notices = [i.text for i in lab.state.items[thread] if isinstance(i, NoticeItem)]  # type: ignore[index]
    return notices[-1]


def processes_of(script: str) -> list[int]:
    """The living processes that run a script of this name."""
    found = []
    for process in psutil.process_iter():
        try:
            runs_it = any(Path(part).name == script for part in process.cmdline())
            if runs_it and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.skipif(os.name == "nt", reason="the command here is for /bin/sh")
async def test_a_command_ends_with_its_grandchildren(tmp_path: Path) -> None:
    paths = ProfilePaths(tmp_path / "home")
    model = ScriptedModelProvider(
        [
            calls(("write_file", {"path": "first.txt", "content": "1"})),
            calls(("run_command", {"command": f"{sys.executable} growing.py 2; echo never"})),
            says("never"),
        ]
    )
    async with engine_lab(paths.root, model) as lab:
        (paths.workspace / "growing.py").write_text(GROWING, "utf-8")
        thread = await lab.send("go")
        await lab.answer(Answer.YES_ONCE)
        await lab.answer(Answer.YES_ONCE)
        await lab.until(
            lambda s: any("grandchild" in i.output for i in tool_items(s.items[thread]))
        )
        assert len(processes_of("growing.py")) == 3
        await lab.do(StopTurn(thread))
        assert processes_of("growing.py") == []
        items = lab.state.items[thread]
        assert [i.status for i in tool_items(items)] == [CallStatus.OK, CallStatus.STOPPED]
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
        said = stopped_notice(lab, thread)
    assert "Done before that: files: write file first.txt." in said
    assert "Begun, and ended part-way: shell: run command" in said
    assert len(model.requests) == 2


@pytest.mark.engine
async def test_a_stream_of_a_real_server_ends_and_its_text_stays(
    llama_server: LlamaServer,
    tmp_path: Path,
) -> None:
    async with engine_lab(tmp_path) as lab:
        await lab.do(UseServer(llama_server.base_url, llama_server.model))
        thread = await lab.send(f"Go on for ever {ENDLESS_WORD}")
        await lab.until(lambda s: any(isinstance(i, ReplyItem) for i in s.items[thread]))
        await lab.do(StopTurn(thread))
        reply = next(i for i in lab.state.items[thread] if isinstance(i, ReplyItem))
        assert reply.status is ReplyStatus.STOPPED
        assert reply.text
        assert stopped_notice(lab, thread) == "Stopped."
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
        # The server is free again: the next message is answered.
        items = await lab.talk("Hello", thread)
        assert isinstance(items[-1], ReplyItem)


async def test_a_pending_question_dies_and_its_act_never_runs(tmp_path: Path) -> None:
    paths = ProfilePaths(tmp_path / "home")
    model = ScriptedModelProvider([calls(("write_file", {"path": "a.txt", "content": "1"}))])
    async with engine_lab(paths.root, model) as lab:
        thread = await lab.send("go")
        await lab.asked()
        await lab.do(StopTurn(thread))
        assert lab.state.approvals == ()
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.STOPPED
        assert stopped_notice(lab, thread) == "Stopped."
    assert not (paths.workspace / "a.txt").exists()
