"""The running desktop app: one engine, two windows; how they live together and how they quit."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from ankita import __version__
from ankita.engine import Engine
from ankita.logs import install_excepthooks
from ankita.ui.appearance import follow_settings
from ankita.ui.bridge import EngineBridge
from ankita.ui.event_loop import run_until_quit
from ankita.ui.first_frame import FirstFrame
from ankita.ui.opening import PATIENCE_MILLISECONDS, Opened
from ankita.ui.termination import Termination
from ankita.ui.tray import Tray
from ankita.ui.view_models.window_models import make_models
from ankita.ui.window_place import PlaceKeeper

if TYPE_CHECKING:
    from ankita.ui.failure_window import FailureWindow
    from ankita.ui.island.window import IslandWindow
    from ankita.ui.main_window.window import MainWindow
    from ankita.ui.view_models.window_models import WindowModels

STOP_SECONDS = 10.0
"""How long the engine may take to end its work; then its processes are ended for it."""

log = logging.getLogger(__name__)


class Desktop(QObject):
    """Holds everything that lives as long as the windows do."""

    def __init__(self, opened: Opened, engine: Engine) -> None:
        super().__init__(opened.application)
        self._application = opened.application
        self._engine = engine
        self._instance = opened.instance
        self._paths = opened.paths
        self._quit: asyncio.Future[None] | None = None
        self._wants_quit = False
        self._state = opened.state
        self._problems = [self._state.problem] if self._state.problem else []
        self._bridge = EngineBridge(engine, self)
        self._state.write_failed.connect(self._bridge.refused)
        self._restore_hooks = install_excepthooks(log, self._bridge.refused.emit)
        self._theme = follow_settings(opened.application, self._bridge)
        models = make_models(self._bridge, self)
        self._shell = opened.shell
        self._shell.hidden.connect(self._window_hidden)
        self._window = self._make_window(models)
        self._shell.fill(self._window)
        self._window.take_keyboard()
        PlaceKeeper(self._shell, self._save)
        self._island: IslandWindow | None = None
        self._models = models
        self._termination = Termination(self)
        self._termination.requested.connect(self.quit)
        self._tray: Tray | None = None
        opened.instance.show_requested.connect(self._asked_to_show)

    def run(self) -> None:
        """Stay until the user quits."""
        # Before the first turn of the loop: what was typed and sent meanwhile is waiting there.
        self._engine.start()
        # And the eye is there before the first paint, which may be that first turn's work.
        frame = FirstFrame(self._window, "content", patience_milliseconds=PATIENCE_MILLISECONDS)
        frame.painted.connect(self._settle)
        try:
            run_until_quit(self._application, self._wait())
        except RuntimeError:
            # The session ends or the system's own Quit was used: Qt left its loop by itself.
            log.info("the event loop was ended by the system")

    async def _wait(self) -> None:
        self._quit = asyncio.get_running_loop().create_future()
        if not self._wants_quit:
            await self._quit

    def quit(self) -> None:
        """End the app; also what Ctrl+Q, the tray and SIGTERM do."""
        self._wants_quit = True
        if self._quit is not None and not self._quit.done():
            self._quit.set_result(None)

    def close(self) -> None:
        """Hide the windows, end the engine and what it started, and let go of the locks."""
        self._save()
        self._shell.hide()
        if self._island is not None:
            self._island.hide()
        if self._tray is not None:
            self._tray.remove()
        self._bridge.close()
        self._state.flush()
        if not self._engine.stop(STOP_SECONDS):
            log.error("the engine did not end within %s seconds", STOP_SECONDS)
        self._end_children()
        self._instance.release()
        self._termination.restore()
        self._restore_hooks()

    def _make_window(self, models: WindowModels) -> MainWindow | FailureWindow:
        try:
            from ankita.ui.main_window.window import MainWindow

            window = MainWindow(self._bridge, models, self._state)
        except Exception as error:
            log.exception("the main window could not be made")
            from ankita.ui.failure_window import FailureWindow

            failure = FailureWindow(error, self._paths)
            failure.quit_requested.connect(self.quit)
            return failure
        window.quit_requested.connect(self.quit)
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
        island.new_thread_requested.connect(self._begin)
        return island

    def _open(self, thread_id: str | None) -> None:
        """The island asks for the window, at a thread or as it is."""
        self._shell.bring_to_front()
        if thread_id:
            self._window.show_thread(thread_id)

    def _begin(self, teammate_id: str) -> None:
        """The island asks for the window, to begin a thread with a teammate."""
        self._shell.bring_to_front()
        self._window.begin_thread(teammate_id)

    def _settle(self) -> None:
        """After the window's content is on the screen: everything that can wait for it."""
        if self._wants_quit:
            return
        # What is there now stays: the collector need not look at it again and again.
        gc.freeze()
        gc.enable()
        from ankita.ui.app_icon import app_icon

        self._island = self._make_island(self._models)
        if self._island is not None:
            FirstFrame(self._island, "island", patience_milliseconds=PATIENCE_MILLISECONDS)
            self._island.show()
        icon = app_icon()
        QGuiApplication.setWindowIcon(icon)
        self._instance.listen()
        self._tray = Tray(icon, self)
        self._tray.open_requested.connect(self._shell.bring_to_front)
        self._tray.quit_requested.connect(self.quit)
        self._tray.ensure()
        for problem in self._problems:
            self._bridge.refused.emit(problem)

    def _save(self) -> None:
        self._window.save()
        self._shell.save_place()

    def _window_hidden(self) -> None:
        """A tray that came after the start is as good a way back as the island."""
        self._save()
        if self._tray is not None:
            self._tray.ensure()

    def _asked_to_show(self, version: str) -> None:
        self._shell.bring_to_front()
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
