from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from pytestqt.qtbot import QtBot

from ankita.engine import EngineState
from ankita.ui.main_window.ui_state import MemoryUiState
from tests.ui.main_window.window_lab import OpenWindow, WindowLab, window_lab


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[OpenWindow]:
    """Opens main windows that are closed after the test."""
    with ExitStack() as stack:

        def make(first: EngineState | None = None, store: MemoryUiState | None = None) -> WindowLab:
            return stack.enter_context(window_lab(qtbot, first, store))

        yield make
