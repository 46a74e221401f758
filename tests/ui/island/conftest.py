from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.engine import EngineState
from ankita.ui.theme import SystemWishes, Theme, apply
from tests.ui.island.island_lab import IslandLab, OpenIsland, RememberingStore, island_lab


@pytest.fixture
def open_island(qtbot: QtBot, qapp: QApplication) -> Iterator[OpenIsland]:
    """Opens islands that are closed after the test, in the usual look."""
    apply(qapp, Theme(), lambda _app, _points: SystemWishes())
    with ExitStack() as stack:

        def make(
            first: EngineState | None = None, store: RememberingStore | None = None
        ) -> IslandLab:
            return stack.enter_context(island_lab(qtbot, first, store))

        yield make
    apply(qapp, Theme(), lambda _app, _points: SystemWishes())
