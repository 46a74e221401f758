"""Reads documents in a child process, within bounds of time, memory and output.

A hostile or broken file can hang, crash or fill the child; the product only sees a
plain reason. Nothing here looks into the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Final

from ankita.errors import DocumentError, UnreadableDocumentError
from ankita.integrations.documents import process_bounds, wire
from ankita.integrations.documents.intake import display_name, memory_problem, time_problem
from ankita.integrations.documents.limits import DEFAULT_LIMITS, DocumentLimits
from ankita.messages import DocumentText

WORKER_COMMAND: Final = (
    sys.executable,
    "-P",  # a module in the current folder must not be imported instead of ours
    "-B",
    "-X",
    "utf8",
    "-m",
    "ankita.integrations.documents.worker",
)

READ_BYTES: Final = 64 * 1024
STDERR_KEPT_BYTES: Final = 8 * 1024
MEMORY_WATCH_SECONDS: Final = 0.2
END_SECONDS: Final = 2.0
"""How long a killed child may take to be gone."""

OUT_OF_MEMORY_SIGNS: Final = ("MemoryError", "bad_alloc", "out of memory")
"""What an interpreter or a library says last when it cannot even raise any more."""

_Child = tuple[asyncio.subprocess.Process, asyncio.Task[str]]
"""The process and its stderr, which is complete once the process has ended."""

_log = logging.getLogger(__name__)


class ProcessDocumentReader:
    """A `DocumentReader`. Each reading has a child of its own, so readings may overlap.

    `worker_command` is the program that speaks `wire` on its pipes. `watch_memory`
    makes the parent end a child that outgrows `limits.memory_bytes`, for systems
    where the child cannot bound itself.
    """

    def __init__(
        self,
        limits: DocumentLimits = DEFAULT_LIMITS,
        *,
        worker_command: Sequence[str] = WORKER_COMMAND,
        watch_memory: bool = not process_bounds.SYSTEM_BOUNDS_MEMORY,
    ) -> None:
        self._limits = limits
        self._command = tuple(worker_command)
        self._watch_memory = watch_memory

    async def read(self, path: Path, progress: Callable[[int, int], None]) -> DocumentText:
        """See `DocumentReader.read`. The child is gone when this ends, however it ends."""
        limit = asyncio.timeout(self._limits.seconds)
        try:
            async with limit, self._child(path) as (child, stderr):
                return await self._converse(child, stderr, path, progress)
        except TimeoutError:
            if not limit.expired():
                raise
            raise time_problem(path, self._limits) from None

    @contextlib.asynccontextmanager
    async def _child(self, path: Path) -> AsyncIterator[_Child]:
        try:
            child = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=process_bounds.small_environment(os.environ),
                **process_bounds.spawn_options(),
            )
        except OSError as error:
            _log.warning("the document reader could not be started: %s", error)
            raise UnreadableDocumentError(
                f"{display_name(path)} could not be read: the reader did not start.",
                advice="Close other programs and try again.",
            ) from error
        stderr = asyncio.create_task(_tail(child.stderr))
        try:
            yield child, stderr
        finally:
            if child.returncode is None:
                process_bounds.kill_tree(child.pid)
            await _see_it_end(child, stderr)

    async def _converse(
        self,
        child: asyncio.subprocess.Process,
        stderr: asyncio.Task[str],
        path: Path,
        progress: Callable[[int, int], None],
    ) -> DocumentText:
        watch = asyncio.create_task(self._end_when_too_large(child))
        try:
            await _send(child, wire.encode_request(path, self._limits))
            reply = await self._last_reply(child, path, progress)
            if reply is None:
                await child.wait()
        finally:
            watch.cancel()
            outgrown = (await asyncio.gather(watch, return_exceptions=True))[0] is True
        if isinstance(reply, DocumentText):
            return reply
        raise reply or self._silent_end(path, child.returncode or 0, outgrown, await stderr)

    async def _last_reply(
        self, child: asyncio.subprocess.Process, path: Path, progress: Callable[[int, int], None]
    ) -> DocumentText | DocumentError | None:
        """Pass progress on until the result or the reason; None when the child ends without."""
        assert child.stdout is not None
        received = 0
        pending = bytearray()
        while chunk := await child.stdout.read(READ_BYTES):
            received += len(chunk)
            if received > self._limits.reply_bytes:
                return _useless(path, "it gives more text than can be taken")
            pending += chunk
            if b"\n" not in chunk:
                continue
            *lines, rest = bytes(pending).split(b"\n")
            pending = bytearray(rest)
            for line in lines:
                try:
                    reply = wire.decode_reply(line)
                except wire.MalformedReplyError:
                    return _useless(path, "the reader failed on it")
                if isinstance(reply, tuple):
                    progress(*reply)
                else:
                    return reply
        return None

    async def _end_when_too_large(self, child: asyncio.subprocess.Process) -> bool:
        while self._watch_memory and child.returncode is None:
            if process_bounds.resident_bytes(child.pid) > self._limits.memory_bytes:
                process_bounds.kill_tree(child.pid)
                return True
            await asyncio.sleep(MEMORY_WATCH_SECONDS)
        return False

    def _silent_end(
        self, path: Path, returncode: int, outgrown: bool, complaint: str
    ) -> DocumentError:
        """The child ended without a word: it crashed, or the system ended it."""
        _log.warning("the document reader ended with exit code %s", returncode)
        starved = any(sign in complaint for sign in OUT_OF_MEMORY_SIGNS)
        if outgrown or starved or process_bounds.ended_by_system_for_memory(returncode):
            return memory_problem(path, self._limits)
        if process_bounds.ended_by_system_for_time(returncode):
            return time_problem(path, self._limits)
        if process_bounds.crashed(returncode):
            # Short of memory, a library may die in any way, so both are named.
            return _useless(path, "the reader crashed or ran out of memory")
        return _useless(path, "the reader failed on it")


def _useless(path: Path, reason: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        f"{display_name(path)} could not be read: {reason}.",
        advice="It may be damaged. Open it in its own program and save it again.",
    )


async def _send(child: asyncio.subprocess.Process, request: bytes) -> None:
    assert child.stdin is not None
    # A child that dies at once is found out when its output ends.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(request)
        await child.stdin.drain()
    child.stdin.close()


async def _tail(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    kept = b""
    while chunk := await stream.read(READ_BYTES):
        kept = (kept + chunk)[-STDERR_KEPT_BYTES:]
    return kept.decode("utf-8", errors="replace").strip()


async def _see_it_end(child: asyncio.subprocess.Process, stderr: asyncio.Task[str]) -> None:
    """Reap the killed child. Its pipes must be read to the end, or asyncio keeps waiting."""
    # A process that escaped from the group could keep a pipe open; it must not keep us.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await asyncio.gather(child.wait(), _drain(child.stdout), stderr)
    if stderr.done() and not stderr.cancelled() and stderr.result():
        _log.info("document reader, exit %s: %s", child.returncode, stderr.result())


async def _drain(stream: asyncio.StreamReader | None) -> None:
    assert stream is not None
    while await stream.read(READ_BYTES):
        pass
