"""How things look as lines of text in a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import datetime

from ankita.engine.actions import Surface, actions_on, find_action, suggest
from ankita.engine.state import DecisionState, PendingApproval
from ankita.memory.transcript import Item, NoticeItem, ReplyItem, ToolItem, UserItem

OUTPUT_CHARACTERS = 400
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
    yield f"? {approval.act.title()} · {approval.verdict.reason}"
    for label, value in approval.act.fields:
        yield f"    {label}: {value}"


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
            near = suggest(name.lstrip("/"), Surface.TERMINAL)
            yield f"There is no command {name}." + (f" Did you mean /{near[0]}?" if near else "")
        else:
            yield f"{action.usage()}: {action.summary}"
        return
    for action in actions_on(Surface.TERMINAL):
        yield f"{action.usage():24} {action.summary}"
    yield "Ctrl+C stops the reply that is being worked on."


def _tool_line(item: ToolItem) -> str:
    output = " ".join(item.output.split())
    if len(output) > OUTPUT_CHARACTERS:
        output = output[: OUTPUT_CHARACTERS - 1] + "…"
    took = "" if item.seconds is None else f" · {item.seconds:.1f} s"
    return f"· {item.title} {item.target} · {item.status}{took} · {item.why}\n    {output}"
