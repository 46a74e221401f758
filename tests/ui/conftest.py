"""Every test of the windows starts with the product's own look, whichever test ran before."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from ankita.ui.theme import Theme, ThemeMode, appearance_now, apply

DARK = Theme(ThemeMode.DARK, reduced_motion=False)


@pytest.fixture(autouse=True)
def _look(qapp: QApplication) -> None:
    before = appearance_now()
    if not qapp.styleSheet() or not before.palette.is_dark or before.scale != 1.0:
        apply(qapp, DARK)
