"""Pictures of the real windows for a person to look at, in both modes and with large text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import Profile, RunningApp
from tests.desktop.screen import Box, Screen, colours, until
from tests.servers.scripted_chat_server import scripted_server_thread, text, tool_calls

pytestmark = pytest.mark.desktop

LOOKS = {
    "dark": {"theme": "dark"},
    "light": {"theme": "light"},
    "large": {"theme": "dark", "text_scale": 2.0},
}

NOTES = "9. Termination. Either party may end this agreement with two (2) months'\n   notice.\n"
ANSWER = (
    "Clause 9 asks for **two months' notice, in writing**. Leaving on 31 January means:\n\n"
    "- the letter has to arrive by 30 November\n"
    "- the last rent is due on 1 January\n"
)
PLAN = "# Moving out\n\n- [ ] letter to the landlord\n- [ ] meter readings\n- [ ] keys\n"
SCRIPT = (
    tool_calls(("read_file", {"path": "agreement.txt"})),
    text(ANSWER),
    tool_calls(("write_file", {"path": "moving.md", "content": PLAN})),
    text("The list is in `moving.md`."),
)


@pytest.fixture
def address() -> Iterator[str]:
    with scripted_server_thread(SCRIPT) as server:
        yield server.base_url


@pytest.mark.parametrize("look", list(LOOKS))
def test_pictures_of_every_pane_and_of_the_island_are_kept(
    look: str, address: str, tmp_path: Path, start: Start, screen: Screen
) -> None:
    server = {"base_url": address, "model": "llama3.1:8b", "tool_mode": "native"}
    profile = Profile(tmp_path / "profile", {**LOOKS[look], "server": server})
    workspace = profile.root / "workspace"
    workspace.mkdir()
    (workspace / "agreement.txt").write_text(NOTES, encoding="utf-8")
    app = start(profile)
    make_room(app, screen)
    app.drawn(f"look-{look}-first")
    compact = app.island().box.height
    screen.picture(f"look-{look}-island-compact")
    app.say("What is the notice period in agreement.txt?")
    until(lambda: profile.turns() == ["done"], "the first turn")
    app.say("Make me a list for moving out.")
    until(lambda: profile.approvals() == ["pending"], "the question")
    app.drawn(f"look-{look}-chat")
    assert app.island().box.height == compact, "the window in use shows the question itself"

    visit_panes(look, app, screen)

    screen.minimise(app.main())
    until(lambda: app.island().box.height > compact, "the island to ask")
    asking = app.island().box.height
    keep_still(f"look-{look}-island-asks", app, screen)
    screen.click(*chevron(app.island().box))
    until(lambda: app.island().box.height > asking, "the island to show more")
    keep_still(f"look-{look}-island-expanded", app, screen)
    assert app.quit() == 0


def make_room(app: RunningApp, screen: Screen) -> None:
    """Put the window below the island, so that both are seen whole."""
    screen.run("wmctrl", "-i", "-r", app.main().id, "-e", "0,40,70,1200,690")
    until(lambda: app.main().box.height == 690, "the new size")


def visit_panes(look: str, app: RunningApp, screen: Screen) -> None:
    """Each pane by its keys; every one must look different from the one before."""
    for keys, pane in (("ctrl+2", "approvals"), ("ctrl+3", "settings"), ("ctrl+1", "again")):
        name = f"look-{look}-{pane}"
        before = colours(screen.picture(name, app.main().box))
        screen.press(keys)

        def is_other(before: set[int] = before, name: str = name) -> bool:
            return colours(screen.picture(name, app.main().box)) != before

        until(is_other, f"the {pane} pane")
        app.drawn(name)


def keep_still(name: str, app: RunningApp, screen: Screen) -> None:
    """A picture of the island once two in a row are the same."""

    def is_still() -> bool:
        box = app.island().box
        return screen.picture(name, box) == screen.picture(name, box)

    until(is_still, "the island to come to rest")


def chevron(island: Box) -> tuple[int, int]:
    """The middle of the island's button for more, at its right edge."""
    return island.x + island.width - 40, island.y + 36
