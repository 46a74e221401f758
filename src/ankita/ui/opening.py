"""Shows the main window's bare frame before anything that it does not show is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QApplication

from ankita.config import Settings
from ankita.durable import DurableFiles
from ankita.paths import ProfilePaths
from ankita.ui.appearance import theme_of
from ankita.ui.event_loop import run_until
from ankita.ui.first_frame import FirstFrame
from ankita.ui.main_window.shell import MainShell
from ankita.ui.single_instance import SingleInstance
from ankita.ui.theme import apply
from ankita.ui.ui_state import UiState

PATIENCE_MILLISECONDS = 1000
"""What waits for a frame goes on this long after the window is shown, painted or not."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What there is when the frame is on the screen."""

    application: QApplication
    paths: ProfilePaths
    instance: SingleInstance
    state: UiState
    shell: MainShell


def open_shell(
    application: QApplication, paths: ProfilePaths, instance: SingleInstance, settings: Settings
) -> Opened:
    """Show the window at its place and return once it was painted."""
    apply(application, theme_of(settings))
    state = UiState(DurableFiles(paths.root), paths.ui_state, application)
    state.load()
    shell = MainShell(state)
    frame = FirstFrame(shell, "window", patience_milliseconds=PATIENCE_MILLISECONDS)
    shell.show()
    run_until(frame.painted)
    return Opened(application, paths, instance, state, shell)
