"""Walks through the bytes of a GGUF header; no number in the file is believed before its check.

Pure. A length that leads past the end raises before anything of that length is made.
"""

from __future__ import annotations

import struct
from typing import Final

from ankita.messages import Json

MAX_VALUES: Final = 3_000_000
"""Texts in all lists together; the largest vocabularies have about a million."""

MAX_KEPT_NUMBERS: Final = 1_024
"""A list of numbers longer than this is skipped; one for each layer is shorter."""

MAX_KEPT_IN_ALL: Final = 65_536
"""Numbers of all kept lists together; the lists after that are skipped too."""

_MAX_KEY_BYTES: Final = 65_535
_FORMATS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?"}
_WIDE_FORMATS: Final = {10: "Q", 11: "q", 12: "d"}
_NUMBERS: Final = {
    kind: struct.Struct(f"<{letter}") for kind, letter in (_FORMATS | _WIDE_FORMATS).items()
}
_TEXT, _LIST = 8, 9
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")


class MalformedHeaderError(ValueError):
    """The bytes are not a GGUF header. The text is for the log."""


class HeaderEndsError(MalformedHeaderError):
    """The bytes end before the header does."""


class Cursor:
    """Reads forward through `data`. Every method raises MalformedHeaderError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._values_left = MAX_VALUES
        self._numbers_left = MAX_KEPT_IN_ALL
        self.position = 0

    def u32(self) -> int:
        return int(self._unpack(_U32))

    def u64(self) -> int:
        return int(self._unpack(_U64))

    def text(self, *, limit: int | None = None) -> str:
        """A text; bytes that are not UTF-8 are replaced. Longer than `limit` is malformed."""
        length = self.u64()
        if limit is not None and length > limit:
            raise MalformedHeaderError(f"a text of {length} bytes")
        start = self._skip(length)
        return self._data[start : self.position].decode("utf-8", errors="replace")

    def key(self) -> str:
        return self.text(limit=_MAX_KEY_BYTES)

    def value(self) -> Json:
        """A value with its kind in front: a number, a text, a short list of numbers, or None.

        None stands for every other list; it is passed over.
        """
        kind = self.u32()
        if kind == _TEXT:
            return self.text()
        return self._list() if kind == _LIST else self._unpack(_number(kind))

    def _list(self) -> list[Json] | None:
        kind, count = self.u32(), self.u64()
        if kind == _TEXT:
            self._skip_texts(count)
            return None
        number = _number(kind)
        if count > MAX_KEPT_NUMBERS or count > self._numbers_left:
            self._skip(count * number.size)
            return None
        self._numbers_left -= count
        return [self._unpack(number) for _ in range(count)]

    def _skip_texts(self, count: int) -> None:
        self._values_left -= count
        if self._values_left < 0:
            raise MalformedHeaderError(f"a list of {count} texts")
        for _ in range(count):
            self._skip(self.u64())

    def _unpack(self, number: struct.Struct) -> Json:
        return number.unpack_from(self._data, self._skip(number.size))[0]

    def _skip(self, length: int) -> int:
        """Step over `length` bytes; returns where they began."""
        start = self.position
        if length > len(self._data) - start:
            raise HeaderEndsError(f"{length} bytes are wanted at {start}")
        self.position = start + length
        return start


def _number(kind: int) -> struct.Struct:
    if kind not in _NUMBERS:
        raise MalformedHeaderError(f"a value of the unknown kind {kind}")
    return _NUMBERS[kind]
