"""How long a request for a thread of 10,000 messages takes to prepare, for windows of all sizes."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from ankita.app import initial_state
from ankita.clock import SystemClock
from ankita.engine import providers
from ankita.engine.event_bus import EventBus
from ankita.engine.fence import TurnFence
from ankita.engine.gate import Caller
from ankita.engine.requests import Requests
from ankita.engine.team import MIRA, Team
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.ids import TurnId
from ankita.memory.threads import ThreadStore
from ankita.memory.work import WorkStore
from ankita.messages import ModelInfo
from ankita.paths import ProfilePaths
from ankita.security.scope import FolderScope, Grant
from ankita.storage import Database
from benchmarks.measures import Measure, Part
from tests.long_thread import THREAD, write_long_thread

MESSAGES = 10_000
MOST_MILLISECONDS = 50.0
WINDOWS = {"4k": 4_096, "32k": 32_768, "128k": 131_072, "unknown": None}


@dataclass(frozen=True, slots=True)
class Opened:
    """The long thread as the engine holds it."""

    transcripts: Transcripts
    new_requests: Callable[[], Requests]


def measure(runs: int) -> Part:
    """Medians of the first and of a following request, for each window."""
    return asyncio.run(_measure(runs))


async def _measure(runs: int) -> Part:
    with tempfile.TemporaryDirectory(prefix="ankita-thread-") as name:
        paths = ProfilePaths(Path(name))
        await write_long_thread(paths, MESSAGES)
        database = Database(paths.database)
        try:
            opened = await _open(database, paths)
            measures: list[Measure] = []
            for window, tokens in WINDOWS.items():
                measures += await _of_window(opened, window, tokens, runs)
        finally:
            await database.aclose()
    return Part(f"A request for a thread of {MESSAGES:,} messages", tuple(measures))


async def _open(database: Database, paths: ProfilePaths) -> Opened:
    bus, clock = EventBus(initial_state(paths)), SystemClock()
    transcripts = Transcripts(ThreadStore(database, lambda value: value), bus, clock)
    work = WorkStore(database, lambda value: value)
    scope = FolderScope(lambda: [Grant(paths.workspace, True)], closed=paths.root)
    native = providers.native_tools(
        scope, providers.document_reader(), lambda _name, _value: False, lambda: bus.state.settings
    )
    toolbox, team = Toolbox([native]), Team(bus)
    await transcripts.load_summaries()
    await transcripts.open(THREAD)
    return Opened(transcripts, lambda: Requests(transcripts, work, toolbox, team, bus, clock))


async def _of_window(
    opened: Opened, window: str, tokens: int | None, runs: int
) -> tuple[Measure, Measure]:
    info = ModelInfo("mock", "mock", is_local=True, context_tokens=tokens)
    caller = Caller(THREAD, TurnId("now"), MIRA.id, TurnFence())
    first, following = [], []
    for _ in range(runs):
        requests = opened.new_requests()
        # As opening a thread does it, before anything is sent.
        await requests.warm(THREAD)
        first.append(await _milliseconds(requests.prepare(caller, info)))
        await opened.transcripts.start_turn(THREAD, "And what about the offer?", ())
        following.append(await _milliseconds(requests.prepare(caller, info)))
    return (
        _figure(f"first request, window {window}", first),
        _figure(f"following request, window {window}", following),
    )


def _figure(what: str, taken: list[float]) -> Measure:
    return Measure(what, statistics.median(taken), "ms", MOST_MILLISECONDS, max(taken))


async def _milliseconds(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return (time.perf_counter() - started) * 1000
