"""Runs blocking work in a thread and outlasts a cancel until the work has stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

STOP_SECONDS = 1.5
"""How long a cancelled call waits for its thread; a hung network disk must not hold up Stop."""


class StopFlag:
    """Set when the call was cancelled; the work asks it between steps."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()


async def in_thread(work: Callable[[StopFlag], T]) -> T:
    """Run `work` in a worker thread.

    On cancel the flag is set and the cancel goes on once the thread has ended (at most
    STOP_SECONDS later), so that nothing changes after the caller was told "stopped".
    """
    stop = StopFlag()
    future = asyncio.get_running_loop().run_in_executor(None, work, stop)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({future}, timeout=STOP_SECONDS)
        if future.done() and not future.cancelled():
            future.exception()  # collected: the cancel is the outcome
        raise


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end even when this task is cancelled, then pass the cancel on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
        except Exception:
            break
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()
