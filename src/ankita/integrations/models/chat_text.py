"""Tells the answer from the thinking in streamed text. Pure.

Some servers leave a model's thinking in the text, inside a leading `<think>` block.
Only a block at the very start counts; later the words are just text.
"""

from __future__ import annotations

from enum import Enum

from ankita.messages import ModelEvent, ReasoningDelta, TextDelta

_OPEN = "<think>"
_CLOSE = "</think>"


class _Place(Enum):
    START = "start"
    THINKING = "thinking"
    GAP = "gap"
    ANSWER = "answer"


class ReplyText:
    """Collects both kinds of text of one reply and gives them as events, in order."""

    def __init__(self) -> None:
        self._thoughts = _SurrogateJoiner()
        self._answer = _SurrogateJoiner()
        self._splitter = _ThinkSplitter()

    def think(self, text: str) -> list[ModelEvent]:
        """Text that the server itself marks as thinking."""
        whole = self._thoughts.feed(text)
        return [ReasoningDelta(whole)] if whole else []

    def say(self, text: str) -> list[ModelEvent]:
        """Text of the answer, which may begin with a block of thinking."""
        whole = self._answer.feed(text)
        return [*self._splitter.feed(whole)] if whole else []

    def close(self) -> list[ModelEvent]:
        """What was held back, now that nothing follows. A second call gives nothing."""
        thought = self._thoughts.close()
        events: list[ModelEvent] = [ReasoningDelta(thought)] if thought else []
        rest = self._answer.close()
        if rest:
            events += self._splitter.feed(rest)
        return events + self._splitter.close()


class _SurrogateJoiner:
    """Joins a character that a server split into two JSON escapes.

    Half a pair that never gets its other half becomes U+FFFD.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held, text = text[-1], text[:-1]
        return _whole(text)

    def close(self) -> str:
        rest, self._held = self._held, ""
        return _whole(rest)


class _ThinkSplitter:
    """Splits text into answer and thinking, whatever the cuts between the pieces."""

    def __init__(self) -> None:
        self._place = _Place.START
        self._held = ""

    def feed(self, text: str) -> list[ModelEvent]:
        """What can be said for certain so far; the rest is held back."""
        self._held += text
        deltas: list[ModelEvent] = []
        if self._place is _Place.START:
            self._at_start()
        if self._place is _Place.THINKING:
            self._in_thinking(deltas)
        if self._place is _Place.GAP:
            self._held = self._held.lstrip()
            if self._held:
                self._place = _Place.ANSWER
        if self._place is _Place.ANSWER and self._held:
            deltas.append(TextDelta(self._held))
            self._held = ""
        return deltas

    def close(self) -> list[ModelEvent]:
        """What was held back, now that nothing follows."""
        held, self._held = self._held, ""
        if not held or self._place is _Place.GAP:
            return []
        return [ReasoningDelta(held) if self._place is _Place.THINKING else TextDelta(held)]

    def _at_start(self) -> None:
        seen = self._held.lstrip()
        if seen.startswith(_OPEN):
            self._place = _Place.THINKING
            self._held = seen.removeprefix(_OPEN)
        elif not _OPEN.startswith(seen):
            self._place = _Place.ANSWER

    def _in_thinking(self, deltas: list[ModelEvent]) -> None:
        thought, closing, rest = self._held.partition(_CLOSE)
        if closing:
            self._place = _Place.GAP
            self._held = rest
        else:
            keep = _overlap(thought, _CLOSE)
            self._held = thought[len(thought) - keep :]
            thought = thought[: len(thought) - keep]
        if thought:
            deltas.append(ReasoningDelta(thought))


def _overlap(text: str, mark: str) -> int:
    """How many characters at the end of `text` may be the beginning of `mark`."""
    lengths = range(min(len(text), len(mark) - 1), 0, -1)
    return next((length for length in lengths if text.endswith(mark[:length])), 0)


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
