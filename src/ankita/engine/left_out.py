"""What is said in place of the older part of a thread: never a pin, a rule or open work less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ankita.engine.history import Unit, text_bytes
from ankita.engine.plan import PLAN
from ankita.engine.state import PlanStep
from ankita.memory.transcript import CallStatus, Item, ReplyItem, ToolItem, UserItem
from ankita.messages import Effect, Message

LINE_CHARACTERS = 160

_OPEN = {
    CallStatus.WAITING: "waits",
    CallStatus.ASKING: "waits for the user's yes; not run",
    CallStatus.RUNNING: "is running",
    CallStatus.PARKED: "the user said “not now”; not run, do not repeat it",
    CallStatus.UNCERTAIN: "its outcome is UNCERTAIN; do not repeat it, check first",
}
"""Calls that must never be forgotten."""

_SETTLED = {
    CallStatus.OK: "done",
    CallStatus.FAILED: "failed",
    CallStatus.DENIED: "denied by the user",
    CallStatus.STOPPED: "stopped; a part of it may have happened",
}


def digest_of(units: Sequence[Unit], cut: int, room: int) -> str:
    """The words for units[:cut]; "" when nothing is left out. `room` in bytes.

    Pinned messages, the request that is being worked on and open work are always said,
    whatever the room; of the rest, the newest lines as far as they fit.
    """
    if cut == 0:
        return ""
    must = list(_must(units, cut))
    head = (
        f"The older part of this conversation ({cut} messages and steps) is left out here; the"
        " user can still see it. What has to be known of it:"
    )
    used = text_bytes(head) + sum(text_bytes(line) + 1 for line in must)
    return "\n".join([head, *must, *_newest(units[:cut], room - used)])


def lost_pins(units: Sequence[Unit], said: Sequence[str]) -> list[str]:
    """The words for pinned messages of these units that none of the texts holds as a whole."""
    pinned = [
        item for item in _items(units) if isinstance(item, UserItem | ReplyItem) and item.is_pinned
    ]
    return [_pin(item) for item in pinned if not any(item.text in text for text in said)]


def _pin(item: UserItem | ReplyItem) -> str:
    who = "user" if isinstance(item, UserItem) else "assistant"
    return f"- Pinned by the user ({who} wrote): {item.text}"


def _must(units: Sequence[Unit], cut: int) -> Iterator[str]:
    for item in _items(units[:cut]):
        if isinstance(item, UserItem | ReplyItem) and item.is_pinned:
            yield _pin(item)
        elif isinstance(item, ToolItem) and item.status in _OPEN:
            yield f"- {_act(item)}: {_OPEN[item.status]}."
    asked = [place for place in _asked(units) if place < cut]
    for place in dict.fromkeys([*asked[:1], *asked[-1:]]):
        yield f"- The user's request that is being worked on: {_request(units[place])}"


def _asked(units: Sequence[Unit]) -> list[int]:
    """Where the message that began the present work is, and those sent while it went on."""
    places: list[int] = []
    for place in range(len(units) - 1, -1, -1):
        item = units[place].items[0]
        if isinstance(item, UserItem):
            places.append(place)
            if place == 0 or units[place - 1].items[-1].turn_id != item.turn_id:
                break
    return places[::-1]


def _request(unit: Unit) -> str:
    item = unit.items[0]
    text = item.text if isinstance(item, UserItem) else unit.messages[0].text
    return text if len(text) <= 10 * LINE_CHARACTERS else text[: 10 * LINE_CHARACTERS] + "…"


def _newest(units: Sequence[Unit], room: int) -> list[str]:
    lines: list[str] = []
    for item in reversed(list(_items(units))):
        line = _line(item)
        if not line:
            continue
        room -= text_bytes(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def _line(item: Item) -> str:
    if isinstance(item, UserItem) and not item.is_pinned and item.text.strip():
        return f"- The user wrote: {_one_line(item.text)}"
    if isinstance(item, ToolItem) and item.effect is Effect.CHANGES and item.status in _SETTLED:
        return f"- {_act(item)}: {_SETTLED[item.status]}."
    return ""


def _act(item: ToolItem) -> str:
    return _one_line(f"{item.title} {item.target}".strip())


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LINE_CHARACTERS else words[: LINE_CHARACTERS - 1] + "…"


def _items(units: Sequence[Unit]) -> Iterator[Item]:
    return (item for unit in units for item in unit.items)


def lost_plan(steps: Sequence[PlanStep], sent: Sequence[Message]) -> list[str]:
    """The to-do list, where the call that made it is no longer part of the request.

    It changes with such a call alone, so that the beginning of the request holds.
    """
    calls = (call for message in sent for call in message.tool_calls)
    if not steps or any(call.name == PLAN.name for call in calls):
        return []
    return ["Your to-do list:", *(f"- [{step.status}] {step.text}" for step in steps)]
