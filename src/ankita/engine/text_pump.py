"""Collects streamed text for a moment before it is stored and shown."""

from __future__ import annotations

import asyncio
import logging
import string
from collections.abc import Awaitable, Callable
from types import TracebackType

from ankita.engine.limits import FLUSH_SECONDS

log = logging.getLogger(__name__)

HELD_CHARACTERS = 256
"""An unfinished word is held back up to this length: a key cut in two could not be scrubbed."""

HELD_SECONDS = 0.3
"""How long an unfinished word is held back when nothing more comes."""

WORD_CHARACTERS = string.ascii_letters + string.digits + "+/=_.-:@%~"
"""What keys are made of, whatever their kind."""


class TextPump:
    """An async context: text put in is written in order, at most once a moment.

    On leaving, what is left is written too, also when the body was cancelled. A failed
    write ends the pump: the next `put`, or leaving, raises it. `put` belongs to the
    loop; `put_from_any_thread` may be called from anywhere and never raises.
    """

    def __init__(self, write: Callable[[str], Awaitable[None]]) -> None:
        self._write = write
        self._waiting = ""
        self._has_text = asyncio.Event()
        self._leaving = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> TextPump:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leaving.set()
        if self._task is None:
            return
        self._has_text.set()
        # Not cancelled with the body: what was put in must come out.
        await asyncio.wait([self._task])
        failure = self._task.exception()
        if failure is not None and error is None:
            raise failure
        if failure is not None:
            log.error("streamed text was not stored: %s", failure)

    def put(self, text: str) -> None:
        """Add text. Raises what the last write raised, if it failed."""
        if self._task is not None and self._task.done() and (error := self._task.exception()):
            raise error
        self._waiting += text
        if text:
            self._has_text.set()
            if self._task is None:
                # Not before: most calls report nothing.
                self._task = asyncio.create_task(self._run())

    def put_from_any_thread(self, text: str) -> None:
        self._loop.call_soon_threadsafe(self._put_if_open, text)

    def _put_if_open(self, text: str) -> None:
        is_over = self._leaving.is_set() if self._task is None else self._task.done()
        if not is_over:
            self.put(text)

    async def _run(self) -> None:
        while not (self._leaving.is_set() and not self._waiting):
            # A word that was held back is shown all the same when nothing follows it.
            is_more = await self._more(HELD_SECONDS if self._waiting else None)
            if is_more:
                await self._moment()
            text = self._take(whole=not is_more or self._leaving.is_set())
            if text:
                await self._write(text)

    async def _more(self, seconds: float | None) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._has_text.wait()
        except TimeoutError:
            return False

    async def _moment(self) -> None:
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._leaving.wait()
        except TimeoutError:
            return

    def _take(self, *, whole: bool) -> str:
        text = self._waiting
        if not self._leaving.is_set():
            self._has_text.clear()
        if not whole:
            text = text[: len(text) - len(unfinished_word(text))]
        self._waiting = self._waiting[len(text) :]
        return text


def unfinished_word(text: str) -> str:
    """The word at the end of a text that may go on; empty when it is too long to be one."""
    end = text[-HELD_CHARACTERS:]
    word = end[len(end.rstrip(WORD_CHARACTERS)) :]
    return word if len(word) < HELD_CHARACTERS else ""
