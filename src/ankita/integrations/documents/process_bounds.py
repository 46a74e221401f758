"""What differs between the systems in starting, bounding and ending a child process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final

from ankita.integrations.documents.limits import DocumentLimits

SYSTEM_BOUNDS_MEMORY: Final = sys.platform != "win32"
"""False where the parent must watch the child's memory itself."""

NICENESS: Final = 5
"""A reading yields to the windows and to the engine."""

FIRST_WINDOWS_FAULT: Final = 0x80000000

_KEPT_VARIABLES: Final = frozenset(
    {
        *("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH"),
        *("HOME", "LANG", "LC_ALL", "TMPDIR"),
        *("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    }
)


def small_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter needs to start and nothing else, so no key reaches the child."""
    return {name: value for name, value in environment.items() if name.upper() in _KEPT_VARIABLES}


def spawn_options() -> dict[str, Any]:
    """Extra arguments for starting a child that can be ended together with its own children."""
    if sys.platform == "win32":
        quiet = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        return {"creationflags": quiet}
    return {"start_new_session": True}


def confine_this_process(limits: DocumentLimits) -> None:
    """Called by the child on itself: memory, processor time, no files written, no core dump."""
    if sys.platform == "win32":
        return
    import resource

    seconds = int(limits.seconds) + 1
    for kind, bound in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # A hard limit set from outside may be lower already; then it stays.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (bound, bound))
    with contextlib.suppress(OSError):
        os.nice(NICENESS)


def kill_tree(pid: int) -> None:
    """End the child and whatever it started. The caller knows that it was not reaped yet."""
    if sys.platform == "win32":
        import psutil

        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for process in [*root.children(recursive=True), root]:
                with contextlib.suppress(psutil.Error):
                    process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def resident_bytes(pid: int) -> int:
    """The memory that the process occupies now; 0 when it is gone."""
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def ended_by_system_for_time(returncode: int) -> bool:
    return sys.platform != "win32" and returncode == -signal.SIGXCPU


def ended_by_system_for_memory(returncode: int) -> bool:
    return sys.platform != "win32" and returncode == -signal.SIGKILL


def crashed(returncode: int) -> bool:
    """Ended by a fault and not by its own will: a signal, or an exception code of Windows."""
    return returncode < 0 or returncode >= FIRST_WINDOWS_FAULT
