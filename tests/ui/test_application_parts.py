"""The parts of the desktop app around the windows."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.config import Motion, Settings
from ankita.config import ThemeMode as SettingsMode
from ankita.engine import SettingsChanged
from ankita.ui.app_icon import app_icon
from ankita.ui.appearance import follow_settings, theme_of
from ankita.ui.bridge import EngineBridge
from ankita.ui.first_frame import FirstFrame
from ankita.ui.termination import Termination
from ankita.ui.theme import ThemeMode, appearance_now
from ankita.ui.tray import Tray
from ankita.ui.window_place import PlaceKeeper
from tests.fakes.engine import ScriptedEngine


@pytest.mark.parametrize(
    ("motion", "reduced"), [(Motion.SYSTEM, None), (Motion.FULL, False), (Motion.REDUCED, True)]
)
def test_the_settings_become_a_theme(motion: Motion, reduced: bool | None) -> None:
    theme = theme_of(Settings(theme=SettingsMode.LIGHT, motion=motion, text_scale=1.5))
    assert (theme.mode, theme.text_scale, theme.reduced_motion) == (ThemeMode.LIGHT, 1.5, reduced)


def test_a_change_of_the_settings_is_on_screen_at_once(qtbot: QtBot, qapp: QApplication) -> None:
    engine = ScriptedEngine()
    bridge = EngineBridge(engine)
    live = follow_settings(qapp, bridge)
    with qtbot.waitSignal(live.changed):
        engine.emit(SettingsChanged(Settings(theme=SettingsMode.LIGHT, motion=Motion.REDUCED)))
    assert appearance_now().reduced_motion
    with qtbot.waitSignal(live.changed):
        engine.emit(SettingsChanged(Settings(theme=SettingsMode.DARK)))
    assert appearance_now().palette.window == "#101214"
    bridge.close()
    live.deleteLater()


def test_the_first_frame_is_told_once_and_after_the_paint(qtbot: QtBot) -> None:
    window = QLabel("hello")
    qtbot.addWidget(window)
    told: list[str] = []
    frame = FirstFrame(window, "window", patience_milliseconds=60_000)
    frame.painted.connect(lambda: told.append("painted"))
    assert told == []
    window.show()
    qtbot.waitUntil(lambda: told == ["painted"], timeout=5000)
    window.repaint()
    window.repaint()
    assert told == ["painted"]


def test_a_window_that_is_never_painted_holds_nothing_up(qtbot: QtBot) -> None:
    window = QLabel("on another desktop")
    qtbot.addWidget(window)
    frame = FirstFrame(window, "window", patience_milliseconds=10)
    with qtbot.waitSignal(frame.painted, timeout=5000):
        pass


@pytest.mark.spec("UI-5")
def test_a_moved_or_resized_window_is_saved_once_it_rests(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    saved: list[int] = []
    PlaceKeeper(window, lambda: saved.append(window.width()))
    for width in range(300, 340):
        window.resize(width, 200)
    assert saved == []
    qtbot.waitUntil(lambda: saved == [339], timeout=5000)


@pytest.mark.skipif(sys.platform == "win32", reason="sends itself a POSIX signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.spec("APP-5")
def test_a_signal_to_end_wakes_the_window_and_the_old_handlers_return(
    qtbot: QtBot, number: signal.Signals
) -> None:
    before = signal.getsignal(number)
    termination = Termination()
    try:
        with qtbot.waitSignal(termination.requested, timeout=5000):
            os.kill(os.getpid(), number)
    finally:
        termination.restore()
    assert signal.getsignal(number) == before


def test_the_icon_is_drawn_sharp_at_small_and_large_sizes(qapp: QApplication) -> None:
    del qapp
    icon = app_icon()
    sizes = {size.width() for size in icon.availableSizes()}
    assert {16, 32, 256} <= sizes
    image = icon.pixmap(64, 64).toImage()
    assert len({image.pixel(x, y) for x in range(0, 64, 4) for y in range(0, 64, 4)}) > 3


def test_without_a_tray_there_is_no_icon_in_it(qapp: QApplication) -> None:
    del qapp
    tray = Tray(app_icon())
    assert not tray.ensure()
    tray.remove()
