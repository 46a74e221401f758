"""What happened, as frozen values in the past tense, and the pure `apply`.

The bus numbers events; a subscriber that took the state at number n follows with
the event n + 1, with no gap and no repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from ankita.config import Settings
from ankita.engine.state import (
    AttachmentState,
    DecisionState,
    EngineState,
    GateState,
    Notice,
    PendingApproval,
    RuleState,
    ServerCounters,
    TeammateState,
    ThreadSummary,
    VaultState,
)
from ankita.ids import AttachmentId, ItemId, RequestId, ThreadId
from ankita.memory.transcript import Item, grown
from ankita.messages import ModelInfo

ACTIVITY_LINES = 12
RECORD_LINES = 200


@dataclass(frozen=True, slots=True)
class ThreadSaved:
    """A thread was created or its summary changed."""

    thread: ThreadSummary


@dataclass(frozen=True, slots=True)
class ThreadDeleted:
    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class ThreadOpened:
    """The items of a thread were loaded; from now on they are kept up to date."""

    thread_id: ThreadId
    items: tuple[Item, ...]
    attachments: tuple[AttachmentState, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemAdded:
    thread_id: ThreadId
    item: Item


@dataclass(frozen=True, slots=True)
class ItemChanged:
    """Replaces the item with the same id."""

    thread_id: ThreadId
    item: Item


@dataclass(frozen=True, slots=True)
class TextAdded:
    """A reply's text or a running tool's output grew."""

    thread_id: ThreadId
    item_id: ItemId
    text: str


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    approval: PendingApproval


@dataclass(frozen=True, slots=True)
class ApprovalSettled:
    """`answer` is "yes", "no" or "withdrawn"; `answered_by` names the surface or the reason."""

    request_id: RequestId
    answer: str
    answered_by: str


@dataclass(frozen=True, slots=True)
class TeammateChanged:
    teammate: TeammateState
    log_line: str = ""


@dataclass(frozen=True, slots=True)
class AttachmentChanged:
    attachment: AttachmentState


@dataclass(frozen=True, slots=True)
class AttachmentRemoved:
    """Taken out of the composer, by the user or because it was sent."""

    thread_id: ThreadId
    attachment_id: AttachmentId


@dataclass(frozen=True, slots=True)
class AnsweringChanged:
    """Another model answers from now on."""

    answering: ModelInfo


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    settings: Settings


@dataclass(frozen=True, slots=True)
class VaultChanged:
    vault: VaultState


@dataclass(frozen=True, slots=True)
class RulesChanged:
    rules: tuple[RuleState, ...]
    closed_reason: str = ""


@dataclass(frozen=True, slots=True)
class GateLoaded:
    """The record, counters and rules were read at start."""

    gate: GateState


@dataclass(frozen=True, slots=True)
class DecisionRecorded:
    decision: DecisionState
    counters: Mapping[str, ServerCounters]


@dataclass(frozen=True, slots=True)
class RecordFoundBroken:
    """The record was edited; `broken_at` is the number of the first entry that does not fit."""

    broken_at: int


@dataclass(frozen=True, slots=True)
class NoticeRaised:
    notice: Notice


@dataclass(frozen=True, slots=True)
class NoticeDismissed:
    notice_id: str


Event = (
    ThreadSaved
    | ThreadDeleted
    | ThreadOpened
    | ItemAdded
    | ItemChanged
    | TextAdded
    | ApprovalRequested
    | ApprovalSettled
    | TeammateChanged
    | AttachmentChanged
    | AttachmentRemoved
    | AnsweringChanged
    | SettingsChanged
    | VaultChanged
    | RulesChanged
    | GateLoaded
    | DecisionRecorded
    | RecordFoundBroken
    | NoticeRaised
    | NoticeDismissed
)


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    sequence: int
    event: Event


def apply(state: EngineState, numbered: NumberedEvent) -> EngineState:
    """The state after the event. Raises ValueError when the number is not the next one."""
    if numbered.sequence != state.sequence + 1:
        raise ValueError(f"event {numbered.sequence} does not follow {state.sequence}")
    return replace(_apply(state, numbered.event), sequence=numbered.sequence)


def _apply(state: EngineState, event: Event) -> EngineState:
    match event:
        case ThreadSaved() | ThreadDeleted() | ThreadOpened():
            return _apply_thread(state, event)
        case ItemAdded() | ItemChanged() | TextAdded():
            return _apply_item(state, event)
        case ApprovalRequested() | ApprovalSettled():
            return _apply_approval(state, event)
        case AttachmentChanged() | AttachmentRemoved():
            return _apply_attachment(state, event)
        case TeammateChanged(teammate, line):
            lines = (*state.activity_log, line)[-ACTIVITY_LINES:] if line else state.activity_log
            team = tuple(teammate if t.id == teammate.id else t for t in state.teammates)
            known = any(t.id == teammate.id for t in state.teammates)
            return replace(
                state, teammates=team if known else (*team, teammate), activity_log=lines
            )
        case AnsweringChanged(answering):
            return replace(state, answering=answering)
        case SettingsChanged(settings):
            return replace(state, settings=settings)
        case VaultChanged(vault):
            return replace(state, vault=vault)
        case RulesChanged(rules, closed_reason):
            gate = replace(state.gate, rules=rules, closed_reason=closed_reason)
            return replace(state, gate=gate)
        case GateLoaded(gate):
            return replace(state, gate=gate)
        case DecisionRecorded(decision, counters):
            return replace(state, gate=_recorded(state.gate, decision, counters))
        case RecordFoundBroken(broken_at):
            return replace(state, gate=replace(state.gate, chain_broken_at=broken_at))
        case NoticeRaised(notice):
            return replace(state, notices=(*state.notices, notice))
        case NoticeDismissed(notice_id):
            return replace(state, notices=tuple(n for n in state.notices if n.id != notice_id))


def _apply_thread(
    state: EngineState, event: ThreadSaved | ThreadDeleted | ThreadOpened
) -> EngineState:
    match event:
        case ThreadSaved(thread):
            return replace(state, threads={**state.threads, thread.id: thread})
        case ThreadDeleted(thread_id):
            return replace(
                state,
                threads=_without(state.threads, thread_id),
                items=_without(state.items, thread_id),
                attachments=_without(state.attachments, thread_id),
            )
        case ThreadOpened(thread_id, items, attachments):
            return replace(
                state,
                items={**state.items, thread_id: items},
                attachments={**state.attachments, thread_id: attachments},
            )


def _apply_item(state: EngineState, event: ItemAdded | ItemChanged | TextAdded) -> EngineState:
    items = state.items.get(event.thread_id, ())
    match event:
        case ItemAdded(_, item):
            changed = (*items, item)
        case ItemChanged(_, item):
            changed = _replaced(items, item)
        case TextAdded(_, item_id, text):
            changed = _grown(items, item_id, text)
    return replace(state, items={**state.items, event.thread_id: changed})


def _apply_approval(state: EngineState, event: ApprovalRequested | ApprovalSettled) -> EngineState:
    match event:
        case ApprovalRequested(approval):
            return replace(state, approvals=(*state.approvals, approval))
        case ApprovalSettled(request_id):
            left = tuple(a for a in state.approvals if a.id != request_id)
            return replace(state, approvals=left)


def _apply_attachment(
    state: EngineState, event: AttachmentChanged | AttachmentRemoved
) -> EngineState:
    match event:
        case AttachmentChanged(attachment):
            thread_id = attachment.thread_id
            held = state.attachments.get(thread_id, ())
            known = any(a.id == attachment.id for a in held)
            swapped = tuple(attachment if a.id == attachment.id else a for a in held)
            changed = swapped if known else (*held, attachment)
        case AttachmentRemoved(thread_id, attachment_id):
            held = state.attachments.get(thread_id, ())
            changed = tuple(a for a in held if a.id != attachment_id)
    return replace(state, attachments={**state.attachments, thread_id: changed})


def _recorded(
    gate: GateState, decision: DecisionState, counters: Mapping[str, ServerCounters]
) -> GateState:
    return replace(
        gate,
        record=(*gate.record, decision)[-RECORD_LINES:],
        record_length=decision.sequence,
        counters=counters,
    )


_K = TypeVar("_K")
_V = TypeVar("_V")


def _without(mapping: Mapping[_K, _V], key: _K) -> dict[_K, _V]:
    return {k: v for k, v in mapping.items() if k != key}


def _replaced(items: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    # From the end: what changes is nearly always new, and a thread may be long.
    for index in range(len(items) - 1, -1, -1):
        if items[index].id == item.id:
            return (*items[:index], item, *items[index + 1 :])
    return items


def _grown(items: tuple[Item, ...], item_id: ItemId, text: str) -> tuple[Item, ...]:
    item = next((item for item in reversed(items) if item.id == item_id), None)
    return items if item is None else _replaced(items, grown(item, text))
