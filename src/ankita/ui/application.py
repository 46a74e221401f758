"""The desktop app: one process, one engine, two windows; how it starts and how it quits."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ankita import __version__
from ankita.durable import DurableFiles
from ankita.engine import Engine
from ankita.errors import ProfileError
from ankita.logs import install_excepthooks
from ankita.paths import ProfilePaths, prepare
from ankita.ui.appearance import follow_settings
from ankita.ui.bridge import EngineBridge
from ankita.ui.event_loop import run_until_quit
from ankita.ui.first_frame import FirstFrame, trace
from ankita.ui.single_instance import Claim, SingleInstance, server_name
from ankita.ui.termination import Termination
from ankita.ui.tray import Tray
from ankita.ui.ui_state import UiState
from ankita.ui.view_models.window_models import make_models
from ankita.ui.window_place import PlaceKeeper

if TYPE_CHECKING:
    from ankita.ui.failure_window import FailureWindow
    from ankita.ui.island.window import IslandWindow
    from ankita.ui.main_window.window import MainWindow
    from ankita.ui.view_models.window_models import WindowModels

EXIT_OK, EXIT_FAILED = 0, 1

STOP_SECONDS = 10.0
"""How long the engine may take to end its work; then its processes are ended for it."""

PATIENCE_MILLISECONDS = 1000
"""The engine starts after the first frame, or this long after the start without one."""

log = logging.getLogger(__name__)


def run(paths: ProfilePaths, make_engine: Callable[[], Engine]) -> int:
    """Open the windows and stay until the user quits; the exit code."""
    if not has_display(os.environ):
        print("ankita: there is no display. Use “ankita chat” in a terminal.", file=sys.stderr)
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
    desktop = Desktop(application, paths, make_engine(), instance)
    try:
        run_until_quit(application, desktop.run())
    except RuntimeError:
        # The session ends or the system's own Quit was used: Qt left its loop by itself.
        log.info("the event loop was ended by the system")
    return desktop.close()


def has_display(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether windows can be shown; without this check Qt would abort the process."""
    if not platform.startswith("linux"):
        return True
    return any(environment.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


class Desktop(QObject):
    """Holds everything that lives as long as the windows do."""

    def __init__(
        self,
        application: QApplication,
        paths: ProfilePaths,
        engine: Engine,
        instance: SingleInstance,
    ) -> None:
        super().__init__(application)
        self._engine = engine
        self._instance = instance
        self._is_started = False
        self._quit: asyncio.Future[int] | None = None
        self._wants_quit = False
        self._state = UiState(DurableFiles(paths.root), paths.ui_state, self)
        self._state.load()
        self._problems = [self._state.problem] if self._state.problem else []
        self._bridge = EngineBridge(engine, self)
        self._state.write_failed.connect(self._bridge.refused)
        self._restore_hooks = install_excepthooks(log, self._bridge.refused.emit)
        self._theme = follow_settings(application, self._bridge)
        models = make_models(self._bridge, self)
        self._window = self._make_window(models)
        self._island: IslandWindow | None = None
        self._models = models
        self._termination = Termination(self)
        self._termination.requested.connect(self.quit)
        self._tray: Tray | None = None
        instance.show_requested.connect(self._asked_to_show)

    async def run(self) -> int:
        """Show the windows and wait until the user quits."""
        self._quit = asyncio.get_running_loop().create_future()
        if self._wants_quit:
            return EXIT_OK
        frame = FirstFrame(self._window, "window", patience_milliseconds=PATIENCE_MILLISECONDS)
        frame.painted.connect(self._start)
        self._window.show()
        return await self._quit

    def quit(self) -> None:
        """End the app; also what Ctrl+Q, the tray and SIGTERM do."""
        self._wants_quit = True
        if self._quit is not None and not self._quit.done():
            self._quit.set_result(EXIT_OK)

    def close(self) -> int:
        """Hide the windows, end the engine and what it started, and let go of the locks."""
        self._window.save()
        self._window.hide()
        if self._island is not None:
            self._island.hide()
        if self._tray is not None:
            self._tray.remove()
        self._bridge.close()
        self._state.flush()
        stopped = self._engine.stop(STOP_SECONDS) if self._is_started else True
        if not stopped:
            log.error("the engine did not end within %s seconds", STOP_SECONDS)
        self._end_children()
        self._instance.release()
        self._termination.restore()
        self._restore_hooks()
        return EXIT_OK

    def _make_window(self, models: WindowModels) -> MainWindow | FailureWindow:
        try:
            from ankita.ui.main_window.window import MainWindow

            window = MainWindow(self._bridge, models, self._state)
        except Exception as error:
            log.exception("the main window could not be made")
            from ankita.ui.failure_window import FailureWindow, report_of

            failure = FailureWindow(report_of(error))
            failure.quit_requested.connect(self.quit)
            return failure
        window.quit_requested.connect(self.quit)
        window.hidden.connect(self._window_hidden)
        PlaceKeeper(window, window.save)
        return window

    def _make_island(self, models: WindowModels) -> IslandWindow | None:
        """The main window alone still does everything."""
        try:
            from ankita.ui.island.window import IslandWindow

            island = IslandWindow(self._bridge, models, self._state)
        except Exception as error:
            log.exception("the island could not be made")
            self._problems.append(
                f"The island could not be opened ({type(error).__name__}). The window has it all."
            )
            return None
        island.open_requested.connect(self._open)
        return island

    def _open(self, thread_id: str | None) -> None:
        """The island asks for the window, at a thread or as it is."""
        self._window.bring_to_front()
        if thread_id:
            self._window.show_thread(thread_id)

    def _start(self) -> None:
        """After the first frame: everything that can wait for it."""
        if self._is_started or self._wants_quit:
            return
        self._is_started = True
        # What is there now stays: the collector need not look at it again and again.
        gc.freeze()
        gc.enable()
        self._engine.start()
        QTimer.singleShot(0, self, self._settle)

    def _settle(self) -> None:
        from ankita.ui.app_icon import app_icon

        self._island = self._make_island(self._models)
        if self._island is not None:
            FirstFrame(self._island, "island", patience_milliseconds=PATIENCE_MILLISECONDS)
            self._island.show()
        icon = app_icon()
        QGuiApplication.setWindowIcon(icon)
        self._instance.listen()
        self._tray = Tray(icon, self)
        self._tray.open_requested.connect(self._window.bring_to_front)
        self._tray.quit_requested.connect(self.quit)
        self._tray.ensure()
        for problem in self._problems:
            self._bridge.refused.emit(problem)

    def _window_hidden(self) -> None:
        """A tray that came after the start is as good a way back as the island."""
        if self._tray is not None:
            self._tray.ensure()

    def _asked_to_show(self, version: str) -> None:
        self._window.bring_to_front()
        if version != __version__:
            self._bridge.refused.emit(
                f"Ankita {version} was started, but this is still {__version__}."
                " Quit and start again to use it."
            )

    def _end_children(self) -> None:
        from ankita.ui.leftovers import end_children

        left = end_children()
        if left:
            log.warning("%s processes were left and were ended", left)


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
