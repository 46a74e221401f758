"""What a broken turn had done already, so that trying again does not do it twice (ENG-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ankita.memory.transcript import CallStatus, Item, ToolItem, UserItem
from ankita.messages import Effect, JsonObject
from ankita.security.canonical import NotCanonicalError, digest

Receipts = Mapping[str, ToolItem]
"""By `call_key`: the changing calls that ran, or of which it is not known."""

MOST_ACTS, MOST_CHARACTERS = 5, 100
"""How many acts are named when a turn was stopped, and how long each may be."""

_DONE = "Not run again: this was done already before the reply broke off. Its result was:\n"
_OPEN = (
    "Not run again: this had begun before the reply broke off, and its outcome is uncertain."
    " Check it, and ask the user before doing it anew."
)


def receipts_of(items: Sequence[Item]) -> Receipts:
    """The receipts since the message of the user that began the newest work.

    A message that went into a running turn began none.
    """
    found: dict[str, ToolItem] = {}
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if isinstance(item, UserItem) and not _is_steering(items, place):
            break
        if isinstance(item, ToolItem) and item.effect is Effect.CHANGES and has_receipt(item):
            found.setdefault(call_key(item.name, item.arguments), item)
    return found


def _is_steering(items: Sequence[Item], place: int) -> bool:
    return place > 0 and items[place - 1].turn_id == items[place].turn_id


def has_receipt(item: ToolItem) -> bool:
    """Whether the act may have happened: done, uncertain, or stopped while it ran."""
    was_admitted = item.seconds is not None
    return item.status in (CallStatus.OK, CallStatus.UNCERTAIN) or (
        item.status is CallStatus.STOPPED and was_admitted
    )


def said_again(receipt: ToolItem) -> str:
    """What the model reads instead of a second run."""
    return _DONE + receipt.output if receipt.status is CallStatus.OK else _OPEN


def call_key(name: str, arguments: JsonObject) -> str:
    """The same for the same act, however its arguments are written."""
    try:
        return digest({"name": name, "arguments": arguments})
    except NotCanonicalError:
        return f"{name} {arguments!r}"


def stopped_words(changes: Sequence[ToolItem]) -> str:
    """What is said when a turn was stopped: what its changing calls had done by then."""
    done = [_act(item) for item in changes if item.status is CallStatus.OK]
    open_ = [
        _act(item)
        for item in changes
        if item.status is CallStatus.UNCERTAIN
        or (item.status is CallStatus.STOPPED and item.seconds is not None)
    ]
    words = ["Stopped."]
    if done:
        words.append(f"Done before that: {_listed(done)}.")
    if open_:
        words.append(f"Begun, and ended part-way: {_listed(open_)}.")
    return " ".join(words)


def _act(item: ToolItem) -> str:
    words = " ".join(f"{item.title} {item.target}".split())
    return words if len(words) <= MOST_CHARACTERS else words[: MOST_CHARACTERS - 1] + "…"


def _listed(acts: Sequence[str]) -> str:
    shown = ", ".join(acts[:MOST_ACTS])
    return shown if len(acts) <= MOST_ACTS else f"{shown} and {len(acts) - MOST_ACTS} more"
