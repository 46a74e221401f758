"""The desktop app from its start to its end: one instance, a frame, then all the rest."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ankita import __version__
from ankita.config import Settings
from ankita.doctor.display import has_display
from ankita.errors import ProfileError
from ankita.paths import ProfilePaths, prepare
from ankita.ui.event_loop import run_until
from ankita.ui.first_frame import trace
from ankita.ui.opening import Opened, open_shell
from ankita.ui.single_instance import Claim, SingleInstance, server_name
from ankita.ui.x_display import dead_display

if TYPE_CHECKING:
    from ankita.engine import Engine

EXIT_OK, EXIT_FAILED = 0, 1

log = logging.getLogger(__name__)


def run(paths: ProfilePaths, settings: Settings, make_engine: Callable[[], Engine]) -> int:
    """Open the windows and stay until the user quits; the exit code."""
    if not has_display(os.environ):
        print("ankita: there is no display. Use “ankita chat” in a terminal.", file=sys.stderr)
        return EXIT_FAILED
    if dead := dead_display(os.environ):
        print(
            f"ankita: the display {dead} does not answer. Use “ankita chat” in a terminal.",
            file=sys.stderr,
        )
        return EXIT_FAILED
    application = _make_application()
    instance = SingleInstance(paths.window_lock, server_name(paths.root), __version__)
    try:
        prepare(paths)
    except ProfileError as error:
        # The engine meets the same trouble, and the window then says it.
        log.warning("%s", error)
    else:
        claim = instance.claim()
        if claim is not Claim.FIRST:
            return _leave_to_the_first(claim, instance)
    trace("claimed")
    return _live(open_shell(application, paths, instance, settings), make_engine)


def _live(opened: Opened, make_engine: Callable[[], Engine]) -> int:
    """Load what the app is made of, while its frame is already there, and run it."""
    try:
        from ankita.ui.desktop import Desktop

        desktop = Desktop(opened, make_engine())
    except Exception as error:
        log.exception("the app could not be loaded")
        return _show_failure(opened, error)
    desktop.run()
    desktop.close()
    return EXIT_OK


def _show_failure(opened: Opened, error: Exception) -> int:
    """The open window says what happened, until the user has read it."""
    from ankita.ui.failure_window import FailureWindow

    gc.enable()
    failure = FailureWindow(error, opened.paths)
    opened.shell.fill(failure)
    failure.take_keyboard()
    run_until(failure.quit_requested, opened.shell.hidden)
    opened.shell.hide()
    opened.instance.release()
    return EXIT_FAILED


def _make_application() -> QApplication:
    QApplication.setApplicationName("Ankita")
    QApplication.setApplicationDisplayName("Ankita")
    QApplication.setApplicationVersion(__version__)
    QGuiApplication.setDesktopFileName("ankita")
    application = QApplication(["ankita"])
    application.setQuitOnLastWindowClosed(False)
    trace("toolkit ready")
    return application


def _leave_to_the_first(claim: Claim, instance: SingleInstance) -> int:
    if claim is Claim.SHOWN:
        return EXIT_OK
    if claim is Claim.OTHER_VERSION:
        print(
            "ankita: another version is still running and came to the front."
            f" Quit it to use {__version__}.",
            file=sys.stderr,
        )
        return EXIT_OK
    holder = instance.holder()
    which = "" if holder is None else f" (process {holder})"
    print(
        f"ankita: Ankita is already running on this profile{which} but does not answer."
        " End that process and start again, or set ANKITA_HOME to another folder.",
        file=sys.stderr,
    )
    return EXIT_FAILED
