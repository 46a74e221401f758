"""Decodes the inside of a JSON text that comes in pieces. Pure.

Lenient, because the result is only shown: a raw line break stays one, an escape that
JSON does not know stays as it is, half a surrogate pair becomes U+FFFD.
"""

from __future__ import annotations

_SIMPLE = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_HEX = frozenset("0123456789abcdefABCDEF")
_BAD = "\ufffd"


class JsonText:
    """Fed with what follows the opening quote. After the closing one `is_over` is true
    and `rest` holds what came after it.
    """

    def __init__(self) -> None:
        self.is_over = False
        self.rest = ""
        self._escape = ""
        self._high = ""
        """The first half of a pair whose second half may follow."""

    def feed(self, piece: str) -> str:
        """The characters that are certain now."""
        shown: list[str] = []
        at = 0
        while at < len(piece) and not self.is_over:
            if self._escape:
                shown.append(self._continue_escape(piece[at]))
                at += 1
            else:
                end = _next_mark(piece, at)
                if end > at:
                    shown.append(self._plain(piece[at:end]))
                at = end + 1
                shown.append(self._mark(piece[end : end + 1]))
        if self.is_over:
            self.rest += piece[at:]
        return "".join(shown)

    def close(self) -> str:
        """What is left of a text that was cut off: never half an escape."""
        self._escape = ""
        return self._end_pair()

    def _mark(self, mark: str) -> str:
        if mark == '"':
            self.is_over = True
            return self._end_pair()
        if mark:
            self._escape = mark
        return ""

    def _continue_escape(self, letter: str) -> str:
        escape = self._escape + letter
        if escape == "\\u" or (len(escape) < 6 and escape[1] == "u" and letter in _HEX):
            self._escape = escape
            return ""
        self._escape = ""
        if escape[1] == "u" and letter in _HEX:
            return self._unit(chr(int(escape[2:], 16)))
        if len(escape) == 2 and letter in _SIMPLE:
            return self._plain(_SIMPLE[letter])
        if letter in ('"', "\\"):  # It ends a broken escape and means what it always does.
            return self._plain(escape[:-1]) + self._mark(letter)
        return self._plain(escape)

    def _unit(self, unit: str) -> str:
        if "\ud800" <= unit <= "\udbff":
            before = self._end_pair()
            self._high = unit
            return before
        if not "\udc00" <= unit <= "\udfff":
            return self._plain(unit)
        high, self._high = self._high, ""
        if not high:
            return _BAD
        return (high + unit).encode("utf-16-le", "surrogatepass").decode("utf-16-le")

    def _plain(self, text: str) -> str:
        return self._end_pair() + text

    def _end_pair(self) -> str:
        high, self._high = self._high, ""
        return _BAD if high else ""


def _next_mark(piece: str, start: int) -> int:
    """Where the next quote or backslash stands, or the end."""
    places = (piece.find(mark, start) for mark in ('"', "\\"))
    return min((place for place in places if place >= 0), default=len(piece))
