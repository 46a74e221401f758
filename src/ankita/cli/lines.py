"""How things look as lines of text in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ankita.engine.actions import Surface, actions_on, find_action, suggest
from ankita.engine.state import DecisionState, PendingApproval
from ankita.memory.transcript import Item, NoticeItem, ReplyItem, ToolItem, UserItem

OUTPUT_CHARACTERS = 400


def printable(text: str) -> str:
    """The text without control characters that could drive the terminal."""
    return "".join(ch if ch in "\n\t" or ch.isprintable() else f"⟨U+{ord(ch):04X}⟩" for ch in text)


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
    who = f" by you on the {decision.answered_by}" if decision.answered_by else ""
    return (
        f"{decision.at[11:16]} {decision.title} {decision.target} · {decision.outcome}{who}"
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
