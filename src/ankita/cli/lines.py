"""How things look as lines of text in a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import datetime

from ankita.engine.actions import Surface, actions_on, find_action, suggest
from ankita.engine.state import (
    AttachmentState,
    AttachmentStatus,
    DecisionState,
    OfferedModel,
    PendingApproval,
    PlanStep,
    ServerOffer,
    StepStatus,
)
from ankita.memory.transcript import Item, NoticeItem, ReplyItem, ToolItem, UserItem
from ankita.messages import ModelInfo

OUTPUT_CHARACTERS = 400
MESSAGE_CHARACTERS = 72
_TURNS_ORDER = frozenset([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Characters that show the rest of a line in another order."""


def printable(text: str) -> str:
    """The text without control characters that could drive the terminal or turn its order."""
    text = text.replace("\r\n", "\n")
    return "".join(f"⟨U+{ord(ch):04X}⟩" if _drives(ch) else ch for ch in text)


def _drives(ch: str) -> bool:
    if ch in "\n\t":
        return False
    return unicodedata.category(ch) in ("Cc", "Cs") or ord(ch) in _TURNS_ORDER


def item_line(item: Item) -> str:
    match item:
        case UserItem():
            names = "".join(f" [{ref.name}]" for ref in item.attachments)
            return f"> {item.text}{names}"
        case ReplyItem():
            return item.text
        case NoticeItem():
            return f"! {item.text}"
        case ToolItem():
            return _tool_line(item)


def approval_lines(approval: PendingApproval) -> Iterator[str]:
    put_off = " · put off" if approval.parked_at else ""
    yield f"? {approval.act.title()} · {approval.verdict.reason}{put_off}"
    for label, value in approval.act.fields:
        # A value's own lines stand deeper, so that none looks like another argument.
        first, *more = value.split("\n")
        yield f"    {label}: {first}"
        yield from (f"      | {line}" for line in more)


def decision_line(decision: DecisionState) -> str:
    answered_by = decision.answered_by
    by_person = answered_by in ("terminal", "window", "island")
    who = f" by you on the {answered_by}" if by_person else ""
    why = "" if by_person or not answered_by else f" ({answered_by})"
    at = datetime.fromisoformat(decision.at).astimezone()
    return (
        f"{at:%H:%M} {decision.title} {decision.target} · {decision.outcome}{who}{why}"
        f" · {decision.reason}"
    )


def help_lines(name: str) -> Iterator[str]:
    """Help on one command, or the list of all."""
    if name:
        action = find_action(name.lstrip("/"), Surface.TERMINAL)
        if action is None:
            yield unknown_command(name.lstrip("/"))
        else:
            yield f"{action.usage()}: {action.summary}"
        return
    for action in actions_on(Surface.TERMINAL):
        yield f"{action.usage():24} {action.summary}"
    yield "Ctrl+C stops the reply that is being worked on. What you type meanwhile is queued."


def unknown_command(name: str) -> str:
    """That there is no such command, and what may have been meant."""
    near = suggest(name, Surface.TERMINAL)
    hint = f" Did you mean /{near[0]}?" if near else " /commands lists them."
    return f"There is no command /{name}.{hint}"


def answering_words(info: ModelInfo | None) -> str:
    """Who answers, in a few words."""
    return info.label if info else "no model"


def attachment_lines(attachment: AttachmentState) -> Iterator[str]:
    """What became of reading a file."""
    if attachment.status is AttachmentStatus.FAILED:
        yield f"{attachment.name}: {attachment.reason}"
        return
    pages = f" · {attachment.pages} pages" if attachment.pages else ""
    yield f"{attachment.name} · {attachment.kind}{pages}: goes with your message."
    for note in attachment.notes:
        yield f"  {note}"


def offer_lines(number: int, offer: ServerOffer) -> Iterator[str]:
    """A server that was found, with its models."""
    note = f" · {offer.note}" if offer.note else ""
    key = " · wants a key" if offer.needs_key and not offer.note else ""
    yield f"{number:3} {offer.kind} at {offer.base_url}{note}{key}"
    for model in offer.models:
        yield f"      {_model_words(model)}"


def plan_line(step: PlanStep) -> str:
    return f"[{_MARKS[step.status]}] {step.text}"


def message_line(number: int, item: UserItem | ReplyItem) -> str:
    """A message in short, with its number and whether it is pinned."""
    text = _in_short(item.text, MESSAGE_CHARACTERS)
    sign = ">" if isinstance(item, UserItem) else " "
    return f"{number:3} {'pinned' if item.is_pinned else '      '} {sign} {text}"


_MARKS = {
    StepStatus.TODO: " ",
    StepStatus.DOING: ">",
    StepStatus.DONE: "x",
    StepStatus.DROPPED: "-",
}


def _model_words(model: OfferedModel) -> str:
    tokens = f" · {model.context_tokens:,} tokens" if model.context_tokens else ""
    tools = " · without tools" if model.has_tools is False else ""
    return f"{model.name}{tokens}{tools}"


def _in_short(text: str, characters: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def _tool_line(item: ToolItem) -> str:
    output = _in_short(item.output, OUTPUT_CHARACTERS)
    took = "" if item.seconds is None else f" · {item.seconds:.1f} s"
    return f"· {item.title} {item.target} · {item.status}{took} · {item.why}\n    {output}"
