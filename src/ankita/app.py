"""Makes an engine for a profile and opens the desktop; the parts are named in composition.py.

Only what the first frame needs is imported here.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from ankita.engine import Engine, EngineState, providers
from ankita.engine.preferences import read_settings
from ankita.engine.team import MIRA
from ankita.paths import ProfilePaths

if TYPE_CHECKING:
    from ankita.composition import Wanted
    from ankita.engine.engine import CommandHandler
    from ankita.engine.event_bus import EventBus


def make_engine(paths: ProfilePaths, wanted: Wanted | None = None) -> Engine:
    """The engine for a profile, not yet started. Reads the settings, for the first frame."""

    async def build(bus: EventBus) -> CommandHandler:
        from ankita.composition import EngineBuilder, Wanted

        return await EngineBuilder(paths, wanted or Wanted()).build(bus)

    return Engine(build, initial_state(paths))


def initial_state(paths: ProfilePaths) -> EngineState:
    """What is known before anything is opened."""
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

    return run(paths, lambda: make_engine(paths))
