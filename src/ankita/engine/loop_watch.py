"""Notices that a turn goes in circles: the same call with the same result, again (ENG-11)."""

from __future__ import annotations

from collections import Counter

from ankita.engine.limits import SAME_RESULTS
from ankita.engine.receipts import call_key
from ankita.messages import ToolCall


class LoopWatch:
    """Counts for one turn. A circle over several calls shows as each of them repeating.

    A change that was not made before is progress: what was read until then may be read
    again.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, int]] = Counter()
        self._reads: set[tuple[str, int]] = set()

    def is_circling(self, call: ToolCall, result: str, *, changes: bool) -> bool:
        """Note a call with its result; True at the third identical pair."""
        pair = (call_key(call.name, call.arguments), hash(result))
        if not changes:
            self._reads.add(pair)
        elif pair not in self._seen:
            self._forget_reads()
        self._seen[pair] += 1
        return self._seen[pair] >= SAME_RESULTS

    def forget(self) -> None:
        """The user said something new; what was in vain before may be right now."""
        self._seen.clear()
        self._reads.clear()

    def _forget_reads(self) -> None:
        for pair in self._reads:
            del self._seen[pair]
        self._reads.clear()
