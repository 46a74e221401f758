"""The processes that a test started, apart from those of fixtures that live longer."""

from __future__ import annotations

from collections.abc import Callable

import psutil
import pytest

Children = Callable[[], list[psutil.Process]]


@pytest.fixture
def new_children() -> Children:
    """Gives the living children of this process that were not there when the test began."""
    old = {child.pid for child in psutil.Process().children()}

    def now() -> list[psutil.Process]:
        return [child for child in psutil.Process().children() if child.pid not in old]

    return now
