"""Collects streamed text for a moment before it is stored and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType

from ankita.engine.limits import FLUSH_SECONDS


class TextPump:
    """An async context: text put in is written in order, at most once a moment.

    On leaving, what is left is written too, also when the body was cancelled. `put`
    belongs to the loop; `put_from_any_thread` may be called from anywhere.
    """

    def __init__(self, write: Callable[[str], Awaitable[None]]) -> None:
        self._write = write
        self._waiting: list[str] = []
        self._has_text = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> TextPump:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            # Its own failure must surface here: text that cannot be stored ends the turn.
            results = await asyncio.gather(task, return_exceptions=True)
            failure = results[0]
            if isinstance(failure, Exception) and error is None:
                raise failure
        await self.flush()

    def put(self, text: str) -> None:
        if text:
            self._waiting.append(text)
            self._has_text.set()

    def put_from_any_thread(self, text: str) -> None:
        self._loop.call_soon_threadsafe(self.put, text)

    async def flush(self) -> None:
        """Write what is waiting now."""
        async with self._writing:
            text, self._waiting = "".join(self._waiting), []
            self._has_text.clear()
            if text:
                await self._write(text)

    async def _run(self) -> None:
        while True:
            await self._has_text.wait()
            await asyncio.sleep(FLUSH_SECONDS)
            # Shielded: leaving the context must not lose text that was taken out to be written.
            await asyncio.shield(asyncio.ensure_future(self.flush()))
