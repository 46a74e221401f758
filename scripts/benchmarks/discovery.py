"""How long one look for model servers takes on a machine where much goes on."""

from __future__ import annotations

import asyncio
import statistics

from benchmarks.measures import Measure, Part
from tests.servers.crowded_ports import look_at_crowded_ports

MOST_MILLISECONDS = 500.0
SERVERS = 2


def measure(runs: int) -> Part:
    """Ten ports: two model servers, six bad listeners, a web site, nobody."""
    taken = [asyncio.run(_look()) for _ in range(runs)]
    what = "ten ports, two model servers among them"
    figure = Measure(what, statistics.median(taken), "ms", MOST_MILLISECONDS, max(taken))
    return Part("A look for model servers", (figure,))


async def _look() -> float:
    seconds, found = await look_at_crowded_ports()
    if len(found) != SERVERS:
        raise SystemExit(f"bench: {len(found)} of {SERVERS} servers were found")
    return seconds * 1000
