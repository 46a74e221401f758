"""A model file as a source of replies: its process comes with the first question and goes idle."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from ankita.errors import (
    AnkitaError,
    CommandRefusedError,
    ModelInterruptedError,
    ModelLoadingError,
    ModelNotRunnableError,
    ModelUnreachableError,
)
from ankita.integrations.local_model.child_words import MODEL_NAME
from ankita.integrations.local_model.gguf_file import read_gguf
from ankita.integrations.local_model.load_failure import INSTALL_ADVICE
from ankita.integrations.local_model.memory_fit import context_tokens, thread_count
from ankita.integrations.local_model.runner import WORKER_COMMAND, ModelChild, start_child
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.messages import ModelEvent, ModelInfo, ModelRequest

CRASH_NOTICE_SECONDS: Final = 2.0
"""A broken connection is seen a moment before the end of the process that broke it."""


@dataclass(frozen=True, slots=True)
class LocalModelLimits:
    """Seconds. `patience`: how long one question waits for the model to load."""

    patience: float = 60.0
    start: float = 600.0
    """When loading is given up. A large file on a slow disk takes minutes."""
    idle: float = 900.0
    """How long the model stays in memory after the last reply."""


def is_available() -> bool:
    """Whether the `local` extra is installed; cheap, imports nothing."""
    return importlib.util.find_spec("xllamacpp") is not None


def free_memory() -> int:
    """Bytes that a new process could use now."""
    import psutil

    return int(psutil.virtual_memory().available)


class LocalModelProvider:
    """Implements `protocols.ModelProvider` for the GGUF file at `path`. Starts nothing by itself.

    One loop uses it. `info().context_tokens` is what the memory allowed, once it runs.
    `measure_memory` gives the free bytes; it is called in a thread before each start.
    """

    def __init__(
        self,
        path: Path,
        *,
        info: ModelInfo,
        limits: LocalModelLimits | None = None,
        measure_memory: Callable[[], int] = free_memory,
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self._path = path
        self._info = info
        self._limits = limits or LocalModelLimits()
        self._measure_memory = measure_memory
        self._command = tuple(command)
        self._running: ModelChild | None = None
        self._starting: asyncio.Task[ModelChild] | None = None
        self._readers = 0
        self._idle: asyncio.TimerHandle | None = None
        self._unloading: asyncio.Task[None] | None = None
        self._is_closed = False

    def info(self) -> ModelInfo:
        return self._info

    @property
    def process_id(self) -> int | None:
        """The process that holds the model now; None while there is none."""
        return self._running.pid if self._running and self._running.is_alive else None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply. Raises ModelError; ModelLoadingError while the model still loads."""
        self._readers += 1
        try:
            await self._stay_loaded()
            child = await self._served()
            async with aclosing(self._reply(child, request)) as events:
                async for event in events:
                    yield event
        finally:
            self._readers -= 1
            if not self._readers and not self._is_closed:
                loop = asyncio.get_running_loop()
                self._idle = loop.call_later(self._limits.idle, self._begin_unload)

    async def aclose(self) -> None:
        self._is_closed = True
        await self._stay_loaded()
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        await self._unload()

    async def _reply(self, child: ModelChild, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        # A connection for each reply: llama.cpp often closes one just as it is used again.
        chat = OpenAIChatProvider(
            child.base_url, MODEL_NAME, api_key=lambda: child.api_key, info=self._info
        )
        try:
            events = cast("AsyncGenerator[ModelEvent]", chat.stream(request))
            async with aclosing(events):
                async for event in events:
                    yield event
        except (ModelInterruptedError, ModelUnreachableError) as error:
            if not await child.ended_within(CRASH_NOTICE_SECONDS):
                raise
            raise self._crashed() from error
        finally:
            await chat.aclose()

    async def _served(self) -> ModelChild:
        """A child that serves; started if there is none. Raises ModelError."""
        if self._running is not None and self._running.is_alive:
            return self._running
        if self._is_closed:
            raise self._closed()
        if self._starting is None:
            await self._unload()
            if self._is_closed:  # meanwhile; a child started now would outlive its owner
                raise self._closed()
        if self._starting is None:  # another question may have been quicker
            self._starting = asyncio.create_task(self._start())
            # Nobody may be waiting any more when it fails.
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())
        starting = self._starting
        done, _ = await asyncio.wait({starting}, timeout=self._limits.patience)
        if not done:
            raise ModelLoadingError(
                f"{self._info.model} is still being loaded.", advice="Try again in a moment."
            )
        if self._starting is starting:
            self._starting = None
        if starting.cancelled():
            raise ModelNotRunnableError(f"{self._info.model} was closed while it was loaded.")
        return starting.result()

    async def _start(self) -> ModelChild:
        if not is_available():
            raise ModelNotRunnableError(
                "Running a model file needs a part of Ankita that is not installed.",
                advice=INSTALL_ADVICE,
            )
        tokens, threads = await asyncio.to_thread(self._measure)
        child = await start_child(
            self._path,
            context_tokens=tokens,
            threads=threads,
            name=self._info.model,
            seconds=self._limits.start,
            command=self._command,
        )
        self._info = replace(self._info, context_tokens=tokens)
        self._running, self._starting = child, None
        return child

    def _measure(self) -> tuple[int, int]:
        """Tokens of context and threads. Raises ModelNotRunnableError."""
        import psutil

        try:
            gguf = read_gguf(self._path)
        except CommandRefusedError as error:
            raise _unusable(error) from error
        tokens = context_tokens(gguf, self._measure_memory())
        return tokens, thread_count(psutil.cpu_count(logical=False))

    def _begin_unload(self) -> None:
        self._idle = None
        if not self._readers:
            self._unloading = asyncio.create_task(self._unload())

    async def _stay_loaded(self) -> None:
        """Stop the idle time; an unloading that has begun is waited for."""
        idle, self._idle = self._idle, None
        if idle is not None:
            idle.cancel()
        if self._unloading is not None:
            await asyncio.wait({self._unloading})

    async def _unload(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            await running.end()

    def _closed(self) -> ModelNotRunnableError:
        return ModelNotRunnableError(f"{self._info.model} was closed.")

    def _crashed(self) -> ModelInterruptedError:
        return ModelInterruptedError(
            f"The process of {self._info.model} ended in the middle of the reply.",
            advice="Try again; it is started anew. If it happens often, choose a smaller model.",
        )


def _unusable(error: AnkitaError) -> ModelNotRunnableError:
    return ModelNotRunnableError(error.message, advice=error.advice)
