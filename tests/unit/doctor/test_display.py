"""Whether there is a display, asked before Qt is (APP-6)."""

from __future__ import annotations

import pytest

from ankita.doctor.display import has_display


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({}, "win32", True),
        ({}, "darwin", True),
    ],
)
@pytest.mark.spec("APP-6")
def test_a_machine_without_a_display_is_told_before_qt_gives_up(
    environment: dict[str, str], platform: str, expected: bool
) -> None:
    assert has_display(environment, platform) is expected
