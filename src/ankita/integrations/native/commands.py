"""The command tools: run a command, and read, end and list background jobs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence

from ankita.integrations.native.blocking_work import in_thread
from ankita.integrations.native.jobs import Job, JobRegistry, JobState
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.messages import Effect, JsonObject, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext
from ankita.security.scope import FolderScope, shown_text

APP = "shell"
DEFAULT_SECONDS = 120
MAX_SECONDS = 600
MAX_COMMAND_CHARACTERS = 10_000
"""Windows takes 32,767 for a whole command line, and the encoded form is 2.7 times longer."""

MAX_WAIT_SECONDS = 60


class RunCommand(Arguments):
    command: str = argument(
        min_length=1,
        max_length=MAX_COMMAND_CHARACTERS,
        description="Command line for /bin/sh, or PowerShell on Windows. It gets no input.",
    )
    folder: str = argument(default=".", description="Folder to run in.")
    timeout_seconds: int = argument(
        default=DEFAULT_SECONDS,
        ge=1,
        le=MAX_SECONDS,
        description="After this time it is ended. Not for background jobs.",
    )
    background: bool = argument(
        default=False, description="Return at once and let it run on, for servers and the like."
    )


class JobOutput(Arguments):
    job_id: str
    since: int = argument(default=0, ge=0, description="Show output from this character on.")
    wait_seconds: int = argument(
        default=0, ge=0, le=MAX_WAIT_SECONDS, description="Wait this long for it to end."
    )


class JobStop(Arguments):
    job_id: str


class JobList(Arguments):
    pass


class CommandTools:
    """Handlers of the command tools."""

    def __init__(self, scope: FolderScope, jobs: JobRegistry) -> None:
        self._scope = scope
        self._jobs = jobs

    def declare(self) -> Sequence[NativeTool]:
        """The tools, ready to offer."""
        return (
            native_tool(
                RunCommand,
                self._run,
                name="run_command",
                description="Run a command and return its exit code and output.",
                effect=Effect.CHANGES,
                app=APP,
                phase=Phase.ACTING,
                key_arguments=("command", "folder"),
            ),
            native_tool(
                JobOutput,
                self._output,
                name="job_output",
                description="Read the output of a background job.",
                effect=Effect.READS,
                app=APP,
                phase=Phase.CHECKING,
                key_arguments=("job_id",),
            ),
            native_tool(
                JobStop,
                self._stop,
                name="job_stop",
                description="End a background job and every process it started.",
                effect=Effect.CHANGES,
                app=APP,
                phase=Phase.ACTING,
                key_arguments=("job_id",),
            ),
            native_tool(
                JobList,
                self._list,
                name="job_list",
                description="List the background jobs of this conversation.",
                effect=Effect.READS,
                app=APP,
                phase=Phase.CHECKING,
            ),
        )

    async def _run(self, args: RunCommand, context: CallContext) -> ToolResult:
        # A command may change whatever it likes, so a folder for reading only will not do.
        folder = await in_thread(lambda _stop: self._scope.resolve(args.folder, for_writing=True))
        job = await self._jobs.start(args.command, folder, shown_text(args.folder), context)
        if args.background:
            self._jobs.keep(job)
            return ToolResult(
                ToolStatus.OK, f"Runs in the background as {job.id}.", {"job_id": job.id}
            )
        try:
            return await self._follow(job, args.timeout_seconds)
        except asyncio.CancelledError:
            await job.end()
            raise
        finally:
            if not job.is_background:
                self._jobs.forget(job)

    async def _follow(self, job: Job, timeout_seconds: int) -> ToolResult:
        if await job.wait(timeout_seconds):
            left = await job.leftovers()
            if left:
                self._jobs.keep(job)
            return _finished(job, left)
        not_ended = await job.end()
        head = f"Took longer than {timeout_seconds} s and was ended with all it started."
        if not_ended:
            head = f"Took longer than {timeout_seconds} s. {_not_ended(not_ended)}"
        return _result(ToolStatus.FAILED, head, job, {"timed_out": True, "exit_code": None})

    async def _output(self, args: JobOutput, context: CallContext) -> ToolResult:
        job = self._jobs.find(args.job_id, context.thread_id)
        if args.wait_seconds:
            await job.wait(args.wait_seconds)
        await job.leftovers()
        text, end = job.output.text(args.since)
        head = f"{job.id}: {_state(job)}. Read on with since={end}."
        data = {"job_id": job.id, "state": job.state.value, "since": end}
        return ToolResult(ToolStatus.OK, f"{head}\n{text}", data)

    async def _stop(self, args: JobStop, context: CallContext) -> ToolResult:
        job = self._jobs.find(args.job_id, context.thread_id)
        was_over = job.exit_code is not None and not await job.leftovers()
        if was_over:
            return _result(ToolStatus.OK, f"{job.id} had ended already.", job, {"job_id": job.id})
        not_ended = await job.end()
        status = ToolStatus.FAILED if not_ended else ToolStatus.OK
        head = _not_ended(not_ended) if not_ended else f"{job.id} was ended with all it started."
        return _result(status, head, job, {"job_id": job.id})

    async def _list(self, _args: JobList, context: CallContext) -> ToolResult:
        jobs = self._jobs.of_thread(context.thread_id)
        lines = [f"{job.id}: {_state(job)}: {shown_text(job.command)}" for job in jobs]
        return ToolResult(ToolStatus.OK, "\n".join(lines) or "No background jobs.")


def _finished(job: Job, left: int) -> ToolResult:
    code = job.exit_code
    head = f"{_code(code)} after {job.seconds:.1f} s."
    data: dict[str, object] = {"exit_code": code, "timed_out": False}
    if left:
        processes = "1 process" if left == 1 else f"{left} processes"
        head += f" It left {processes} running, kept as {job.id}."
        data["job_id"] = job.id
    return _result(ToolStatus.FAILED if code else ToolStatus.OK, head, job, data)


def _result(status: ToolStatus, head: str, job: Job, data: JsonObject) -> ToolResult:
    text, _ = job.output.text()
    body = text or "(no output)"
    return ToolResult(status, f"{head}\n{body}", {**data, "seconds": round(job.seconds, 2)})


def _state(job: Job) -> str:
    if job.state is JobState.STOPPED:
        return "stopped"
    if job.exit_code is None:
        return f"running for {job.seconds:.0f} s"
    if job.state is JobState.RUNNING:
        return f"{_code(job.exit_code)}, but processes it started still run"
    return f"{_code(job.exit_code)} after {job.seconds:.1f} s"


def _code(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"Ended by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"Ended by signal {-code}"
    return f"Exit code {code}"


def _not_ended(numbers: Sequence[int]) -> str:
    listed = ", ".join(str(number) for number in numbers)
    return f"These processes could not be ended: {listed}. Tell the user."
