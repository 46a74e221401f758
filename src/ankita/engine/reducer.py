"""How an event changes the state: one pure function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ankita.engine.events import (
    ACTIVITY_LINES,
    RECORD_LINES,
    AnsweringChanged,
    ApprovalParked,
    ApprovalRequested,
    ApprovalSettled,
    AttachmentChanged,
    AttachmentRemoved,
    DecisionRecorded,
    DownloadChanged,
    Event,
    GateLoaded,
    ItemAdded,
    ItemChanged,
    NoticeDismissed,
    NoticeRaised,
    NumberedEvent,
    OffersChanged,
    PlanChanged,
    QueueChanged,
    RecordFoundBroken,
    RulesChanged,
    SettingsChanged,
    TeammateChanged,
    TeammateRemoved,
    TextAdded,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
    VaultChanged,
)
from ankita.engine.state import DecisionState, EngineState, GateState, ServerCounters
from ankita.ids import ItemId
from ankita.memory.transcript import Item, grown


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
        case ApprovalRequested() | ApprovalSettled() | ApprovalParked():
            return _apply_approval(state, event)
        case AttachmentChanged() | AttachmentRemoved():
            return _apply_attachment(state, event)
        case PlanChanged() | QueueChanged() | OffersChanged() | DownloadChanged():
            return _apply_work(state, event)
        case TeammateRemoved(teammate_id):
            left = tuple(t for t in state.teammates if t.id != teammate_id)
            return replace(state, teammates=left)
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
                plans=_without(state.plans, thread_id),
                queued=_without(state.queued, thread_id),
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


def _apply_work(
    state: EngineState, event: PlanChanged | QueueChanged | OffersChanged | DownloadChanged
) -> EngineState:
    match event:
        case PlanChanged(thread_id, steps):
            return replace(state, plans=_with(state.plans, thread_id, steps))
        case QueueChanged(thread_id, messages):
            return replace(state, queued=_with(state.queued, thread_id, messages))
        case OffersChanged(offers, is_looking):
            return replace(state, offers=offers, is_looking_for_servers=is_looking)
        case DownloadChanged(download):
            return replace(state, download=download)


def _apply_approval(
    state: EngineState, event: ApprovalRequested | ApprovalSettled | ApprovalParked
) -> EngineState:
    match event:
        case ApprovalParked(approval):
            parked = tuple(approval if a.id == approval.id else a for a in state.approvals)
            return replace(state, approvals=parked)
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


def _with(
    mapping: Mapping[_K, tuple[_V, ...]], key: _K, values: tuple[_V, ...]
) -> dict[_K, tuple[_V, ...]]:
    """With the values under the key, or without the key when there are none."""
    return {**mapping, key: values} if values else _without(mapping, key)


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
