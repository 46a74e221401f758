"""What happened, as frozen values in the past tense; reducer.py applies them to the state.

The bus numbers events; a subscriber that took the state at number n follows with
the event n + 1, with no gap and no repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ankita.config import Settings
from ankita.engine.state import (
    AttachmentState,
    DecisionState,
    GateState,
    ModelDownload,
    Notice,
    PendingApproval,
    PlanStep,
    QueuedMessage,
    RuleState,
    ServerCounters,
    ServerOffer,
    TeammateState,
    ThreadSummary,
    VaultState,
)
from ankita.ids import AttachmentId, ItemId, RequestId, TeammateId, ThreadId
from ankita.memory.transcript import Item
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
class TeammateRemoved:
    teammate_id: TeammateId


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """A thread's to-do list, whole; empty when it has none."""

    thread_id: ThreadId
    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """What waits to go into a thread, whole and in order."""

    thread_id: ThreadId
    messages: tuple[QueuedMessage, ...]


@dataclass(frozen=True, slots=True)
class OffersChanged:
    """The model servers found on this machine that the user may accept."""

    offers: tuple[ServerOffer, ...]
    is_looking: bool = False


@dataclass(frozen=True, slots=True)
class DownloadChanged:
    """None when nothing is fetched any more."""

    download: ModelDownload | None


@dataclass(frozen=True, slots=True)
class ApprovalParked:
    """The user said "not now"; the request stays listed and can be answered later."""

    approval: PendingApproval


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
    | TeammateRemoved
    | PlanChanged
    | QueueChanged
    | OffersChanged
    | DownloadChanged
    | ApprovalParked
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
