"""Whether the X display that the system names is there: where it isn't, Qt ends the process."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
from collections.abc import Mapping

_LOCAL = re.compile(r"(?:unix)?:(\d{1,5})(?:\.\d+)?")
_FIRST_PORT = 6000
_SECONDS = 2.0


def dead_display(environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """The local X display Qt would fail on, such as ":7"; empty when all may be well.

    A display of another machine, and every other kind, is left to Qt.
    """
    name = environment.get("DISPLAY", "")
    wanted = environment.get("QT_QPA_PLATFORM", "xcb").partition(":")[0]
    has_other = bool(environment.get("WAYLAND_DISPLAY")) or wanted != "xcb"
    local = _LOCAL.fullmatch(name)
    if not platform.startswith("linux") or has_other or local is None:
        return ""
    return "" if _answers(int(local[1])) else name


def _answers(number: int) -> bool:
    """Try the ways to a local display that X programs try, in their order."""
    path = f"/tmp/.X11-unix/X{number}"
    if any(_connects(socket.AF_UNIX, place) for place in (f"\0{path}", path)):
        return True
    port = _FIRST_PORT + number
    return port < 1 << 16 and _connects(socket.AF_INET, ("127.0.0.1", port))


def _connects(family: socket.AddressFamily, place: str | tuple[str, int]) -> bool:
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.settimeout(_SECONDS)
        try:
            probe.connect(place)
        except OSError:
            return False
    return True
