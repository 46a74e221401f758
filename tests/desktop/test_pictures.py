"""Pictures of the real windows for a person to look at, in both modes and with large text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import Profile
from tests.desktop.screen import Screen, colours, until

pytestmark = pytest.mark.desktop

LOOKS = {
    "dark": {"theme": "dark"},
    "light": {"theme": "light"},
    "large": {"theme": "dark", "text_scale": 2.0},
}


@pytest.mark.parametrize("look", list(LOOKS))
def test_pictures_of_every_pane_and_of_the_island_are_kept(
    look: str, tmp_path: Path, start: Start, screen: Screen
) -> None:
    profile = Profile(tmp_path / "profile", LOOKS[look])
    app = start(profile)
    app.drawn(f"look-{look}-first")
    app.say("list files")
    until(lambda: profile.turns() == ["done"], "the first turn")
    app.say("/tool write_file path=notes.md content='# Plan'")
    until(lambda: profile.approvals() == ["pending"], "the question")
    seen = [app.drawn(f"look-{look}-chat")]
    for keys, pane in (("ctrl+2", "approvals"), ("ctrl+3", "settings"), ("ctrl+1", "again")):
        before = colours(screen.picture(f"look-{look}-{pane}", app.main().box))
        screen.press(keys)
        until(
            lambda b=before, p=pane: (
                colours(screen.picture(f"look-{look}-{p}", app.main().box)) != b
            ),
            f"the {pane} pane",
        )
        seen.append(app.drawn(f"look-{look}-{pane}"))
    screen.minimise(app.main())
    until(lambda: app.main().is_minimised, "the window to be minimised")
    screen.picture(f"look-{look}-island-asks")
    assert len(seen) == 4
    assert app.quit() == 0
