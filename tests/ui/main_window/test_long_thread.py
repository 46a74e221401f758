"""A thread of 10,000 messages from a real profile opens, scrolls and jumps to its pins."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ankita.app import make_engine
from ankita.composition import Wanted
from ankita.engine import Engine
from ankita.paths import ProfilePaths
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.shell import MainShell
from ankita.ui.main_window.transcript_view import FIRST_ITEMS
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.main_window.window import MainWindow
from ankita.ui.view_models.window_models import make_models
from tests.long_thread import PIN, THREAD, write_long_thread

pytestmark = pytest.mark.spec("UI-2")

MESSAGES = 10_000

MOST_WIDGETS = 1_000
"""Laying out all of them would stall the window; only what is near is laid out."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    paths = ProfilePaths(tmp_path / "profile")
    asyncio.run(write_long_thread(paths, MESSAGES))
    made = make_engine(paths, Wanted(look_at=()))
    made.start()
    made.ready.result(30)
    yield made
    made.stop(10)


def test_of_ten_thousand_messages_only_those_that_are_near_are_laid_out(
    engine: Engine, qtbot: QtBot
) -> None:
    bridge = EngineBridge(engine)
    shell = MainShell(MemoryUiState())
    qtbot.addWidget(shell)
    window = MainWindow(bridge, make_models(bridge, bridge), MemoryUiState())
    shell.fill(window)
    with qtbot.waitExposed(shell):
        shell.show()
    qtbot.waitUntil(lambda: THREAD in bridge.state.threads)
    view = window.chat.transcript
    window.show_thread(THREAD)
    qtbot.waitUntil(lambda: view.widget_count >= FIRST_ITEMS, timeout=10_000)
    assert view.shown_rows().stop == MESSAGES
    bar = view.verticalScrollBar()
    for _ in range(5):
        before = view.shown_rows().start
        bar.setValue(0)
        qtbot.waitUntil(lambda before=before: view.shown_rows().start < before)  # type: ignore[misc]
    assert view.widget_count < MOST_WIDGETS
    window.chat.header.pins.click()
    pinned = view.widgets()[0]
    qtbot.waitUntil(lambda: view.shown_rows().start == 0)
    assert view._model.item(0).text == PIN
    qtbot.waitUntil(lambda: not pinned.visibleRegion().isEmpty())
    bridge.close()
