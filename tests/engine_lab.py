"""The whole engine on a test's own loop, with a scripted model and tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ankita.app import initial_state
from ankita.clock import Clock, SystemClock
from ankita.composition import EngineBuilder, Wanted
from ankita.config import ServerSettings, ToolMode
from ankita.engine import (
    Answer,
    Command,
    CreateThread,
    DecideApproval,
    EngineState,
    Event,
    Item,
    NumberedEvent,
    PendingApproval,
    SendMessage,
    ThreadStatus,
    ToolItem,
)
from ankita.engine.command_handlers import CommandHandlers
from ankita.engine.event_bus import EventBus
from ankita.engine.model_factory import ModelFactory
from ankita.engine.providers import REAL_MODELS
from ankita.engine.team import MIRA
from ankita.ids import ThreadId
from ankita.paths import ProfilePaths
from ankita.protocols import DocumentReader, ModelProvider, ToolProvider
from tests.fakes.documents import FakeDocumentReader

SECONDS = 20.0
"""A bound against a test that hangs; no test waits for it."""

BUSY = (ThreadStatus.WORKING, ThreadStatus.ASKING)


async def _untried(_provider: ModelProvider) -> ToolMode:
    return ToolMode.UNKNOWN


async def _undescribed(_server: ServerSettings, _key: str | None) -> None:
    return None


UNTRIED_MODELS = replace(REAL_MODELS, try_tools=_untried, context_of=_undescribed)
"""The real servers, asked for nothing but what a test sends: no self-test of a new model."""


def answering_with(provider: ModelProvider) -> ModelFactory:
    """A factory whose built-in answer is `provider`."""
    return replace(UNTRIED_MODELS, built_in=lambda: provider, built_in_info=provider.info())


@dataclass(slots=True)
class EngineLab:
    """Commands in, state and events out."""

    handlers: CommandHandlers
    bus: EventBus
    events: list[Event]
    _changed: asyncio.Event

    @property
    def state(self) -> EngineState:
        return self.bus.state

    async def do(self, command: Command) -> Any:
        return await asyncio.wait_for(self.handlers.handle(command), SECONDS)

    async def until(self, is_so: Callable[[EngineState], object]) -> EngineState:
        """Wait until the state is so; it may be so already."""
        async with asyncio.timeout(SECONDS):
            while not is_so(self.bus.state):
                self._changed.clear()
                await self._changed.wait()
        return self.bus.state

    async def thread(self) -> ThreadId:
        return ThreadId(await self.do(CreateThread(MIRA.id)))

    async def send(self, text: str, thread_id: ThreadId | None = None) -> ThreadId:
        """Start a turn; returns at once with its thread."""
        where = thread_id or await self.thread()
        await self.do(SendMessage(where, text))
        return where

    async def finished(self, thread_id: ThreadId) -> tuple[Item, ...]:
        """Wait for the end of the thread's turn; its items."""
        await self.until(lambda s: s.threads[thread_id].status not in BUSY)
        return self.state.items[thread_id]

    async def talk(self, text: str, thread_id: ThreadId | None = None) -> tuple[Item, ...]:
        return await self.finished(await self.send(text, thread_id))

    async def asked(self) -> PendingApproval:
        """Wait for a question."""
        return (await self.until(lambda s: s.approvals)).approvals[0]

    async def answer(self, answer: Answer, surface: str = "island") -> PendingApproval:
        """Wait for a question and answer it."""
        approval = await self.asked()
        await self.do(DecideApproval(approval.id, answer, surface))
        return approval


@asynccontextmanager
async def engine_lab(
    folder: Path,
    model: ModelProvider | None = None,
    *,
    tools: Sequence[ToolProvider] = (),
    clock: Clock | None = None,
    reader: DocumentReader | None = None,
    models: ModelFactory | None = None,
    look_at: tuple[int, ...] = (),
) -> AsyncIterator[EngineLab]:
    """A built engine on the profile in `folder`; without a model the built-in assistant answers.

    `models` replaces how models are made; servers are looked for on `look_at` alone.
    """
    paths = ProfilePaths(folder)
    bus = EventBus(initial_state(paths))
    events: list[Event] = []
    changed = asyncio.Event()

    def hear(numbered: NumberedEvent) -> None:
        events.append(numbered.event)
        changed.set()

    bus.subscribe(hear)
    builder = EngineBuilder(
        paths,
        Wanted(
            clock=clock or SystemClock(),
            models=models or (answering_with(model) if model else UNTRIED_MODELS),
            reader=lambda: reader or FakeDocumentReader(),
            extra_tools=tuple(tools),
            look_at=look_at,
        ),
    )
    handlers = await builder.build(bus)
    try:
        yield EngineLab(handlers, bus, events, changed)
    finally:
        await handlers.aclose()


def tool_items(items: Sequence[Item]) -> list[ToolItem]:
    return [item for item in items if isinstance(item, ToolItem)]
