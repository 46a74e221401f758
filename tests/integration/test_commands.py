"""Commands as real process trees: run, streamed, cut, timed out, stopped, kept."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from ankita.errors import ScopeError, ToolArgumentsError, ToolError
from ankita.ids import TurnId
from ankita.integrations.native import jobs as jobs_module
from ankita.integrations.native.jobs import JobRegistry
from ankita.integrations.native.process_tree import MARK_VARIABLE
from ankita.integrations.native.provider import NativeTools
from ankita.integrations.native.shell import start_shell
from ankita.messages import ToolResult, ToolStatus
from ankita.security.scope import FolderScope, Grant
from tests.fakes.tools import make_context

pytestmark = [
    pytest.mark.spec("TOL-2"),
    pytest.mark.skipif(os.name == "nt", reason="the commands here are for /bin/sh"),
]

PATIENCE_SECONDS = 20
STOP_SECONDS = 2.0

GROWING = """
import os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
while True:
    open(sys.argv[1] + ".log", "a").write("x")
    time.sleep(0.05)
"""

DAEMON = (
    """
import os, sys
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
"""
    + GROWING
)

Call = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "growing.py").write_text(GROWING)
    (folder / "daemon.py").write_text(DAEMON)
    return folder


@pytest.fixture
async def native(workspace: Path, tmp_path: Path) -> AsyncIterator[NativeTools]:
    scope = FolderScope(lambda: [Grant(workspace, True), Grant(tmp_path, False)])
    tools = NativeTools(scope, is_secret=lambda name, _value: name.endswith("_TOKEN"))
    yield tools
    await tools.aclose()


@pytest.fixture
def call(native: NativeTools) -> Call:
    async def run(name: str, /, **arguments: Any) -> ToolResult:
        return await native.call(name, arguments, make_context())

    return run


async def until(is_true: Callable[[], bool]) -> None:
    """Wait for a state; the pause only spares the processor."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_true():  # noqa: ASYNC110 - other processes give no event
            await asyncio.sleep(0.02)


async def process_that_wrote(path: Path) -> psutil.Process:
    def written() -> str:
        return path.read_text() if path.exists() else ""

    await until(lambda: written() != "")
    return psutil.Process(int(written()))


def is_number_gone(number: int) -> bool:
    try:
        return is_gone(psutil.Process(number))
    except psutil.NoSuchProcess:
        return True


def is_gone(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def python(script: str, *arguments: str) -> str:
    return " ".join([sys.executable, script, *arguments])


async def test_output_and_exit_code_are_given(call: Call) -> None:
    result = await call("run_command", command="echo out; echo err >&2; exit 3")
    assert result.status is ToolStatus.FAILED
    assert result.text.startswith("Exit code 3 after ")
    assert result.text.endswith("\nout\nerr\n")
    assert result.data["exit_code"] == 3
    quiet = await call("run_command", command="true")
    assert quiet.status is ToolStatus.OK
    assert quiet.text.endswith("(no output)")


async def test_a_command_gets_no_input(call: Call) -> None:
    assert (await call("run_command", command="cat")).data["exit_code"] == 0


async def test_it_runs_in_the_folder_and_only_in_allowed_ones(
    workspace: Path, tmp_path: Path, call: Call
) -> None:
    (workspace / "sub").mkdir()
    assert str(workspace / "sub") in (await call("run_command", command="pwd", folder="sub")).text
    for folder in ["/", "..", str(tmp_path)]:
        with pytest.raises(ScopeError):
            await call("run_command", command="touch marker", folder=folder)
    assert not (tmp_path / "marker").exists()
    with pytest.raises(ToolError, match="gone is not a folder here"):
        await call("run_command", command="true", folder="gone")


async def test_lines_are_streamed_while_it_runs(native: NativeTools, workspace: Path) -> None:
    lines: list[str] = []
    command = "echo one; until [ -e go ]; do sleep 0.02; done; printf 'two\\nrest'"
    running = asyncio.create_task(
        native.call("run_command", {"command": command}, make_context(lines.append))
    )
    await until(lambda: lines == ["one"])
    (workspace / "go").touch()
    await running
    assert lines == ["one", "two", "rest"]


async def test_twenty_megabytes_are_cut_in_the_middle_and_said(native: NativeTools) -> None:
    lines: list[str] = []
    command = "echo start; yes 'a line of output' | head -c 20000000; echo; echo end"
    result = await native.call("run_command", {"command": command}, make_context(lines.append))
    assert len(result.text) < 67_000
    assert "\nstart\na line of output" in result.text
    assert result.text.endswith("\nend\n")
    cut = 20_000_000 + len("start\n\nend\n") - 2 * 32 * 1024
    assert f"[… {cut:,} characters cut …]" in result.text
    assert lines[-1] == "end"
    assert len(lines) < 500_000


async def test_bytes_that_are_not_utf8_are_replaced(call: Call) -> None:
    result = await call("run_command", command=r"printf 'a\377b \303\251 \303'")
    assert result.text.endswith("a\ufffdb é \ufffd")


async def test_a_command_past_its_time_is_ended_with_its_tree(workspace: Path, call: Call) -> None:
    command = "sh -c 'echo $$ > pid; sleep 600' & echo begun; wait"
    result = await call("run_command", command=command, timeout_seconds=2)
    assert result.status is ToolStatus.FAILED
    assert "Took longer than 2 s and was ended" in result.text
    assert "\nbegun\n" in result.text
    assert result.data["timed_out"] is True
    assert is_number_gone(int((workspace / "pid").read_text()))


@pytest.mark.spec("ENG-3")
@pytest.mark.parametrize(
    "command",
    [
        f"{python('growing.py', 'pid')}",
        f"sh -c '{python('growing.py', 'pid')} & wait' & wait",
        f"{python('daemon.py', 'pid')}; sleep 600",
        f"trap '' TERM; (trap '' TERM; {python('growing.py', 'pid')}) & wait; wait",
        f"env -u {MARK_VARIABLE} {python('growing.py', 'pid')} >/dev/null 2>&1 & sleep 600",
        f"(env -u {MARK_VARIABLE} {python('growing.py', 'pid')} &) ; sleep 600",
        f"setsid env -u {MARK_VARIABLE} {python('growing.py', 'pid')} & sleep 600",
    ],
    ids=["child", "grandchild", "daemon", "ignores-term", "unmarked", "orphan", "own-session"],
)
async def test_stop_ends_the_whole_tree_at_once(
    native: NativeTools, workspace: Path, command: str
) -> None:
    running = asyncio.create_task(native.call("run_command", {"command": command}, make_context()))
    process = await process_that_wrote(workspace / "pid")
    began = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < STOP_SECONDS
    assert is_gone(process)


@pytest.mark.spec("ENG-3")
async def test_stop_while_a_command_starts_leaves_nothing(workspace: Path) -> None:
    may_return = threading.Event()
    started: list[subprocess.Popen[bytes]] = []

    def start(
        command: str, folder: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        started.append(start_shell(command, folder, environment))
        may_return.wait(PATIENCE_SECONDS)
        return started[0]

    jobs = JobRegistry(lambda _name, _value: False, start=start)
    starting = asyncio.create_task(jobs.start("sleep 600", workspace, ".", make_context()))
    await until(lambda: len(started) == 1)
    process = psutil.Process(started[0].pid)
    starting.cancel()
    await asyncio.sleep(0)
    may_return.set()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert is_gone(process)


@pytest.mark.spec("ENG-3")
async def test_a_second_stop_does_not_cut_the_ending_short(
    native: NativeTools, workspace: Path
) -> None:
    command = f"trap '' TERM; (trap '' TERM; {python('growing.py', 'pid')}) & wait; wait"
    running = asyncio.create_task(native.call("run_command", {"command": command}, make_context()))
    process = await process_that_wrote(workspace / "pid")
    for _ in range(3):
        running.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert is_gone(process)


async def test_a_background_job_can_be_read_and_ended(workspace: Path, call: Call) -> None:
    command = f"echo ready; {python('growing.py', 'pid')}"
    started = await call("run_command", command=command, background=True)
    job_id = started.data["job_id"]
    process = await process_that_wrote(workspace / "pid")
    seen = await call("job_output", job_id=job_id)
    assert seen.text.startswith(f"{job_id}: running for ")
    assert seen.text.endswith("\nready\n")
    assert (await call("job_output", job_id=job_id, since=seen.data["since"])).text.endswith("\n")
    assert f"{job_id}: running" in (await call("job_list")).text
    stopped = await call("job_stop", job_id=job_id)
    assert "ended with all it started" in stopped.text
    assert is_gone(process)
    assert f"{job_id}: stopped" in (await call("job_list")).text


async def test_a_background_job_can_be_waited_for(workspace: Path, call: Call) -> None:
    command = "until [ -e go ]; do sleep 0.02; done; echo done; exit 4"
    job_id = (await call("run_command", command=command, background=True)).data["job_id"]
    waiting = asyncio.create_task(
        _as_coroutine(call("job_output", job_id=job_id, wait_seconds=PATIENCE_SECONDS))
    )
    (workspace / "go").touch()
    result = await waiting
    assert "Exit code 4" in result.text
    assert "done" in result.text
    assert "had ended already" in (await call("job_stop", job_id=job_id)).text


async def _as_coroutine(work: Awaitable[ToolResult]) -> ToolResult:
    return await work


async def test_what_a_command_leaves_running_is_said_and_kept(workspace: Path, call: Call) -> None:
    command = f"{python('daemon.py', 'pid')} >/dev/null 2>&1; until [ -e pid ]; do sleep 0.02; done"
    result = await call("run_command", command=command)
    assert result.data["exit_code"] == 0
    assert "It left 1 process running, kept as job-1." in result.text
    process = await process_that_wrote(workspace / "pid")
    assert not is_gone(process)
    await call("job_stop", job_id=result.data["job_id"])
    assert is_gone(process)


async def test_jobs_of_another_conversation_are_not_seen(native: NativeTools) -> None:
    mine, other = make_context(thread="mine"), make_context(thread="other")
    started = await native.call("run_command", {"command": "sleep 600", "background": True}, mine)
    assert (await native.call("job_list", {}, other)).text == "No background jobs."
    for tool in ("job_output", "job_stop"):
        with pytest.raises(ToolError, match="There is no job job-1"):
            await native.call(tool, {"job_id": started.data["job_id"]}, other)


async def test_too_many_commands_are_refused(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_RUNNING", 2)
    for _ in range(2):
        await call("run_command", command="sleep 600", background=True)
    with pytest.raises(ToolError, match="2 commands run already"):
        await call("run_command", command="true")
    await call("job_stop", job_id="job-1")
    assert (await call("run_command", command="true")).status is ToolStatus.OK


@pytest.mark.spec("APP-5")
async def test_quit_ends_every_job_and_refuses_new_ones(
    native: NativeTools, workspace: Path, call: Call
) -> None:
    for number in range(3):
        command = f"{python('daemon.py', f'pid{number}')}; {python('growing.py', f'q{number}')}"
        await call("run_command", command=command, background=True)
    names = [f"{letter}{number}" for letter in ("pid", "q") for number in range(3)]
    processes = [await process_that_wrote(workspace / name) for name in names]
    await native.aclose()
    assert all(is_gone(process) for process in processes)
    with pytest.raises(ToolError, match="closing"):
        await call("run_command", command="true")


@pytest.mark.spec("APP-5")
async def test_quit_ends_what_an_ended_background_job_left(
    native: NativeTools, workspace: Path, call: Call
) -> None:
    await call("run_command", command=python("daemon.py", "pid"), background=True)
    process = await process_that_wrote(workspace / "pid")
    await until(lambda: process.ppid() != os.getpid())
    await native.aclose()
    assert is_gone(process)


@pytest.mark.spec("ENG-3")
async def test_the_background_jobs_of_one_turn_can_be_ended(
    native: NativeTools, workspace: Path
) -> None:
    for turn in ("one", "two"):
        arguments = {"command": python("growing.py", turn), "background": True}
        await native.call("run_command", arguments, make_context(turn=turn))
    first = await process_that_wrote(workspace / "one")
    second = await process_that_wrote(workspace / "two")
    await native.end_turn(TurnId("one"))
    assert is_gone(first)
    assert not is_gone(second)


async def test_processes_of_others_are_left_alone(call: Call) -> None:
    bystander = await asyncio.create_subprocess_exec("sleep", "600", start_new_session=True)
    try:
        await call("run_command", command="sleep 600", timeout_seconds=1)
        assert bystander.returncode is None
        assert psutil.Process(bystander.pid).status() != psutil.STATUS_ZOMBIE
    finally:
        bystander.kill()
        await bystander.wait()


async def test_secrets_are_not_inherited(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    monkeypatch.setenv("MY_COLOUR", "red")
    text = (await call("run_command", command="env")).text
    assert "s3cret" not in text
    assert "MY_COLOUR=red" in text
    assert MARK_VARIABLE in text


async def test_the_loop_stays_free_during_a_chatty_command(native: NativeTools) -> None:
    running = asyncio.create_task(
        native.call("run_command", {"command": "yes", "timeout_seconds": 1}, make_context())
    )
    turns_of_the_loop = 0
    while not running.done():
        await asyncio.sleep(0.005)
        turns_of_the_loop += 1
    assert "characters cut" in (await running).text
    # A loop that was held up would come round a handful of times in that second.
    assert turns_of_the_loop > 20


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "command"),
        ({"command": ""}, "command"),
        ({"command": "x", "timeout_seconds": 601}, "timeout_seconds"),
        ({"command": "x", "stdin": "y"}, "stdin"),
    ],
)
async def test_wrong_arguments_name_the_field(
    call: Call, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolArgumentsError) as refused:
        await call("run_command", **arguments)
    assert refused.value.field == field
