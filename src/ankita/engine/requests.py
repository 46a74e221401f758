"""The request of one step: what the thread holds, made to fit the model, and what it weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ankita.clock import Clock
from ankita.config import ToolMode
from ankita.engine.context_window import Fitted, fit
from ankita.engine.event_bus import EventBus
from ankita.engine.gate import Caller
from ankita.engine.history import MESSAGE_BYTES, Unit, size_of, step_of, text_bytes, units_of
from ankita.engine.left_out import lost_pins, lost_plan
from ankita.engine.offered_tools import ToolOffer, ToolOffers
from ankita.engine.prompt import system_prompt
from ankita.engine.team import Team
from ankita.engine.token_meter import TokenMeters
from ankita.engine.toolbox import Toolbox
from ankita.engine.transcripts import Transcripts
from ankita.errors import ModelContextError
from ankita.ids import ThreadId
from ankita.memory.transcript import Item, NoticeItem, ToolItem, UserItem
from ankita.memory.work import RequestRow, WorkStore
from ankita.messages import Message, ModelInfo, ModelRequest, Role, Usage

JSON_RULES_BYTES = 4_000
"""What is added to a request for a model that acts through JSON: rules and examples."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request, and what of the thread is in it. Sizes in bytes, as estimated."""

    request: ModelRequest
    size: int
    schema_size: int
    left_out: int
    left_out_tools: tuple[str, ...]
    is_shortened: bool


@dataclass(slots=True)
class _Remembered:
    """The units of a thread as made last."""

    items: Sequence[Item]
    units: list[Unit]


class Requests:
    """Remembers the units of threads: items never change in place, so most stay as they were."""

    def __init__(
        self,
        transcripts: Transcripts,
        work: WorkStore,
        toolbox: Toolbox,
        team: Team,
        bus: EventBus,
        clock: Clock,
    ) -> None:
        self._transcripts = transcripts
        self._work = work
        self._toolbox = toolbox
        self._team = team
        self._bus = bus
        self._clock = clock
        self._meters = TokenMeters()
        self._offers = ToolOffers()
        self._remembered: dict[ThreadId, _Remembered] = {}

    async def prepare(self, caller: Caller, info: ModelInfo) -> Prepared:
        """The request for what the thread holds now."""
        meter = self._meters.of(info)
        units = await self._units(caller.thread_id)
        offer = self._offers.fit(self._toolbox.specs(), _used(units), meter)
        system = self._system(caller)
        fixed = text_bytes(system) + MESSAGE_BYTES + offer.size
        if info.tool_mode is ToolMode.JSON_ACTION:
            fixed += JSON_RULES_BYTES
        fitted = fit(units, fixed, meter)
        history = _asked_anew(fitted.messages)
        # Pins of a partial reply that is asked for anew, and a plan that was cut away.
        lost = lost_pins(units, [fitted.digest, *(message.text for message in history)])
        lost += lost_plan(self._bus.state.plans.get(caller.thread_id, ()), history)
        messages = (_first(system, fitted, offer, lost), *history)
        return Prepared(
            ModelRequest(messages, offer.specs),
            size=size_of(messages) + offer.size,
            schema_size=offer.size,
            left_out=fitted.left_out,
            left_out_tools=offer.left_out,
            is_shortened=fitted.is_shortened,
        )

    def refused(self, info: ModelInfo, prepared: Prepared, error: ModelContextError) -> bool:
        """The model found it too long; whether less can be sent."""
        before = self._meters.of(info)
        self._meters.refused(info, prepared.size, error)
        return not info.is_built_in and self._meters.of(info) != before

    def record(
        self, caller: Caller, step: int, info: ModelInfo, prepared: Prepared, usage: Usage | None
    ) -> None:
        """Keep what the request weighed, and learn from the server's own count."""
        if usage is not None:
            self._meters.counted(info, prepared.size, usage.prompt_tokens)
        row = RequestRow(
            caller.thread_id,
            caller.turn_id,
            step,
            self._clock.now().isoformat(),
            info.label,
            request_bytes=prepared.size,
            schema_bytes=prepared.schema_size,
            history_bytes=size_of(prepared.request.messages[1:]),
            left_out=prepared.left_out,
            prompt_tokens=usage.prompt_tokens if usage else None,
            completion_tokens=usage.completion_tokens if usage else None,
            cached_tokens=usage.cached_tokens if usage else None,
        )
        self._work.add_request(row)

    async def warm(self, thread_id: ThreadId) -> None:
        """Make the units of a thread that was just opened."""
        await self._units(thread_id)

    def forget(self, thread_id: ThreadId) -> None:
        """The thread was deleted."""
        self._remembered.pop(thread_id, None)

    def _system(self, caller: Caller) -> str:
        teammate = self._team.get(caller.teammate_id)
        return system_prompt(
            teammate.name if teammate else "Ankita",
            teammate.instructions if teammate else "",
            self._clock.now().astimezone(),
            self._bus.state.workspace,
            self._bus.state.settings.folders,
        )

    async def _units(self, thread_id: ThreadId) -> list[Unit]:
        spoken = [i for i in self._transcripts.items(thread_id) if not isinstance(i, NoticeItem)]
        known = self._remembered.get(thread_id)
        kept, start = _still_true(known, spoken) if known else ([], 0)
        fresh = spoken[start:]
        rows = {}
        if any(isinstance(item, UserItem) and item.attachments for item in fresh):
            stored = await self._transcripts.store.attachments(thread_id, sent=True)
            rows = {row.id: row for row in stored}
        kept += units_of(fresh, rows)
        self._remembered[thread_id] = _Remembered(spoken, kept)
        return kept


def _still_true(known: _Remembered, spoken: Sequence[Item]) -> tuple[list[Unit], int]:
    """The remembered units whose items stand unchanged, and where the rest begins.

    The last one may still grow, so it is always made anew.
    """
    same = 0
    for old, new in zip(known.items, spoken, strict=False):
        if old is not new:
            break
        same += 1
    kept: list[Unit] = []
    place = 0
    for unit in known.units[:-1]:
        end = _index_of(spoken, unit.items[0], place) + len(unit.items)
        if end > same:
            break
        kept.append(unit)
        place = end
    if place < len(spoken) and kept and step_of(spoken[place]) == step_of(kept[-1].items[0]):
        place -= len(kept.pop().items)
    return kept, place


def _index_of(spoken: Sequence[Item], item: Item, start: int) -> int:
    """Items of units that were nothing to say stand between the units."""
    while start < len(spoken) and spoken[start] is not item:
        start += 1
    return start


def _used(units: Sequence[Unit]) -> set[str]:
    """The tools that the newest part of the thread used."""
    newest = units[-40:]
    return {i.name for unit in newest for i in unit.items if isinstance(i, ToolItem)}


def _first(system: str, fitted: Fitted, offer: ToolOffer, lost: Sequence[str]) -> Message:
    parts = [system]
    if offer.left_out:
        names = ", ".join(offer.left_out)
        parts.append(f"Not offered, because your window is too small for them: {names}.")
    if fitted.digest:
        parts.append(fitted.digest)
    if lost:
        parts.append("\n".join(lost))
    return Message(Role.SYSTEM, "\n\n".join(parts))


def _asked_anew(messages: Sequence[Message]) -> list[Message]:
    """A history that a model can go on from: it begins with the user, and waits for a reply."""
    history = list(messages)
    if history and history[-1].role is Role.ASSISTANT and not history[-1].tool_calls:
        # A partial reply that is tried again: it stays in the thread, the model starts anew.
        history.pop()
    if not history or history[0].role is not Role.USER:
        history.insert(0, Message(Role.USER, "Go on with what was asked above."))
    return history
