"""Reads a reply in JSON-action mode while it streams: answers at once, calls when whole. Pure.

The text of an answer goes on as it comes. What may become a call is kept back until
the reply has ended, and is a call only when the whole reply is exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import regex

from ankita.integrations.models.action_check import (
    MAX_ACTION_CHARACTERS,
    Answered,
    WantedCall,
    read_action,
)
from ankita.integrations.models.json_text import JsonText
from ankita.messages import ToolSpec

_GAP = r"[ \t\r\n]{0,64}"
"""Bounded, so that what is kept back stays short and how the reply is cut changes nothing."""
_FENCE = _GAP + r"(?:```(?:json|JSON)?[ \t]{0,8}\r?\n" + _GAP + ")?"
_FIRST = _FENCE + r"\{" + _GAP
_ANSWER = regex.compile(
    _FIRST + _GAP.join(["", '"tool"', ":", '"none"', ",", '"reply"', ":", '"']).removeprefix(_GAP)
)
_ACTION = regex.compile(_FIRST + '"(?:tool|arguments|reply)"' + _GAP + ":")
_ENDING = regex.compile(_GAP + r"\}" + _GAP + "(?:```" + _GAP + ")?")
_BRACE = regex.compile(_GAP + r"\}")


class _Place(Enum):
    HEAD = "head"
    ANSWER = "answer"
    TAIL = "tail"
    ACTION = "action"
    TEXT = "text"


class ActionReader:
    """One reply. `feed` and `close` give visible text; `close` may give a call instead."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = tools
        self._place = _Place.HEAD
        self._kept = ""
        self._parts: list[str] = []
        self._size = 0
        self._answer = JsonText()

    def feed(self, text: str) -> str:
        """The text that can be shown now."""
        match self._place:
            case _Place.TEXT:
                return text
            case _Place.ANSWER:
                return self._read_answer(text)
            case _Place.ACTION:
                return self._keep(text)
            case _Place.TAIL:
                self._kept += text
                return self._read_tail()
            case _Place.HEAD:
                self._kept += text
                return self._read_head()

    def close(self, *, is_whole: bool) -> str | WantedCall:
        """The rest. `is_whole`: the reply ended by itself, so that it may be a call."""
        place, self._place = self._place, _Place.TEXT
        if place is _Place.ANSWER:
            return self._answer.close()
        if place is _Place.TAIL:
            return ""
        text = self._kept + "".join(self._parts)
        self._kept, self._parts = "", []
        action = read_action(text, self._tools) if is_whole and place is _Place.ACTION else None
        if isinstance(action, WantedCall):
            return action
        return action.reply if isinstance(action, Answered) else text

    def _read_head(self) -> str:
        answer = _ANSWER.match(self._kept, partial=True)
        if answer is not None and not answer.partial:
            rest = self._kept[answer.end() :]
            self._kept, self._place = "", _Place.ANSWER
            return self._read_answer(rest)
        action = _ACTION.match(self._kept, partial=True)
        if answer is None and action is None:
            return self._all_as_text()
        if answer is None and action is not None and not action.partial:
            text, self._kept, self._place = self._kept, "", _Place.ACTION
            return self._keep(text)
        return ""

    def _keep(self, text: str) -> str:
        self._parts.append(text)
        self._size += len(text)
        return self._all_as_text() if self._size > MAX_ACTION_CHARACTERS else ""

    def _read_answer(self, text: str) -> str:
        shown = self._answer.feed(text)
        if not self._answer.is_over:
            return shown
        self._place = _Place.TAIL
        self._kept = self._answer.rest
        return shown + self._read_tail()

    def _read_tail(self) -> str:
        """What follows the answer: nothing but the end of the object, or else text."""
        if _ENDING.fullmatch(self._kept, partial=True):
            return ""
        brace = _BRACE.match(self._kept)
        self._kept = self._kept[brace.end() :] if brace else self._kept
        return self._all_as_text()

    def _all_as_text(self) -> str:
        text = self._kept + "".join(self._parts)
        self._kept, self._parts, self._place = "", [], _Place.TEXT
        return text
