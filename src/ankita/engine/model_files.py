"""Model files that Ankita runs itself: one that the user picks, or one fetched on consent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ankita.config import ServerSettings
from ankita.engine.commands import (
    CancelDownload,
    DownloadModel,
    ListModels,
    ModelOffer,
    UseModelFile,
)
from ankita.engine.event_bus import EventBus
from ankita.engine.events import DownloadChanged
from ankita.engine.model_factory import LocalModels
from ankita.engine.state import ModelDownload
from ankita.errors import AnkitaError, CommandRefusedError

log = logging.getLogger(__name__)

Use = Callable[[ServerSettings], Awaitable[None]]
ModelFileCommand = UseModelFile | ListModels | DownloadModel | CancelDownload


class ModelFiles:
    """The one writer of the download in the state; at most one goes on.

    `folder` holds what was fetched. `use(server)` lets a file answer from now on.
    """

    def __init__(self, local: LocalModels, folder: Path, use: Use, bus: EventBus) -> None:
        self._local = local
        self._folder = folder
        self._use = use
        self._bus = bus
        self._offer: ModelOffer | None = None
        self._task: asyncio.Task[None] | None = None

    async def handle(self, command: ModelFileCommand) -> Any:
        match command:
            case UseModelFile(path):
                await self._use_file(Path(path))
            case ListModels():
                return tuple(await self._local.list_models())
            case DownloadModel(offer):
                self._begin(offer)
            case CancelDownload(discard):
                await self._cancel(discard=discard)
        return None

    async def aclose(self) -> None:
        """What was fetched stays for the next time."""
        await self._end_task()

    async def _use_file(self, path: Path) -> None:
        self._local.check_available()
        file = await asyncio.to_thread(_absolute, path)
        name = await asyncio.to_thread(self._local.check_file, file)
        await self._use(ServerSettings(base_url="", model=name, file=str(file)))

    def _begin(self, offer: ModelOffer) -> None:
        if self._task is not None:
            if offer == self._offer:
                return
            raise CommandRefusedError(
                "Another model is being fetched.", advice="Wait for it, or cancel it first."
            )
        # Before the first byte: a file that nothing here could run is not worth its gigabytes.
        self._local.check_available()
        self._offer = offer
        self._show(ModelDownload(offer.id, offer.name, 0, offer.size))
        self._task = asyncio.create_task(self._fetch(offer))

    async def _fetch(self, offer: ModelOffer) -> None:
        try:
            file = await self._local.download(offer, self._folder, self._progress)
            await self._use_file(file)
            self._offer = None
            self._show(None)
        except AnkitaError as error:
            self._stopped(error.sentence())
        except Exception:
            log.exception("fetching a model failed")
            self._stopped("Something in Ankita broke; the log has the details.")
        finally:
            self._task = None

    async def _cancel(self, *, discard: bool) -> None:
        offer, self._offer = self._offer, None
        await self._end_task()
        if self._task is None:
            # Else another one was begun as soon as this had ended.
            self._show(None)
        if discard and offer is not None and offer != self._offer:
            await self._local.discard(offer, self._folder)

    async def _end_task(self) -> None:
        if (task := self._task) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if self._task is task:
                self._task = None

    def _progress(self, done: int, total: int, is_checking: bool) -> None:
        now = self._bus.state.download
        if now is not None:
            self._show(replace(now, done=done, total=total, is_checking=is_checking, problem=""))

    def _stopped(self, problem: str) -> None:
        now = self._bus.state.download
        if now is not None:
            self._show(replace(now, problem=problem, is_checking=False))

    def _show(self, download: ModelDownload | None) -> None:
        if download != self._bus.state.download:
            self._bus.emit(DownloadChanged(download))


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        raise CommandRefusedError(
            "There can be no file at this path.", advice="Choose the file again."
        ) from None
