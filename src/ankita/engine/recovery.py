"""What a killed process left behind, made true before anything is shown (ENG-4).

Nothing is run here. A change that had begun is uncertain; the rest was not run or was
interrupted. A question that waits for a person goes on waiting, and what was put off
stays put off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ankita.engine.approval_registry import ApprovalRegistry, Question, Settlement
from ankita.engine.gate_results import PARKED_TEXT
from ankita.engine.history import UNCERTAIN_TEXT
from ankita.ids import CallId, ItemId, ThreadId, TurnId, new_id
from ankita.memory.threads import ThreadStore
from ankita.memory.transcript import (
    CallStatus,
    Item,
    NoticeItem,
    NoticeLevel,
    ReplyItem,
    ReplyStatus,
    ToolItem,
    TurnStatus,
)
from ankita.messages import Effect

INTERRUPTED_TEXT = "Interrupted: Ankita was closed while this was being worked on."
WAITING_TEXT = f"{INTERRUPTED_TEXT} The question above still waits for your answer."


async def recover(store: ThreadStore, registry: ApprovalRegistry, now: str) -> Sequence[Question]:
    """Settle what was open in the store; the questions that still wait for a person."""
    questions = [q for q in await registry.restore() if await _still_asks(store, registry, q)]
    await _park_open_calls(store, [q for q in questions if q.is_parked])
    waiting = {_at(question) for question in questions if not question.is_parked}
    for thread_id, turn_id in await store.running_turns():
        await _recover_turn(store, thread_id, turn_id, waiting, now)
    for item in await store.open_calls():
        if (item.turn_id, item.call_id) not in waiting:
            await store.save_item(settle_after_crash(item))
    return questions


async def _still_asks(store: ThreadStore, registry: ApprovalRegistry, question: Question) -> bool:
    """A question whose call has another end, or whose thread is gone, is withdrawn."""
    item = await _call_of(store, question)
    if item is not None:
        is_put_off = question.is_parked and item.status is CallStatus.PARKED
        if is_put_off or not item.status.is_settled:
            return True
    await registry.settle(question.approval.id, Settlement(None, "its call had ended"))
    return False


async def _park_open_calls(store: ThreadStore, parked: Sequence[Question]) -> None:
    """A crash came between the answer "not now" and its result, or before a later answer."""
    for question in parked:
        item = await _call_of(store, question)
        if item is not None and not item.status.is_settled:
            await store.save_item(replace(item, status=CallStatus.PARKED, output=PARKED_TEXT))


async def _call_of(store: ThreadStore, question: Question) -> ToolItem | None:
    for item in await store.items(question.approval.thread_id):
        if isinstance(item, ToolItem) and (item.turn_id, item.call_id) == _at(question):
            return item
    return None


def _at(question: Question) -> tuple[TurnId, CallId]:
    return question.approval.turn_id, question.approval.call_id


async def _recover_turn(
    store: ThreadStore,
    thread_id: ThreadId,
    turn_id: TurnId,
    waiting: set[tuple[TurnId, CallId]],
    now: str,
) -> None:
    still_asks = False
    for item in await store.items(thread_id):
        if item.turn_id != turn_id:
            continue
        asks = isinstance(item, ToolItem) and (turn_id, item.call_id) in waiting
        still_asks = still_asks or asks
        settled = item if asks else settle_after_crash(item)
        if settled is not item:
            await store.save_item(settled)
    text = WAITING_TEXT if still_asks else INTERRUPTED_TEXT
    notice = NoticeItem(
        ItemId(new_id()), turn_id, text, NoticeLevel.WARNING, now, can_retry=not still_asks
    )
    await store.add_item(thread_id, notice)
    await store.set_turn_status(turn_id, TurnStatus.INTERRUPTED, now)


def settle_after_crash(item: Item) -> Item:
    """The item as it must stand after the process was killed; the same item if it was settled."""
    if isinstance(item, ReplyItem) and item.status is ReplyStatus.STREAMING:
        return replace(item, status=ReplyStatus.INTERRUPTED)
    if not isinstance(item, ToolItem) or item.status.is_settled:
        return item
    if item.status is not CallStatus.RUNNING:
        return item.not_run("Ankita was closed before it ran")
    if item.effect is Effect.CHANGES:
        return replace(item, status=CallStatus.UNCERTAIN, output=UNCERTAIN_TEXT)
    return replace(item, status=CallStatus.INTERRUPTED)
