"""What a thread shows: its items as values, and how they are kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from ankita.ids import AttachmentId, CallId, ItemId, TurnId
from ankita.messages import Effect, JsonObject, Phase


class ReplyStatus(StrEnum):
    STREAMING = "streaming"
    DONE = "done"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class CallStatus(StrEnum):
    """WAITING not yet admitted; ASKING a person must answer; RUNNING admitted and committed."""

    WAITING = "waiting"
    ASKING = "asking"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    PARKED = "parked"
    """The user said "not now": it was not run, and may be allowed later."""
    STOPPED = "stopped"
    NOT_RUN = "not_run"
    INTERRUPTED = "interrupted"
    UNCERTAIN = "uncertain"

    @property
    def is_settled(self) -> bool:
        return self not in (CallStatus.WAITING, CallStatus.ASKING, CallStatus.RUNNING)


class NoticeLevel(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class AttachmentRef:
    """A file that came with a message. Its text is kept apart, under `id`."""

    id: AttachmentId
    name: str
    kind: str
    pages: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserItem:
    id: ItemId
    turn_id: TurnId
    text: str
    created_at: str
    attachments: tuple[AttachmentRef, ...] = ()
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class ReplyItem:
    """Text of the model in one step of a turn."""

    id: ItemId
    turn_id: TurnId
    step: int
    text: str
    status: ReplyStatus
    created_at: str
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class ToolItem:
    """One tool call and its one result.

    `title` is the act in plain words ("files: read file"), `target` the argument
    that names its object, `why` which rule let it run or who answered. `output`
    is what the model read. `seconds` is the run time once settled.
    """

    id: ItemId
    turn_id: TurnId
    step: int
    call_id: CallId
    name: str
    arguments: JsonObject
    effect: Effect
    phase: Phase
    title: str
    target: str
    status: CallStatus
    created_at: str
    output: str = ""
    why: str = ""
    seconds: float | None = None
    echo: JsonObject = field(default_factory=dict)

    def not_run(self, why: str) -> ToolItem:
        """The same call, settled without having run."""
        return replace(self, status=CallStatus.NOT_RUN, why=why, output=f"Not run: {why}.")


@dataclass(frozen=True, slots=True)
class NoticeItem:
    """Something the product says in the thread: stopped, interrupted, a model error."""

    id: ItemId
    turn_id: TurnId
    text: str
    level: NoticeLevel
    created_at: str
    can_retry: bool = False


Item = UserItem | ReplyItem | ToolItem | NoticeItem


class TurnStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and the work it started. `ended_at` is empty while it runs."""

    id: TurnId
    status: TurnStatus
    started_at: str
    ended_at: str = ""


_KINDS: dict[str, type[UserItem] | type[ReplyItem] | type[ToolItem] | type[NoticeItem]] = {
    "user": UserItem,
    "reply": ReplyItem,
    "tool": ToolItem,
    "notice": NoticeItem,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item as a row: kind and JSON body."""

    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)


def item_to_row(item: Item) -> StoredItem:
    if isinstance(item, UserItem):
        return StoredItem("user", asdict(item))
    # Nothing in the others is a dataclass, and a copy in depth would be made for every state.
    return StoredItem(_NAMES[type(item)], {f.name: getattr(item, f.name) for f in fields(item)})


def item_from_row(kind: str, body: Mapping[str, Any]) -> Item:
    """Read a row back. Raises ValueError, KeyError or TypeError on a row that is no item."""
    values = dict(body)
    if kind == "user":
        refs = [AttachmentRef(**{**r, "notes": tuple(r["notes"])}) for r in values["attachments"]]
        values["attachments"] = tuple(refs)
    elif kind == "reply":
        values["status"] = ReplyStatus(values["status"])
    elif kind == "tool":
        values["status"] = CallStatus(values["status"])
        values["effect"] = Effect(values["effect"])
        values["phase"] = Phase(values["phase"])
    elif kind == "notice":
        values["level"] = NoticeLevel(values["level"])
    return _KINDS[kind](**values)


def grown(item: Item, text: str) -> Item:
    """The item with `text` added to what it shows; unchanged for items that do not grow."""
    if isinstance(item, ReplyItem):
        return replace(item, text=item.text + text)
    if isinstance(item, ToolItem):
        return replace(item, output=item.output + text)
    return item
