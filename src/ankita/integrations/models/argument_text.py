"""The arguments of a call as they come in, piece by piece, in time that grows with their length.

Pure. Whether they are whole is known without reading them again for every piece.
"""

from __future__ import annotations

import json
import math
import re
from enum import Enum
from typing import Any, NoReturn

_MARK = re.compile(r'["\\\[\]{}]')
_IN_TEXT = re.compile(r'["\\]')


class _Whole(Enum):
    OPEN = "open"
    YES = "yes"
    NEVER = "never"


class ArgumentText:
    """Text that may become one JSON object."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._depth = 0
        self._is_in_text = False
        self._is_escaped = False
        self._whole = _Whole.OPEN

    def add(self, piece: str) -> None:
        if not piece:
            return
        self._pieces.append(piece)
        if self._whole is _Whole.OPEN:
            self._follow(piece)
        elif piece.strip():
            self._whole = _Whole.NEVER

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return "".join(self._pieces)

    @property
    def is_whole(self) -> bool:
        """Nothing but one JSON object so far, with its end."""
        return self._whole is _Whole.YES

    def _follow(self, piece: str) -> None:
        at = 0
        while at < len(piece):
            if self._is_escaped:
                self._is_escaped = False
                at += 1
                continue
            mark = (_IN_TEXT if self._is_in_text else _MARK).search(piece, at)
            if mark is None:
                return
            at = mark.end()
            self._note(mark[0])
            if self._depth <= 0 and not self._is_in_text:
                self._end(piece[at:])
                return

    def _note(self, mark: str) -> None:
        if mark == "\\":
            self._is_escaped = self._is_in_text
        elif mark == '"':
            self._is_in_text = not self._is_in_text
        else:
            self._depth += 1 if mark in "{[" else -1

    def _end(self, rest: str) -> None:
        """The outermost value is over; the only time that the text is read as a whole."""
        is_object = not rest.strip() and isinstance(parsed_arguments(str(self)), dict)
        self._whole = _Whole.YES if is_object else _Whole.NEVER


def parsed_arguments(text: str) -> Any:
    """The value, or None when the text is not JSON that can be stored and sent again."""
    try:
        value = json.loads(text, parse_constant=_refuse_number, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair
    except (ValueError, RecursionError):
        return None
    return value


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")
