"""The window's first frame: what it shows before its parts are there, and what replaces it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ankita.ui.first_frame import FirstFrame
from ankita.ui.main_window.shell import MainShell
from ankita.ui.main_window.skeleton import Skeleton
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.theme import DARK, SystemWishes, Theme, ThemeMode, apply
from tests.ui.main_window.window_lab import OpenWindow

LATER = ("asyncio", "qasync", "ankita.engine", "ankita.ui.bridge", "ankita.ui.widgets.mascot")
"""What the first frame does not show and must not wait for."""


@pytest.fixture
def shell(qtbot: QtBot, qapp: QApplication) -> MainShell:
    apply(qapp, Theme(ThemeMode.DARK), lambda _app, _points: SystemWishes())
    shell = MainShell(MemoryUiState())
    qtbot.addWidget(shell)
    return shell


def skeleton_of(shell: MainShell) -> Skeleton:
    skeleton = shell.centralWidget()
    assert isinstance(skeleton, Skeleton)
    return skeleton


def place(widget: QWidget) -> QRect:
    """Where a part is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def test_the_first_frame_is_painted_before_there_is_any_content(
    qtbot: QtBot, shell: MainShell
) -> None:
    frame = FirstFrame(shell, "window", patience_milliseconds=60_000)
    with qtbot.waitSignal(frame.painted, timeout=5000):
        shell.show()
    image = shell.grab().toImage()
    skeleton = skeleton_of(shell)
    parts = (skeleton.rail, skeleton.threads, skeleton.header, skeleton.composer)
    seen = [image.pixelColor(place(part).center()).name() for part in parts]
    assert seen == [DARK.pane, DARK.pane, DARK.window, DARK.card]


def test_every_part_of_the_first_frame_is_where_the_real_one_will_be(
    qtbot: QtBot, shell: MainShell, open_window: OpenWindow
) -> None:
    lab = open_window()
    shell.resize(lab.shell.size())
    with qtbot.waitExposed(shell):
        shell.show()
    skeleton = skeleton_of(shell)
    window = lab.window
    for bare, real in (
        (skeleton.rail, window.rail),
        (skeleton.threads, window.threads),
        (skeleton.header, window.chat.header),
    ):
        assert place(bare) == place(real)
    bare, real = place(skeleton.composer), place(window.chat.composer)
    assert (bare.left(), bare.width(), bare.bottom()) == (real.left(), real.width(), real.bottom())
    assert abs(bare.height() - real.height()) <= 8  # its text is as high as the system's font


def test_the_content_takes_the_place_of_the_bare_frame_in_the_same_window(
    qtbot: QtBot, shell: MainShell
) -> None:
    with qtbot.waitExposed(shell):
        shell.show()
    handle, at = shell.winId(), shell.geometry()
    content = QLineEdit()
    shell.fill(content)
    content.setFocus()
    assert content.isVisible()
    assert shell.focusWidget() is content
    assert shell.centralWidget() is content
    assert (shell.winId(), shell.geometry()) == (handle, at)


def test_the_first_frame_loads_nothing_that_it_does_not_show() -> None:
    code = (
        "import sys, ankita.app, ankita.ui.application;"
        f"print([name for name in {LATER!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
