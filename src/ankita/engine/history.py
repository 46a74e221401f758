"""From a thread's items to the units of a request: what must stay together stays together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ankita.attachment_text import compose_message
from ankita.ids import AttachmentId
from ankita.memory.threads import AttachmentRow
from ankita.memory.transcript import CallStatus, Item, NoticeItem, ReplyItem, ToolItem, UserItem
from ankita.messages import DocumentText, Json, Message, Role, ToolCall

UNCERTAIN_TEXT = "Error: tool outcome is uncertain after restart; do not retry the side effect."

MESSAGE_BYTES = 24
"""What a message weighs beside its text: role, braces, names."""

_UNSETTLED_TEXT = {
    CallStatus.UNCERTAIN: UNCERTAIN_TEXT,
    CallStatus.NOT_RUN: "Not run: the turn ended before this call.",
    CallStatus.INTERRUPTED: "Not finished: the app closed while this ran.",
    CallStatus.STOPPED: "Stopped: the user stopped the turn.",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A message of the user, or one reply with its calls and all their results.

    `items` are what it was made from, `size` is about what it weighs in a request, in
    bytes.
    """

    messages: tuple[Message, ...]
    items: tuple[Item, ...]
    size: int

    @property
    def is_user(self) -> bool:
        return self.messages[0].role is Role.USER


def units_of(
    items: Iterable[Item], attachments: Mapping[AttachmentId, AttachmentRow]
) -> list[Unit]:
    """The units of a thread in order. Notices of the product are not part of the conversation."""
    spoken = (item for item in items if not isinstance(item, NoticeItem))
    made = (_unit(tuple(group), attachments) for _, group in groupby(spoken, step_of))
    return [unit for unit in made if unit is not None]


def flatten(units: Iterable[Unit]) -> list[Message]:
    """One message of a role after another: many chat templates refuse anything else.

    Of two replies without calls the later one stays, since it was asked for anew. Two
    messages of the user, one of which got no answer, become one.
    """
    told: list[Message] = []
    for unit in units:
        for message in unit.messages:
            last = told[-1] if told else None
            if last is None or last.role is not message.role or message.role is Role.TOOL:
                told.append(message)
            elif message.role is Role.USER:
                told[-1] = Message(Role.USER, f"{last.text}\n\n{message.text}")
            else:
                told[-1] = message
    return told


def step_of(item: Item) -> tuple[str, str, int]:
    """Items with the same value belong to one unit."""
    if isinstance(item, ReplyItem | ToolItem):
        return ("model", item.turn_id, item.step)
    return ("user", item.id, 0)


def result_text(item: ToolItem) -> str:
    """What the model reads as the result of a stored call, also of one that never ended."""
    if item.status in (CallStatus.OK, CallStatus.FAILED, CallStatus.DENIED):
        return item.output
    return item.output or _UNSETTLED_TEXT.get(item.status, "Not run.")


def size_of(messages: Iterable[Message]) -> int:
    """About what the messages weigh in a request, in bytes."""
    size = 0
    for message in messages:
        size += MESSAGE_BYTES + text_bytes(message.text)
        if message.tool_calls:
            size += _calls_bytes(message.tool_calls)
    return size


def text_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _calls_bytes(calls: Sequence[ToolCall]) -> int:
    return sum(2 * MESSAGE_BYTES + len(call.name) + _value_bytes(call.arguments) for call in calls)


def _value_bytes(value: Json) -> int:
    """About what a value weighs as JSON; several times faster than writing it."""
    if isinstance(value, str):
        return text_bytes(value) + 2
    if isinstance(value, dict | Mapping):
        return 2 + sum(len(key) + 4 + _value_bytes(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return 2 + sum(1 + _value_bytes(inner) for inner in value)
    return 6


def _unit(
    items: tuple[Item, ...], attachments: Mapping[AttachmentId, AttachmentRow]
) -> Unit | None:
    first = items[0]
    if isinstance(first, UserItem):
        messages: tuple[Message, ...] = (_user(first, attachments),)
    else:
        messages = tuple(_step(items))
    return Unit(messages, items, size_of(messages)) if messages else None


def _step(items: Sequence[Item]) -> list[Message]:
    if len(items) == 1 and isinstance(items[0], ReplyItem):
        return [Message(Role.ASSISTANT, items[0].text)] if items[0].text else []
    text = "".join(item.text for item in items if isinstance(item, ReplyItem))
    tools = [item for item in items if isinstance(item, ToolItem)]
    if not text and not tools:
        return []
    calls = tuple(ToolCall(i.call_id, i.name, i.arguments, echo=i.echo) for i in tools)
    answers = [Message(Role.TOOL, result_text(i), tool_call_id=i.call_id) for i in tools]
    return [Message(Role.ASSISTANT, text=text, tool_calls=calls), *answers]


def _user(item: UserItem, attachments: Mapping[AttachmentId, AttachmentRow]) -> Message:
    if not item.attachments:
        return Message(Role.USER, item.text)
    sent = [attachments[ref.id] for ref in item.attachments if ref.id in attachments]
    return Message(Role.USER, compose_message(item.text, [_document(row) for row in sent]))


def _document(row: AttachmentRow) -> DocumentText:
    return DocumentText(
        name=row.name, kind=row.kind, text=row.text, pages=row.pages, notes=row.notes
    )
