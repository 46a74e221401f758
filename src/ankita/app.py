"""Makes an engine for a profile and opens the desktop; the parts are named in composition.py.

Only what the first frame needs is imported here.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from ankita.config import SETTINGS_VERSION, Settings, settings_from_json
from ankita.durable import DurableFiles
from ankita.errors import AnkitaError
from ankita.paths import ProfilePaths

if TYPE_CHECKING:
    from ankita.composition import Wanted
    from ankita.engine import Engine, EngineState
    from ankita.engine.engine import CommandHandler
    from ankita.engine.event_bus import EventBus


def make_engine(paths: ProfilePaths, wanted: Wanted | None = None) -> Engine:
    """The engine for a profile, not yet started."""
    from ankita.engine import Engine

    async def build(bus: EventBus) -> CommandHandler:
        from ankita.composition import EngineBuilder, Wanted

        handler = await EngineBuilder(paths, wanted or Wanted()).build(bus)
        # What is built now lives as long as the engine: no collection need look at it again.
        gc.freeze()
        return handler

    return Engine(build, initial_state(paths))


def initial_state(paths: ProfilePaths) -> EngineState:
    """What is known before anything is opened."""
    from ankita.engine import EngineState, providers
    from ankita.engine.preferences import read_settings
    from ankita.engine.team import MIRA

    settings, _ = read_settings(paths)
    return EngineState(
        settings=settings,
        teammates=(MIRA,),
        answering=providers.BUILT_IN if settings.server is None else None,
        workspace=str(paths.workspace),
    )


def run_desktop(paths: ProfilePaths) -> int:
    """Open the window and the island; returns the exit code."""
    # Nothing that is built before the first frame is garbage; the windows turn it on again.
    gc.disable()
    from ankita.ui.application import run

    return run(paths, first_settings(paths), lambda: make_engine(paths))


def first_settings(paths: ProfilePaths) -> Settings:
    """The look of the first frame. What is wrong with the file is told by the engine, later."""
    try:
        document = DurableFiles(paths.root).read_json(paths.settings, SETTINGS_VERSION)
        return Settings() if document is None else settings_from_json(document)
    except AnkitaError:
        return Settings()
