"""A canary for builds of Qt for Python that give references away."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject

CALLS = 300
OTHERS_MAY_DROP = 100


def test_calls_that_return_nothing_keep_none_alive() -> None:
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        thing.setObjectName("canary")
    assert sys.getrefcount(None) > before - OTHERS_MAY_DROP
