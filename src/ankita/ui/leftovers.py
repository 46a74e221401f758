"""Ends what is left of this process's children when the app quits."""

from __future__ import annotations

import contextlib

TERM_SECONDS = 1.0
KILL_SECONDS = 2.0


def end_children() -> int:
    """End every process below this one that is still there; how many there were.

    The engine ends its own work; this is for what a failed or late stop left behind.
    """
    import psutil

    children = psutil.Process().children(recursive=True)
    for child in children:
        with contextlib.suppress(psutil.Error):
            child.terminate()
    _, alive = psutil.wait_procs(children, timeout=TERM_SECONDS)
    for child in alive:
        with contextlib.suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(alive, timeout=KILL_SECONDS)
    return len(children)
