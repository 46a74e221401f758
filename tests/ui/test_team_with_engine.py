"""Teammates from the form to the island and away again, over a real engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ankita.app import make_engine
from ankita.engine import EngineState
from ankita.ids import TeammateId
from ankita.paths import ProfilePaths
from ankita.ui.bridge import EngineBridge
from ankita.ui.island.window import IslandWindow
from ankita.ui.main_window.team_section import TeamSection
from ankita.ui.replies import Replies
from ankita.ui.view_models.window_models import make_models
from tests.ui.island.island_lab import RememberingStore, drop, files

pytestmark = [pytest.mark.spec("ENG-8"), pytest.mark.spec("ISL-4")]


@pytest.fixture
def bridge(tmp_path: Path, qtbot: QtBot) -> Iterator[EngineBridge]:
    engine = make_engine(ProfilePaths(tmp_path / "home"))
    made = EngineBridge(engine)
    engine.start()
    engine.ready.result(20)
    qtbot.waitUntil(lambda: len(made.state.teammates) == 1)
    yield made
    assert engine.stop(10)
    made.close()


def id_of(state: EngineState, name: str) -> TeammateId | None:
    return next((each.id for each in state.teammates if each.name == name), None)


def owners(state: EngineState) -> dict[str, str]:
    """The names of attached files with the names of the teammates that hold them."""
    names = {each.id: each.name for each in state.teammates}
    return {
        held.name: names[state.threads[thread_id].teammate_id]
        for thread_id, attachments in state.attachments.items()
        for held in attachments
    }


def test_a_teammate_is_made_given_a_file_and_removed_with_its_thread(
    qtbot: QtBot, bridge: EngineBridge, tmp_path: Path
) -> None:
    models = make_models(bridge, bridge)
    section = TeamSection(bridge, Replies(bridge, bridge))
    qtbot.addWidget(section)
    section.show()
    island = IslandWindow(bridge, models, RememberingStore())
    qtbot.addWidget(island)
    island.show()
    island.set_expanded(True)

    section.add_button.click()
    form = section.new_form
    assert form is not None
    form.name.setText("mira")
    form.save.click()
    qtbot.waitUntil(form.result.isVisible)  # the engine knows a Mira
    form.name.setText("Dev")
    form.save.click()
    qtbot.waitUntil(lambda: len(island.content.grid.tiles()) == 2)
    qtbot.waitUntil(lambda: section.new_form is None and not section.forms)
    dev = id_of(bridge.state, "Dev")
    assert dev is not None

    mira_tile, dev_tile = island.content.grid.tiles()
    for tile, name in ((dev_tile, "for dev.txt"), (mira_tile, "for mira.txt")):
        (tmp_path / name).write_text("words", encoding="utf-8")
        drop(tile.mascot, files(str(tmp_path / name)))
    wanted = {"for dev.txt": "Dev", "for mira.txt": "Mira"}
    qtbot.waitUntil(lambda: owners(bridge.state) == wanted, timeout=20_000)
    qtbot.waitUntil(lambda: not island.intake.is_busy, timeout=20_000)

    section.rows[dev].remove.click()
    assert section.removal is not None
    assert "Its 1 thread goes" in section.removal.words.text()
    section.removal.remove.click()
    qtbot.waitUntil(lambda: len(island.content.grid.tiles()) == 1)
    qtbot.waitUntil(lambda: owners(bridge.state) == {"for mira.txt": "Mira"})
    assert list(section.rows) == [bridge.state.teammates[0].id]
