"""The settings: held once, stored before they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ankita.config import (
    MAX_TEXT_SCALE,
    MIN_TEXT_SCALE,
    SETTINGS_VERSION,
    GrantedFolder,
    Settings,
    settings_from_json,
    settings_to_json,
)
from ankita.durable import DurableFiles
from ankita.engine.commands import ChangeAppearance, ChangeWeb, GrantFolder, RevokeFolder
from ankita.engine.event_bus import EventBus
from ankita.engine.events import SettingsChanged
from ankita.engine.web_settings import with_web
from ankita.errors import CommandRefusedError, StoredDataError
from ankita.paths import ProfilePaths


def read_settings(paths: ProfilePaths) -> tuple[Settings, StoredDataError | None]:
    """The settings, or the defaults with what is wrong with the file; changes nothing."""
    if not paths.settings.exists():
        return Settings(), None
    try:
        document = DurableFiles(paths.root).read_json(paths.settings, SETTINGS_VERSION)
        return (Settings() if document is None else settings_from_json(document)), None
    except StoredDataError as error:
        return Settings(), error


class Preferences:
    """`write(value)` stores the JSON object durably and raises WriteError.

    `profile` is the folder that can never be granted: it holds the gate's own rules.
    """

    def __init__(self, write: Callable[[Any], None], profile: Path, bus: EventBus) -> None:
        self._write = write
        self._profile = profile
        self._bus = bus
        self._changing = asyncio.Lock()

    @property
    def settings(self) -> Settings:
        return self._bus.state.settings

    async def change(self, changed: Callable[[Settings], Settings]) -> None:
        """Store and show what `changed` makes of the present settings."""
        async with self._changing:
            settings = changed(self.settings)
            if settings != self.settings:
                await asyncio.to_thread(self._write, settings_to_json(settings))
                self._bus.emit(SettingsChanged(settings))

    async def handle(
        self, command: GrantFolder | RevokeFolder | ChangeAppearance | ChangeWeb
    ) -> None:
        match command:
            case GrantFolder(path, may_write):
                folder = await asyncio.to_thread(_real_folder, path, self._profile)
                await self.change(lambda s: s.with_folder(GrantedFolder(folder, may_write)))
            case RevokeFolder(path):
                await self.change(lambda s: s.without_folder(path))
            case ChangeAppearance():
                await self.change(lambda s: _with_appearance(s, command))
            case ChangeWeb(search_url, private_hosts):
                await self.change(lambda s: with_web(s, search_url, private_hosts))


def _real_folder(path: str, profile: Path) -> str:
    try:
        folder = Path(path).expanduser()
    except RuntimeError:
        raise CommandRefusedError(f"{path} names a user that is not known here.") from None
    if not folder.is_dir():
        raise CommandRefusedError(f"{path} is not a folder.")
    real = folder.resolve()
    own = profile.resolve()
    if own.is_relative_to(real) or real.is_relative_to(own):
        raise CommandRefusedError(
            "Ankita keeps its own rules and record there.", advice="Choose another folder."
        )
    if real == Path(real.anchor) or real == Path.home():
        raise CommandRefusedError(
            f"{real} holds everything you have.", advice="Choose a folder inside it."
        )
    return str(real)


def _with_appearance(settings: Settings, wish: ChangeAppearance) -> Settings:
    scale = settings.text_scale if wish.text_scale is None else wish.text_scale
    return replace(
        settings,
        theme=settings.theme if wish.theme is None else wish.theme,
        motion=settings.motion if wish.motion is None else wish.motion,
        text_scale=min(MAX_TEXT_SCALE, max(MIN_TEXT_SCALE, scale)),
    )
