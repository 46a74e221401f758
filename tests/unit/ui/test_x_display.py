"""A display that is named but gone is noticed before Qt ends the process over it."""

from __future__ import annotations

import socket

import pytest

from ankita.ui import x_display
from ankita.ui.x_display import dead_display

pytestmark = pytest.mark.spec("APP-6")

GONE = ":59999"


def test_a_display_that_nobody_serves_is_named() -> None:
    assert dead_display({"DISPLAY": GONE}, "linux") == GONE
    assert dead_display({"DISPLAY": f"{GONE}.0", "QT_QPA_PLATFORM": "xcb"}, "linux") == f"{GONE}.0"


@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({}, "linux"),
        ({"DISPLAY": "elsewhere:10.0"}, "linux"),
        ({"DISPLAY": GONE, "WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({"DISPLAY": GONE, "QT_QPA_PLATFORM": "offscreen"}, "linux"),
        ({"DISPLAY": GONE, "QT_QPA_PLATFORM": "wayland;xcb"}, "linux"),
        ({"DISPLAY": GONE}, "darwin"),
    ],
)
def test_every_other_kind_is_left_to_qt(environment: dict[str, str], platform: str) -> None:
    assert dead_display(environment, platform) == ""


def test_a_display_on_a_local_port_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(x_display, "_FIRST_PORT", server.getsockname()[1] - 59_999)
        assert dead_display({"DISPLAY": GONE}, "linux") == ""
