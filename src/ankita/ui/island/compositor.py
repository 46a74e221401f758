"""Whether a window may be partly transparent now; without that it must be cut to its shape."""

from __future__ import annotations

import ctypes

from PySide6.QtGui import QGuiApplication

_LIBRARY = "libX11.so.6"


def is_composited() -> bool:
    """False only on an X11 screen on which no compositing manager runs.

    Costs about a millisecond there; every other system always composites.
    """
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        return _x11_manager_runs(ctypes.CDLL(_LIBRARY))
    except OSError:
        return True


def _x11_manager_runs(xlib: ctypes.CDLL) -> bool:
    """Ask who owns the selection that every compositing manager holds for its screen."""
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    display = xlib.XOpenDisplay(None)
    if not display:
        return True
    connection = ctypes.c_void_p(display)
    xlib.XInternAtom.restype = ctypes.c_ulong
    xlib.XGetSelectionOwner.restype = ctypes.c_ulong
    name = f"_NET_WM_CM_S{xlib.XDefaultScreen(connection)}".encode()
    atom = xlib.XInternAtom(connection, name, 0)
    owner = xlib.XGetSelectionOwner(connection, ctypes.c_ulong(atom))
    xlib.XCloseDisplay(connection)
    return bool(owner)
