"""The hash chain over recorded decisions: an edit, a gap or a swap shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ankita.messages import JsonObject
from ankita.security.canonical import NotCanonicalError, digest

GENESIS = "0" * 64
"""What the first record follows."""


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A record as stored, with the hash stored beside it."""

    record: JsonObject
    hash: str


def chain_hash(previous: str, record: JsonObject) -> str:
    """The hash that binds a record to all before it. Raises NotCanonicalError."""
    return digest({"previous": previous, "record": record})


def verify_chain(
    rows: Iterable[ChainRow], *, start: str = GENESIS, head: str | None = None
) -> int | None:
    """The index of the first row that does not fit, or None.

    A chain alone can't show that its newest rows were cut off. With `head`, the last
    hash as kept elsewhere, that shows too: the index is then the number of rows.
    """
    previous = start
    count = 0
    for index, row in enumerate(rows):
        try:
            expected = chain_hash(previous, row.record)
        except NotCanonicalError:
            return index
        if row.hash != expected:
            return index
        previous = expected
        count = index + 1
    return count if head is not None and head != previous else None
