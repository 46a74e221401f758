"""What the windows remember: it survives a restart and is never lost by overwriting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from ankita.durable import DurableFiles
from ankita.ui.ui_state import UI_STATE_VERSION, UiState


class CountingFiles(DurableFiles):
    """Counts the writes."""

    writes = 0

    def write_json(self, path: Path, document: Any) -> None:
        self.writes += 1
        super().write_json(path, document)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ui-state.json"


def opened(path: Path, files: DurableFiles | None = None) -> UiState:
    state = UiState(files or DurableFiles(path.parent), path)
    state.load()
    return state


@pytest.mark.spec("UI-5")
def test_what_was_set_is_there_at_the_next_start(path: Path, qtbot: QtBot) -> None:
    del qtbot
    state = opened(path)
    state.set("window.thread", "abc")
    state.set("island", {"screen": "A", "x": 0.25})
    state.flush()
    following = opened(path)
    assert following.get("window.thread") == "abc"
    assert following.get("island") == {"screen": "A", "x": 0.25}
    assert following.get("nothing") is None
    assert following.problem == ""


@pytest.mark.spec("UI-5")
def test_many_changes_become_one_write_soon_after(path: Path, qtbot: QtBot) -> None:
    files = CountingFiles(path.parent)
    state = opened(path, files)
    for width in range(100):
        state.set("window.width", width)
    assert files.writes == 0
    qtbot.waitUntil(path.exists, timeout=5000)
    state.flush()
    assert files.writes == 1
    assert json.loads(path.read_text("utf-8")) == {"version": 1, "window.width": 99}


def test_setting_the_same_value_writes_nothing(path: Path, qtbot: QtBot) -> None:
    del qtbot
    files = CountingFiles(path.parent)
    state = opened(path, files)
    state.set("a", 1)
    state.flush()
    state.set("a", 1)
    state.flush()
    assert files.writes == 1


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "", '{"version": 0}', json.dumps({"version": UI_STATE_VERSION + 1, "x": 1})],
)
def test_a_file_that_cannot_be_used_is_kept_aside_and_reported(
    path: Path, qtbot: QtBot, content: str
) -> None:
    del qtbot
    path.write_text(content, encoding="utf-8")
    state = opened(path)
    assert state.get("x") is None
    assert "kept as ui-state.json.damaged-" in state.problem
    (aside,) = path.parent.glob("ui-state.json.damaged-*")
    assert aside.read_text("utf-8") == content
    state.set("x", 2)
    state.flush()
    assert opened(path).get("x") == 2
    assert aside.read_text("utf-8") == content


def test_a_write_that_fails_is_told_once(path: Path, qtbot: QtBot) -> None:
    state = opened(path)
    told: list[str] = []
    state.write_failed.connect(told.append)
    path.mkdir()  # nothing can replace it
    for value in range(3):
        state.set("a", value)
        state.flush()
    qtbot.waitUntil(lambda: bool(told), timeout=2000)
    assert len(told) == 1
    assert "ui-state.json" in told[0]


def test_without_a_profile_folder_it_starts_empty(tmp_path: Path, qtbot: QtBot) -> None:
    del qtbot
    state = opened(tmp_path / "absent" / "ui-state.json")
    assert state.get("x") is None
    assert state.problem == ""
    state.set("x", 1)
    state.flush()
    assert not (tmp_path / "absent").exists()
