"""Running commands: each a whole process tree that can be awaited, read and ended."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from ankita.errors import ToolError
from ankita.ids import ThreadId, TurnId, new_id
from ankita.integrations.native.blocking_work import to_the_end
from ankita.integrations.native.command_output import CommandOutput, pump
from ankita.integrations.native.process_tree import MARK_VARIABLE, ProcessTree
from ankita.integrations.native.shell import start_shell
from ankita.protocols import CallContext
from ankita.security.scope import shown_text

MAX_RUNNING = 32
MAX_ENDED_KEPT = 50
DRAIN_ENDED_SECONDS = 0.1
DRAIN_SECONDS = 0.5
"""How long output may still come after the command ended; its children can hold the pipe."""


class JobState(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    STOPPED = "stopped"


class Job:
    """One command. Made by JobRegistry; lives on the loop that started it."""

    def __init__(
        self,
        job_id: str,
        command: str,
        context: CallContext,
        process: subprocess.Popen[bytes],
        mark: str,
    ) -> None:
        self.id = job_id
        self.command = command
        self.thread_id: ThreadId = context.thread_id
        self.turn_id: TurnId = context.turn_id
        self.output = CommandOutput()
        self.is_background = False
        self._process = process
        self._tree = ProcessTree(process.pid, mark)
        self._started_at = time.monotonic()
        self._ended_at: float | None = None
        self._exited = asyncio.Event()
        self._drained = asyncio.Event()
        self._ending: asyncio.Task[list[int]] | None = None
        self._leftovers = 0

    def watch(self, report: Callable[[str], None]) -> None:
        """Begin to read the output and to wait for the end, in two threads."""
        loop = asyncio.get_running_loop()
        for work in (lambda: self._pump(loop, report), lambda: self._wait(loop)):
            threading.Thread(target=work, name=f"{self.id}-watch", daemon=True).start()

    @property
    def state(self) -> JobState:
        if self._ending is not None:
            return JobState.STOPPED
        if not self._exited.is_set() or self._leftovers:
            return JobState.RUNNING
        return JobState.ENDED

    @property
    def exit_code(self) -> int | None:
        """The command's own exit code; None while it runs. Negative: ended by that signal."""
        return self._process.returncode if self._exited.is_set() else None

    @property
    def seconds(self) -> float:
        return (self._ended_at or time.monotonic()) - self._started_at

    async def wait(self, timeout_seconds: float) -> bool:
        """Wait for the command to end. False when it still runs after that time."""
        try:
            # Not wait_for: on Python 3.11 it can swallow a cancel.
            async with asyncio.timeout(timeout_seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        await self._drain(DRAIN_SECONDS)
        return True

    async def leftovers(self) -> int:
        """How many processes of the tree still run although the command itself ended."""
        if self._leftovers:
            self._leftovers = len(await asyncio.to_thread(self._tree.living))
        return self._leftovers

    async def end(self) -> list[int]:
        """End the whole tree, even when this task is cancelled meanwhile.

        Returns the numbers of processes that could not be ended. May be called again.
        """
        if self._ending is None:
            self._ending = asyncio.ensure_future(asyncio.to_thread(self._tree.end))
        return await to_the_end(self._finish_end(self._ending))

    async def _finish_end(self, ending: asyncio.Task[list[int]]) -> list[int]:
        left = await ending
        self._leftovers = len(left)
        if not left:
            await self._drain(DRAIN_ENDED_SECONDS)
        return left

    async def _drain(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._drained.wait()

    def _pump(self, loop: asyncio.AbstractEventLoop, report: Callable[[str], None]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            pump(stream.fileno(), self.output, report)
        _tell(loop, self._drained.set)

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._process.wait()
        self._tree.note_first_ended()
        self._ended_at = time.monotonic()
        self._leftovers = self._tree.settled()
        _tell(loop, self._exited.set)


def _tell(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    # A process that could not be ended may outlive the loop.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


class JobRegistry:
    """All commands that run now, and the output of background ones that ended.

    `is_secret(name, value)` says which variables a command must not inherit. `start`
    starts the shell; it blocks and runs in a thread.
    """

    def __init__(
        self,
        is_secret: Callable[[str, str], bool],
        environment: Callable[[], Mapping[str, str]] = lambda: os.environ,
        start: Callable[[str, Path, Mapping[str, str]], subprocess.Popen[bytes]] = start_shell,
    ) -> None:
        self._is_secret = is_secret
        self._environment = environment
        self._start_shell = start
        self._jobs: dict[str, Job] = {}
        self._starting = 0
        self._count = 0
        self._is_closed = False

    async def start(self, command: str, folder: Path, shown: str, context: CallContext) -> Job:
        """Start a command. A cancel while it starts ends it again. Raises ToolError."""
        if self._is_closed:
            raise ToolError("Ankita is closing; no command was started.")
        if len(await self._running()) + self._starting >= MAX_RUNNING:
            raise ToolError(
                f"{MAX_RUNNING} commands run already.", advice="End one with job_stop first."
            )
        self._count += 1
        self._starting += 1
        starting = asyncio.ensure_future(
            self._start(f"job-{self._count}", command, folder, context)
        )
        try:
            job = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await to_the_end(self._abandon(starting))
            raise
        except (OSError, ValueError) as error:
            raise _start_error(error, shown) from error
        finally:
            self._starting -= 1
        if self._is_closed:
            await job.end()
            raise ToolError("Ankita is closing; the command was ended.")
        return job

    async def _running(self) -> list[Job]:
        for job in list(self._jobs.values()):
            await job.leftovers()
        return [job for job in self._jobs.values() if job.state is JobState.RUNNING]

    async def _abandon(self, starting: asyncio.Task[Job]) -> None:
        with suppress(OSError, ValueError):
            job = await starting
            await job.end()
            self.forget(job)

    async def _start(self, job_id: str, command: str, folder: Path, context: CallContext) -> Job:
        mark = new_id()
        inherited = {
            name: value
            for name, value in self._environment().items()
            if not self._is_secret(name, value)
        }
        environment = {**inherited, MARK_VARIABLE: mark}
        process = await asyncio.to_thread(self._start_shell, command, folder, environment)
        job = Job(job_id, command, context, process, mark)
        job.watch(context.report)
        self._jobs[job_id] = job
        return job

    def find(self, job_id: str, thread_id: ThreadId) -> Job:
        """A background job of this conversation. Raises ToolError."""
        job = self._jobs.get(job_id)
        if job is None or not job.is_background or job.thread_id != thread_id:
            raise ToolError(f"There is no job {shown_text(job_id)}.", advice="See job_list.")
        return job

    def of_thread(self, thread_id: ThreadId) -> list[Job]:
        """The background jobs of a conversation, oldest first."""
        return [
            job for job in self._jobs.values() if job.is_background and job.thread_id == thread_id
        ]

    def keep(self, job: Job) -> None:
        """Let the job go on in the background; the oldest ended ones are forgotten."""
        job.is_background = True
        ended = [
            other
            for other in self._jobs.values()
            if other.is_background and other.state is not JobState.RUNNING
        ]
        for other in ended[:-MAX_ENDED_KEPT]:
            del self._jobs[other.id]

    def forget(self, job: Job) -> None:
        """Drop a job that is over."""
        self._jobs.pop(job.id, None)

    async def end_turn(self, turn_id: TurnId) -> None:
        """End everything that a turn started, background jobs included."""
        await self._end_all([job for job in self._jobs.values() if job.turn_id == turn_id])

    async def aclose(self) -> None:
        """End everything. May be called twice."""
        self._is_closed = True
        await self._end_all(list(self._jobs.values()))

    async def _end_all(self, jobs: list[Job]) -> None:
        await to_the_end(_gather([job for job in jobs if job.state is not JobState.ENDED]))


async def _gather(jobs: list[Job]) -> None:
    await asyncio.gather(*(job.end() for job in jobs))


def _start_error(error: OSError | ValueError, shown: str) -> ToolError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return ToolError(f"{shown} is not a folder here.", advice="See list_folder.")
    if isinstance(error, PermissionError):
        return ToolError(f"The system does not permit running a command in {shown}.")
    return ToolError(f"The command could not be started: {error}.")
