"""What of a long thread goes into one request: pure, and the same from turn to turn (ENG-6).

What is stored never changes. A unit of history (a user's message, or a reply with its
calls and results) is left out whole or kept; the newest stay. The place of the cut moves
seldom and far, so that the beginning of a request, and with it the server's cache, holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ankita.engine.history import Unit, flatten, size_of, text_bytes
from ankita.engine.left_out import digest_of, lost_pins
from ankita.engine.token_meter import TokenMeter
from ankita.messages import Json, Message, ToolCall

REPLY_SHARE, MOST_REPLY_TOKENS = 0.25, 4_096
"""What of the window is left for the reply."""

DIGEST_SHARE = 0.15
"""What of the window may be used to say what was left out."""

MARGIN = 0.05
"""What of the window is left alone, because counting is a guess."""

LEAST_HISTORY_SHARE = 0.2
FITTINGS = 3
"""How often the cut is moved for what must be said of the units before it."""
ROUNDING_TOKENS = 64
LEAST_TEXT_BYTES = 160
"""No text is shortened below this."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The history for one request.

    `digest` stands for the units that were left out, and for pins that the messages lack; it
    is empty when there is nothing of the kind.
    """

    messages: tuple[Message, ...]
    digest: str = ""
    left_out: int = 0
    is_shortened: bool = False


def fit(units: Sequence[Unit], fixed_size: int, meter: TokenMeter) -> Fitted:
    """The part of the history that fits beside `fixed_size` bytes of prompt and tools."""
    if meter.context_tokens is None:
        messages = tuple(flatten(units))
        return Fitted(messages, _with_pins("", units, messages))
    room, step = history_room(fixed_size, meter), meter.size(ROUNDING_TOKENS)
    allowed = meter.size(round(meter.context_tokens * DIGEST_SHARE))
    over = 0
    for _ in range(FITTINGS):
        cut, kept, is_shortened = _kept(units, max(room - over, step))
        messages = tuple(flatten(kept))
        digest = _with_pins(digest_of(units, cut, allowed), units[cut:], messages)
        more = text_bytes(digest) - allowed
        if more <= over:
            break
        # Pins and open work are said whatever they weigh; the history makes room for them.
        over = -(-more // step) * step
    return Fitted(messages, digest, cut, is_shortened)


def _with_pins(digest: str, units: Sequence[Unit], messages: Sequence[Message]) -> str:
    """With the pins that were shortened, or in a partial reply that another one replaced."""
    lost = lost_pins(units, [message.text for message in messages])
    return "\n".join([digest, *lost] if digest else lost)


def history_room(fixed_size: int, meter: TokenMeter) -> int:
    """Bytes for the history, in steps, so that a longer date does not move the cut."""
    context = meter.context_tokens or 0
    reply = min(MOST_REPLY_TOKENS, context * REPLY_SHARE)
    free = context * (1 - MARGIN - DIGEST_SHARE) - reply - meter.tokens(fixed_size)
    tokens = max(free, context * LEAST_HISTORY_SHARE)
    return meter.size(int(tokens // ROUNDING_TOKENS) * ROUNDING_TOKENS)


def _kept(units: Sequence[Unit], room: int) -> tuple[int, list[Unit], bool]:
    """Where the kept units begin, and these units, none larger than half the room."""
    largest = room // 2
    cut = _cut([min(unit.size, largest) for unit in units], room)
    kept = [shortened(unit, largest) for unit in units[cut:]]
    return cut, kept, any(new is not old for new, old in zip(kept, units[cut:], strict=True))


def _cut(sizes: Sequence[int], room: int) -> int:
    """The first unit that is kept. A history that only grew keeps its cut until it is full.

    When the room is full, half of it is freed at once.
    """
    cut, total = 0, 0
    for index, size in enumerate(sizes):
        total += size
        if total > room:
            while total > room // 2 and cut < index:
                total -= sizes[cut]
                cut += 1
    return cut


def shortened(unit: Unit, largest: int) -> Unit:
    """The unit with its long texts cut in the middle until it weighs at most `largest` bytes."""
    if unit.size <= largest:
        return unit
    texts = sorted(
        len(text) for m in unit.messages for text in (m.text, *_strings_of(m.tool_calls))
    )
    fixed = unit.size - sum(texts)
    limit = max(LEAST_TEXT_BYTES, _common_limit(texts, largest - fixed))
    messages = tuple(_cut_message(message, limit) for message in unit.messages)
    return replace(unit, messages=messages, size=size_of(messages))


def _strings_of(value: object) -> Iterator[str]:
    """The strings in the arguments of calls, whatever they are nested in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, ToolCall):
        yield from _strings_of(value.arguments)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings_of(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _strings_of(inner)


def _common_limit(lengths: Sequence[int], room: int) -> int:
    """The longest length to which all may be cut so that together they fit into `room`."""
    left = max(0, room)
    for place, length in enumerate(lengths):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return lengths[-1] if lengths else 0


def _cut_message(message: Message, limit: int) -> Message:
    calls = tuple(
        replace(c, arguments=_cut_strings(c.arguments, limit)) for c in message.tool_calls
    )
    return replace(message, text=_cut_text(message.text, limit), tool_calls=calls)


def _cut_strings(value: Json, limit: int) -> Json:
    if isinstance(value, str):
        return _cut_text(value, limit)
    if isinstance(value, Mapping):
        return {key: _cut_strings(inner, limit) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cut_strings(inner, limit) for inner in value]
    return value


def _cut_text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    missing = len(text) - head - tail
    said = f"\n[… {missing} characters are left out here to fit the model's window …]\n"
    return text[:head] + said + text[-tail:]
