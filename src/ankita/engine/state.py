"""The engine's state as a value. Events change it through the pure function in reducer.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ankita.config import ServerSettings, Settings, WireFormat
from ankita.ids import AttachmentId, CallId, RequestId, TeammateId, ThreadId, TurnId
from ankita.memory.transcript import Item, NoticeLevel
from ankita.messages import ModelInfo
from ankita.security.acts import Act
from ankita.security.policy import Verdict


class ThreadStatus(StrEnum):
    IDLE = "idle"
    WORKING = "working"
    ASKING = "asking"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Activity(StrEnum):
    """What a teammate is doing now; a mascot's state follows from it."""

    IDLE = "idle"
    THINKING = "thinking"
    READING = "reading"
    ACTING = "acting"
    ASKING = "asking"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """One row of the thread list. Times are ISO 8601 in UTC."""

    id: ThreadId
    teammate_id: TeammateId
    title: str
    updated_at: str
    status: ThreadStatus = ThreadStatus.IDLE
    detail: str = ""
    draft: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class TeammateState:
    """A persona, its look (a colour name of the theme) and what it does now.

    `progress` is (done, total) while a file is read; total 0 is unknown.
    `thread_id` is the thread its activity belongs to. `instructions` are the user's own
    words on how it shall work. `server` is its own model; None means the one in the
    settings. `answering` says in both cases what answers.
    """

    id: TeammateId
    name: str
    look: str
    activity: Activity = Activity.IDLE
    detail: str = ""
    progress: tuple[int, int] | None = None
    thread_id: ThreadId | None = None
    instructions: str = ""
    server: ServerSettings | None = None
    answering: ModelInfo | None = None


@dataclass(frozen=True, slots=True)
class PendingApproval:
    """A question that waits for a person.

    `scope_once` and `scope_always` say in plain words what the longer answers would
    cover; they are empty where that answer is not offered. `from_before` is True for
    a request that was pending when the app was last killed.
    """

    id: RequestId
    thread_id: ThreadId
    turn_id: TurnId
    call_id: CallId
    teammate_id: TeammateId
    act: Act
    verdict: Verdict
    created_at: str
    scope_once: str = ""
    scope_always: str = ""
    from_before: bool = False
    parked_at: str = ""
    """When the user said "not now"; empty while a turn waits for the answer."""


class AttachmentStatus(StrEnum):
    READING = "reading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AttachmentState:
    """A file in a thread's composer that was not sent yet.

    `reason` is set when it failed. `done` and `total` count pages; total 0 is unknown.
    """

    id: AttachmentId
    thread_id: ThreadId
    name: str
    status: AttachmentStatus
    kind: str = ""
    pages: int | None = None
    done: int = 0
    total: int = 0
    notes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the whole app should know: damaged file kept aside, locked keychain, ..."""

    id: str
    text: str
    level: NoticeLevel


@dataclass(frozen=True, slots=True)
class RuleState:
    """A standing permission or a block, as listed in Approvals."""

    server: str
    tool: str
    tier: int
    scope: str
    created_at: str
    kind: str
    """"tool" or "app" (a rule in the file), "run" (until the app ends) or "blocked"."""
    teammate_id: TeammateId | None = None
    ends_at: str = ""
    """When it ends by itself, ISO 8601 in UTC; empty when it does not."""


@dataclass(frozen=True, slots=True)
class DecisionState:
    """One line of the record: what was decided about which act, by which rule or whom."""

    sequence: int
    at: str
    teammate_id: TeammateId
    thread_id: ThreadId
    title: str
    target: str
    server: str
    tier: int
    rule: str
    reason: str
    answered_by: str
    outcome: str
    """"allowed", "asked" (a yes by a person), "refused" (a no), "parked"
    ("not now"), "denied" (blocklist)."""


@dataclass(frozen=True, slots=True)
class ServerCounters:
    allowed: int = 0
    asked: int = 0
    denied: int = 0


@dataclass(frozen=True, slots=True)
class GateState:
    """`closed_reason` is set while everything asks because the rules cannot be read."""

    closed_reason: str = ""
    rules: tuple[RuleState, ...] = ()
    record: tuple[DecisionState, ...] = ()
    record_length: int = 0
    chain_broken_at: int | None = None
    counters: Mapping[str, ServerCounters] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VaultState:
    description: str = ""
    problem: str = ""
    """Why keys cannot be stored or read now; empty when they can."""
    needs_passphrase: bool = False


class StepStatus(StrEnum):
    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One line of a thread's to-do list."""

    text: str
    status: StepStatus


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """What the user sent while a turn was running; it goes in at the turn's next step.

    Where the turn has no further step it starts the next turn. `attachments` are the
    names of the files that go with it.
    """

    id: str
    text: str
    created_at: str
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model of a found server; None where the server does not say."""

    name: str
    context_tokens: int | None = None
    has_tools: bool | None = None
    has_vision: bool | None = None


@dataclass(frozen=True, slots=True)
class ServerOffer:
    """A model server found on this machine that the user has not accepted yet.

    `kind` is what it is called ("Ollama"), known from its answer. `note` is a plain
    sentence where something is in the way ("It wants a key.", "It has no model yet.").
    """

    base_url: str
    kind: str
    wire: WireFormat = WireFormat.OPENAI
    models: tuple[OfferedModel, ...] = ()
    needs_key: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelDownload:
    """A model file that is being fetched, after the user agreed. Sizes in bytes.

    `problem` is set when it stopped; it can go on from where it was.
    """

    id: str
    name: str
    done: int
    total: int
    problem: str = ""
    is_checking: bool = False


@dataclass(frozen=True, slots=True)
class EngineState:
    """Everything a window draws. `items` holds only the threads that were opened."""

    sequence: int = 0
    threads: Mapping[ThreadId, ThreadSummary] = field(default_factory=dict)
    items: Mapping[ThreadId, tuple[Item, ...]] = field(default_factory=dict)
    attachments: Mapping[ThreadId, tuple[AttachmentState, ...]] = field(default_factory=dict)
    teammates: tuple[TeammateState, ...] = ()
    approvals: tuple[PendingApproval, ...] = ()
    answering: ModelInfo | None = None
    settings: Settings = field(default_factory=Settings)
    workspace: str = ""
    vault: VaultState = field(default_factory=VaultState)
    gate: GateState = field(default_factory=GateState)
    notices: tuple[Notice, ...] = ()
    plans: Mapping[ThreadId, tuple[PlanStep, ...]] = field(default_factory=dict)
    queued: Mapping[ThreadId, tuple[QueuedMessage, ...]] = field(default_factory=dict)
    offers: tuple[ServerOffer, ...] = ()
    is_looking_for_servers: bool = False
    download: ModelDownload | None = None
    activity_log: tuple[str, ...] = ()
    """The newest lines of what was done, oldest first, for the island."""
