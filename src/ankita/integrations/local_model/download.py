"""Fetches a model file the user agreed to; nothing gets its name before its hash is checked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from ankita.atomic_replace import DiskCalls
from ankita.errors import (
    DiskFullError,
    ModelError,
    ModelInterruptedError,
    ModelProtocolError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from ankita.integrations.local_model.hub import file_url
from ankita.integrations.local_model.hub_connection import (
    PUBLIC_HUB,
    hub_client,
    open_url,
    refusal,
)
from ankita.integrations.local_model.pace import OnProgress, Pace
from ankita.integrations.local_model.part_file import NoteDone, PartFile
from ankita.integrations.local_model.resume import OtherFileError, body_start, range_headers

if TYPE_CHECKING:
    import httpx2

_T = TypeVar("_T")

_PASSING: Final = (ModelUnreachableError, ModelTimeoutError, ModelUnavailableError)
_ANSWERS: Final = frozenset({200, 206, 416})


class OfferedFile(Protocol):
    """What the user said yes to: `hub.FoundModelFile`, or anything with its fields."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def sha256(self) -> str: ...


@dataclass(frozen=True, slots=True)
class DownloadLimits:
    """Sizes in bytes, times in seconds."""

    margin: int = 512 * 1024 * 1024
    """Space that stays free beside the file."""
    silence: float = 60.0
    """How long the hub may send nothing."""
    tries: int = 5
    """How often in a row a connection may bring nothing new."""
    pause: float = 2.0
    """Before the next try; doubled each time."""
    progress: float = 0.25


class Download:
    """One download. Cancelling `run` keeps what was fetched; a later one goes on from there.

    `folder` is made where it is missing. `on_progress` is called in the loop's thread.
    `base` is the hub that made the offer. One at a time for each file.
    """

    def __init__(
        self,
        offer: OfferedFile,
        folder: Path,
        on_progress: OnProgress,
        *,
        base: str = PUBLIC_HUB,
        limits: DownloadLimits | None = None,
        disk: DiskCalls | None = None,
        free_bytes: Callable[[], int] | None = None,
    ) -> None:
        self._offer = offer
        self._base = base
        self._url = file_url(offer.id, base)
        self._limits = limits or DownloadLimits()
        self._part = PartFile(folder, self._url.rpartition("/")[2], offer.sha256, disk=disk)
        self._free_bytes = free_bytes or self._part.free_bytes
        self._pace = Pace(on_progress, seconds=self._limits.progress)

    async def run(self) -> Path:
        """The whole, checked file. Raises ModelError, WriteError or DiskFullError."""
        done = await self._checked(
            lambda note, stop: self._part.finished(self._offer.size, note, stop)
        )
        if done is not None:
            return done
        await self._check_space()
        await self._fetch()
        if not await self._checked(self._part.is_right):
            await self.discard()
            raise ModelProtocolError(
                f"What arrived is not the {self._offer.name} that was offered: its hash differs.",
                advice="It was deleted. Try again; if it happens again, choose another model.",
            )
        return await asyncio.to_thread(self._part.finish)

    async def discard(self) -> None:
        """Delete what was fetched. Not while `run` goes on. Raises WriteError."""
        await asyncio.to_thread(self._part.discard)

    async def _check_space(self) -> None:
        have = await asyncio.to_thread(self._part.length)
        free = await asyncio.to_thread(self._free_bytes)
        needed = max(self._offer.size - have, 0) + self._limits.margin
        if free < needed:
            raise DiskFullError(
                f"{self._offer.name} needs {_gigabytes(needed)} of free space, "
                f"and there are {_gigabytes(free)}.",
                advice="Free some space and try again.",
            )

    async def _fetch(self) -> None:
        """Fetch until the part is whole. Raises ModelError, WriteError."""
        tries, best = 0, await asyncio.to_thread(self._part.length)
        async with hub_client(self._base, silence_seconds=self._limits.silence) as client:
            while True:
                try:
                    await self._fetch_rest(client)
                    return
                except _PASSING as error:
                    have = await asyncio.to_thread(self._part.length)
                    # A hub that begins anew each time and breaks off each time ends here too.
                    tries, best = (0, have) if have > best else (tries + 1, best)
                    if tries >= self._limits.tries:
                        raise self._stopped() from error
                    await asyncio.sleep(self._limits.pause * 2**tries)

    async def _fetch_rest(self, client: httpx2.AsyncClient) -> None:
        """One connection. Raises ModelUnreachableError when it breaks off."""
        have, etag = await asyncio.to_thread(lambda: (self._part.length(), self._part.etag()))
        if have > self._offer.size:
            await self.discard()
            have = 0
        if have == self._offer.size:
            return
        wanted = range_headers(have, etag)
        async with open_url(client, self._url, self._base, wanted) as response:
            start = self._start(response.status_code, response.headers, have, etag)
            if start is not None:
                await self._take(response, start)
                return
        if not have:
            raise self._other_file()
        # What lies here can't be continued.
        await self.discard()
        await self._fetch_rest(client)

    def _start(self, status: int, headers: Mapping[str, str], have: int, etag: str) -> int | None:
        if status not in _ANSWERS:
            raise refusal(status, self._base)
        try:
            return body_start(status, headers, have=have, size=self._offer.size, etag=etag)
        except OtherFileError as error:
            raise self._other_file() from error

    async def _take(self, response: httpx2.Response, start: int) -> None:
        """Write a body to the part from `start` on."""
        done, size = start, self._offer.size
        try:
            await asyncio.to_thread(self._part.begin, start, response.headers.get("etag", ""))
            async for chunk in response.aiter_raw():
                done += len(chunk)
                if done > size:
                    break
                await asyncio.to_thread(self._part.write, chunk)
                self._pace.note(done, size, is_checking=False)
        finally:
            await asyncio.to_thread(self._part.end)
        if done > size:
            await self.discard()
            raise self._other_file()
        if done < size:
            raise ModelUnreachableError("The hub ended the file too early.")

    async def _checked(self, check: Callable[[NoteDone, threading.Event], _T]) -> _T:
        """Run a check in a thread, which ends soon after this is cancelled."""
        loop, stop = asyncio.get_running_loop(), threading.Event()

        def show(done: int) -> None:
            if not stop.is_set():
                self._pace.note(done, self._offer.size, is_checking=True)

        def note(done: int) -> None:
            loop.call_soon_threadsafe(show, done)

        try:
            return await asyncio.to_thread(check, note, stop)
        finally:
            stop.set()

    def _stopped(self) -> ModelError:
        return ModelInterruptedError(
            f"The download of {self._offer.name} broke off.",
            advice="Check the network, then go on with it; what was fetched is kept.",
        )

    def _other_file(self) -> ModelError:
        return ModelProtocolError(
            f"The hub does not send the {self._offer.name} that it offered.",
            advice="Ask for the list again; the file may have been replaced.",
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
