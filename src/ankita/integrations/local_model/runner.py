"""Starts the child that runs a model, and ends it: one object for each child."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ankita.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from ankita.integrations.documents import process_bounds
from ankita.integrations.local_model.child_words import (
    MAX_ANSWER_BYTES,
    Order,
    decode_ready,
    encode_order,
)
from ankita.integrations.local_model.load_failure import load_failure

WORKER_COMMAND: Final = (
    sys.executable,
    "-P",  # a module in the current folder must not be imported instead of ours
    "-B",
    "-X",
    "utf8",
    "-m",
    "ankita.integrations.local_model.worker",
)

READ_BYTES: Final = 64 * 1024
COMPLAINT_BYTES: Final = 8 * 1024
END_SECONDS: Final = 5.0
"""How long a killed child may take to be gone; a large model takes a moment to be let go."""

_log = logging.getLogger(__name__)


class ModelChild:
    """A child that serves one model. `base_url` and `api_key` are good while it lives."""

    def __init__(self, process: asyncio.subprocess.Process, api_key: str) -> None:
        self._process = process
        self._complaint = bytearray()
        self._stderr = asyncio.create_task(self._read_stderr())
        self.api_key = api_key
        self.base_url = ""

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ended_within(self, seconds: float) -> bool:
        """Wait for the child's end, at most so long; whether it has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return not self.is_alive

    async def end(self) -> None:
        """End it at once and wait until it is gone. May be called twice."""
        if self.is_alive:
            process_bounds.kill_tree(self.pid)
        if self._process.stdin is not None:
            self._process.stdin.close()
        # What escaped from the child's group could keep a pipe open; it must not keep us.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await asyncio.gather(self._process.wait(), _drain(self._process), self._stderr)

    async def become_ready(self, order: Order, name: str) -> None:
        """Give the order and wait for the address. Raises ModelUnavailableError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # A child that died already is found out when its output ends.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(encode_order(order))
            await self._process.stdin.drain()
        try:
            line = await self._process.stdout.readline()
        except ValueError:  # longer than any address
            line = b""
        address = decode_ready(line)
        if address is None:
            raise await self._failure(name)
        self.base_url = f"{address}/v1"

    async def _failure(self, name: str) -> ModelError:
        if not await self.ended_within(END_SECONDS):
            return load_failure(name, None, "")
        await self._stderr
        complaint = self._complaint.decode("utf-8", errors="replace")
        _log.warning("the model process ended with exit code %s", self._process.returncode)
        return load_failure(name, self._process.returncode, complaint)

    async def _read_stderr(self) -> None:
        """Keep the end of what it says until it serves; later lines are about conversations."""
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(READ_BYTES):
            self._complaint += chunk
            del self._complaint[:-COMPLAINT_BYTES]
            if self.base_url:
                self._complaint.clear()


async def start_child(
    model: Path,
    *,
    context_tokens: int,
    threads: int,
    name: str,
    seconds: float,
    command: Sequence[str] = WORKER_COMMAND,
) -> ModelChild:
    """A child that serves `model`, called `name` in errors. Raises ModelError; no child is left.

    Takes at most `seconds`.
    """
    key = secrets.token_urlsafe(32)
    child = ModelChild(await _spawn(command, name), key)
    order = Order(str(model), context_tokens, threads, key)
    try:
        async with asyncio.timeout(seconds):
            await child.become_ready(order, name)
    except TimeoutError:
        await child.end()
        raise ModelTimeoutError(
            f"{name} was not loaded within {seconds:g} seconds, so it was given up.",
            advice="Close other programs and try again, or choose a smaller model.",
        ) from None
    except BaseException:
        await child.end()
        raise
    return child


async def _spawn(command: Sequence[str], name: str) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_ANSWER_BYTES,
            env=process_bounds.small_environment(os.environ),
            **process_bounds.spawn_options(),
        )
    except OSError as error:
        raise ModelUnavailableError(
            f"The process for {name} could not be started: {error.strerror or 'no reason given'}.",
            advice="Close other programs and try again.",
        ) from error


async def _drain(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(READ_BYTES):
        pass
