"""Runs one agent loop whenever it is asked to: a line in, a line of JSON with the time out.

Each contender is a process of its own that has loaded everything before its first run.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable

ASKED = "loop"
"""What the user says; the mock server answers it with 20 calls and then with words."""

Run = Callable[[], Awaitable[int]]
"""Goes through the loop once and gives how many calls its tool got."""


def serve(run: Run) -> None:
    """Until standard input ends. One event loop for all runs, as in an app."""
    with asyncio.Runner() as runner:
        for _ in sys.stdin:
            started = time.perf_counter()
            calls = runner.run(_counted(run))
            took = (time.perf_counter() - started) * 1000
            print(json.dumps({"ms": took, "calls": calls}), flush=True)


async def _counted(run: Run) -> int:
    return await run()


class Folder:
    """The trivial tool: it only counts."""

    def __init__(self) -> None:
        self.calls = 0

    def list_folder(self, path: str) -> str:
        """List a folder."""
        self.calls += 1
        return f"{path} is empty."
