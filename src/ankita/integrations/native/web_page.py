"""Turns a page's bytes into Markdown in a child process that can be ended at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ankita.errors import ToolError, ToolTimeoutError
from ankita.integrations.documents import process_bounds

WORKER_COMMAND: Final = (
    sys.executable,
    "-P",  # a module in the current folder must not be imported instead of ours
    "-B",
    "-X",
    "utf8",
    "-m",
    "ankita.integrations.native.web_page_worker",
)
READ_BYTES: Final = 64 * 1024
MEMORY_WATCH_SECONDS: Final = 0.2
END_SECONDS: Final = 2.0
"""How long a killed child may take to be gone."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Of one reading."""

    seconds: float = 10.0
    memory_bytes: int = 1_000_000_000
    reply_bytes: int = 16_000_000


@dataclass(frozen=True, slots=True)
class PageText:
    """`title`, `author` and `published` are the page's own words; `notes` are ours."""

    title: str
    text: str
    author: str = ""
    published: str = ""
    notes: tuple[str, ...] = ()


class PageReader:
    """Reads pages. Each reading has a child of its own, which is gone when it ends."""

    def __init__(
        self,
        limits: PageLimits | None = None,
        *,
        worker_command: Sequence[str] = WORKER_COMMAND,
        watch_memory: bool = not process_bounds.SYSTEM_BOUNDS_MEMORY,
    ) -> None:
        self._limits = limits or PageLimits()
        self._command = tuple(worker_command)
        self._watch_memory = watch_memory

    async def read(self, body: bytes, charset: str, url: str, *, whole: bool) -> PageText:
        """Raises ToolError when the page cannot be read within the limits."""
        request = {
            "charset": charset,
            "url": url,
            "whole": whole,
            "seconds": self._limits.seconds,
            "memory_bytes": self._limits.memory_bytes,
        }
        sent = json.dumps(request).encode("ascii") + b"\n" + body
        limit = asyncio.timeout(self._limits.seconds)
        try:
            async with limit, self._child() as child:
                return _page(await self._converse(child, sent))
        except TimeoutError:
            if not limit.expired():
                raise
            raise ToolTimeoutError(
                f"The page took more than {self._limits.seconds:g} seconds to read.",
                advice="Try another page.",
            ) from None

    @contextlib.asynccontextmanager
    async def _child(self) -> AsyncIterator[asyncio.subprocess.Process]:
        try:
            child = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=process_bounds.small_environment(os.environ),
                **process_bounds.spawn_options(),
            )
        except OSError:
            raise _unreadable("the reader did not start") from None
        try:
            yield child
        finally:
            if child.returncode is None:
                process_bounds.kill_tree(child.pid)
            await _see_it_end(child)

    async def _converse(self, child: asyncio.subprocess.Process, sent: bytes) -> bytes:
        helpers = [asyncio.create_task(_send(child, sent))]
        if self._watch_memory:
            helpers.append(asyncio.create_task(self._end_when_too_large(child)))
        try:
            return await self._reply(child)
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)

    async def _reply(self, child: asyncio.subprocess.Process) -> bytes:
        assert child.stdout is not None
        reply = bytearray()
        while piece := await child.stdout.read(READ_BYTES):
            reply += piece
            if len(reply) > self._limits.reply_bytes:
                raise _unreadable("it gives more text than can be taken")
        return bytes(reply)

    async def _end_when_too_large(self, child: asyncio.subprocess.Process) -> None:
        while child.returncode is None:
            if process_bounds.resident_bytes(child.pid) > self._limits.memory_bytes:
                process_bounds.kill_tree(child.pid)
                return
            await asyncio.sleep(MEMORY_WATCH_SECONDS)


def _page(reply: bytes) -> PageText:
    """The child handles hostile pages, so its words are checked like any from outside."""
    try:
        found: Any = json.loads(reply)
        if "problem" in found:
            raise _unreadable(_text(found["problem"]))
        return PageText(
            title=_text(found["title"]),
            text=_text(found["text"]),
            author=_text(found["author"]),
            published=_text(found["published"]),
            notes=tuple(_text(note) for note in found["notes"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _unreadable("the reader failed on it") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _unreadable(reason: str) -> ToolError:
    return ToolError(f"The page could not be read: {reason}.", advice="Try another page.")


async def _send(child: asyncio.subprocess.Process, sent: bytes) -> None:
    assert child.stdin is not None
    # A child that dies at once is found out when its output ends.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(sent)
        await child.stdin.drain()
    child.stdin.close()


async def _see_it_end(child: asyncio.subprocess.Process) -> None:
    """Reap the child. Its pipe must be read to the end, or asyncio keeps waiting."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await asyncio.gather(child.wait(), _drain(child))


async def _drain(child: asyncio.subprocess.Process) -> None:
    assert child.stdout is not None
    while await child.stdout.read(READ_BYTES):
        pass
