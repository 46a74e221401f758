"""The composition root: the only file that names concrete classes.

Builds in order, closes in reverse. Nothing is built on import. It loads the whole
engine, so the desktop imports it in the engine's thread, behind the first frame.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ankita.clock import Clock, SystemClock
from ankita.durable import DurableFiles
from ankita.engine import providers
from ankita.engine.answering import Answering
from ankita.engine.approval_registry import ApprovalRegistry
from ankita.engine.attachments import Attachments
from ankita.engine.command_handlers import Closer, CommandHandlers
from ankita.engine.decisions import DecisionDesk
from ankita.engine.event_bus import EventBus
from ankita.engine.events import (
    ApprovalRequested,
    GateLoaded,
    NoticeRaised,
)
from ankita.engine.gate import Gate
from ankita.engine.keys import Keys
from ankita.engine.message_queue import MessageQueue
from ankita.engine.model_factory import ModelFactory
from ankita.engine.permissions import Permissions
from ankita.engine.plan import Plans
from ankita.engine.preferences import Preferences, read_settings
from ankita.engine.recovery import recover
from ankita.engine.requests import Requests
from ankita.engine.state import Notice
from ankita.engine.team import Team
from ankita.engine.thread_notes import ThreadNotes
from ankita.engine.tool_loop import ToolLoop
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.engine.turns import Turns
from ankita.errors import AnkitaError, NewerDataError, ProfileInUseError, StoredDataError
from ankita.ids import new_id
from ankita.logs import close_logging, configure_logging
from ankita.memory.teammates import TeammateStore
from ankita.memory.threads import ThreadStore
from ankita.memory.transcript import NoticeLevel
from ankita.memory.work import WorkStore
from ankita.paths import FILE_MODE, ProfilePaths, prepare
from ankita.protocols import DocumentReader, ToolProvider
from ankita.security.audit import AuditLog
from ankita.security.grants import SessionGrants
from ankita.security.scope import FolderScope, Grant
from ankita.security.scrubber import Scrubber
from ankita.security.tier_store import TierStore
from ankita.security.vault import SessionVault, VaultChooser
from ankita.storage import Database, keep_database_aside

log = logging.getLogger(__name__)

OBSERVE_SECONDS = 60.0
"""How often sleep of the machine is looked for; it ends what "until Ankita closes" covers."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parts of an engine that a test or another front end may replace."""

    clock: Clock = field(default_factory=SystemClock)
    models: ModelFactory = providers.REAL_MODELS
    reader: Callable[[], DocumentReader] = providers.document_reader
    extra_tools: tuple[ToolProvider, ...] = ()
    """Offered before the product's own."""
    look_at: tuple[int, ...] | None = None
    """The ports of this machine where model servers are looked for; None means the usual ones."""


class EngineBuilder:
    """Builds the engine on its loop and remembers, in order, what must be closed."""

    def __init__(self, paths: ProfilePaths, wanted: Wanted) -> None:
        self._paths = paths
        self._wanted = wanted
        self._clock = wanted.clock
        self._closers: list[Closer] = []

    async def build(self, bus: EventBus) -> CommandHandlers:
        try:
            return await self._build(bus)
        except BaseException:
            for close in reversed(self._closers):
                await close()
            raise

    async def _build(self, bus: EventBus) -> CommandHandlers:
        paths, clock = self._paths, self._clock
        await asyncio.to_thread(prepare, paths)
        self._lock_profile()
        files = DurableFiles(paths.root)
        chooser = VaultChooser(files, paths.vault, paths.passphrase_vault)
        keys = Keys(chooser, SessionVault, bus)
        scrubber = Scrubber(known_values=keys.known)
        self._start_log(scrubber, bus)
        await asyncio.to_thread(_keep_unusable_settings, paths, files, bus)
        database = await asyncio.to_thread(self._open_database, bus)
        self._closers.append(database.aclose)

        store = ThreadStore(database, scrubber.redact_value)
        work = WorkStore(database, scrubber.redact_value)
        transcripts = Transcripts(store, bus, clock)
        registry = ApprovalRegistry(database, scrubber.redact_value, bus, clock)
        rules = TierStore(files, paths.tiers, clock)
        await asyncio.to_thread(rules.load)
        grants = SessionGrants(clock)
        desk = DecisionDesk(AuditLog(database, scrubber.redact_value), rules, grants, bus, clock)
        scope = _scope(bus, paths)
        gate = Gate(
            rules, grants, registry, desk, clock, lambda text: scope.resolve(text, for_writing=True)
        )

        preferences = Preferences(
            lambda value: files.write_json(paths.settings, value), paths.root, bus
        )
        team = Team(bus)
        answering = Answering(
            self._wanted.models,
            keys,
            preferences,
            team,
            TeammateStore(database, scrubber.redact),
            paths.models,
            bus,
            look_at=self._wanted.look_at,
        )
        self._closers.append(answering.aclose)
        reader = self._wanted.reader()
        plans = Plans(work, bus)
        toolbox = Toolbox(
            [
                *self._wanted.extra_tools,
                providers.native_tools(
                    _scope(bus, paths),
                    reader,
                    _looks_secret(scrubber),
                    lambda: bus.state.settings,
                ),
                ThreadNotes(transcripts),
                plans,
            ]
        )
        self._closers.append(toolbox.aclose)
        queue = MessageQueue(work, transcripts, bus)
        requests = Requests(transcripts, work, toolbox, team, bus, clock)
        loop = ToolLoop(gate, toolbox, transcripts, requests, queue, team, clock)
        turns = Turns(
            loop, gate, registry, toolbox, transcripts, queue, team, bus, answering.current
        )

        await _show_stored(bus, store, registry, transcripts, desk, answering, clock)
        await plans.load()
        await queue.recover()
        self._in_background(desk.verify())
        self._in_background(answering.start())
        self._watch_for_sleep(grants, desk)
        return CommandHandlers(
            turns=turns,
            transcripts=transcripts,
            queue=queue,
            attachments=Attachments(reader, providers.quick_check, transcripts, team, bus),
            registry=registry,
            gate=gate,
            answering=answering,
            preferences=preferences,
            permissions=Permissions(rules, grants, desk),
            bus=bus,
            closers=tuple(reversed(self._closers)),
        )

    def _lock_profile(self) -> None:
        import filelock

        lock = filelock.FileLock(self._paths.engine_lock, timeout=0, mode=FILE_MODE)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise ProfileInUseError(
                "Ankita is already running on this profile.",
                advice="Use that window, quit it first, or set ANKITA_HOME to another folder.",
            ) from None

        async def release() -> None:
            lock.release()

        self._closers.append(release)

    def _start_log(self, scrubber: Scrubber, bus: EventBus) -> None:
        try:
            handler = configure_logging(self._paths.logs, scrubber.redact)
        except OSError as error:
            _raise_notice(bus, f"No log is kept: its file can't be opened ({error.strerror}).")
            return

        async def close() -> None:
            close_logging(handler)

        self._closers.append(close)

    def _open_database(self, bus: EventBus) -> Database:
        path = self._paths.database
        try:
            return Database(path)
        except StoredDataError as error:
            kind = "newer" if isinstance(error, NewerDataError) else "damaged"
            suffix = f".{kind}-{self._clock.now():%Y%m%dT%H%M%SZ}"
            aside = keep_database_aside(path, suffix)
            _raise_notice(
                bus,
                f"{error.message} It was kept as {aside.name} in {aside.parent}, and Ankita"
                " started with an empty one.",
            )
            return Database(path)

    def _watch_for_sleep(self, grants: SessionGrants, desk: DecisionDesk) -> None:
        async def watch() -> None:
            while True:
                await asyncio.sleep(OBSERVE_SECONDS)
                grants.observe()
                desk.rules_changed()

        self._in_background(watch())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)

        async def end() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        self._closers.append(end)


async def _show_stored(
    bus: EventBus,
    store: ThreadStore,
    registry: ApprovalRegistry,
    transcripts: Transcripts,
    desk: DecisionDesk,
    answering: Answering,
    clock: Clock,
) -> None:
    questions = await recover(store, registry, clock.now().isoformat())
    await transcripts.load_summaries()
    bus.emit(GateLoaded(await desk.load()))
    if bus.state.gate.closed_reason:
        reason = bus.state.gate.closed_reason
        _raise_notice(bus, f"{reason[:1].upper()}{reason[1:]}. See Approvals.")
    for question in questions:
        bus.emit(ApprovalRequested(question.approval))
    await answering.load()


def _keep_unusable_settings(paths: ProfilePaths, files: DurableFiles, bus: EventBus) -> None:
    _, problem = read_settings(paths)
    if problem is not None:
        try:
            aside = files.keep_aside(paths.settings, problem.message)
        except AnkitaError as error:
            _raise_notice(bus, f"{problem.message} It could not be put aside: {error.message}")
            return
        _raise_notice(
            bus,
            f"{problem.message} It was kept as {aside.name} in {aside.parent}, and Ankita"
            " started with its first settings.",
        )


def _raise_notice(bus: EventBus, text: str) -> None:
    bus.emit(NoticeRaised(Notice(new_id(), text, NoticeLevel.WARNING)))


def _scope(bus: EventBus, paths: ProfilePaths) -> FolderScope:
    def grants() -> list[Grant]:
        state = bus.state
        folders = [Grant(Path(f.path), f.may_write) for f in state.settings.folders]
        return [Grant(Path(state.workspace), True), *folders]

    return FolderScope(grants, closed=paths.root, open_below=paths.workspace)


def _looks_secret(scrubber: Scrubber) -> Callable[[str, str], bool]:
    def looks_secret(name: str, value: str) -> bool:
        return scrubber.contains_secret(value) or scrubber.redact_value({name: value}) != {
            name: value
        }

    return looks_secret
