"""Whether windows can be shown at all; without this question Qt would abort the process."""

from __future__ import annotations

import sys
from collections.abc import Mapping


def has_display(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether the system names a display, or the person a Qt platform."""
    if not platform.startswith("linux"):
        return True
    return any(environment.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
