"""Damaged, truncated and newer files are kept aside, said, and never overwritten."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankita.app import initial_state
from ankita.composition import EngineBuilder, Wanted
from ankita.engine import ChangeAppearance, NoticeItem, SendMessage, ThreadStatus
from ankita.engine.event_bus import EventBus
from ankita.errors import DiskFullError, ProfileInUseError
from ankita.paths import ProfilePaths
from tests.engine_lab import engine_lab
from tests.fakes.models import ScriptedModelProvider, says

ELDER_SETTINGS = {
    "version": 1,
    "server": {"base_url": "http://127.0.0.1:1", "model": "m", "key_name": ""},
    "folders": [],
    "theme": "light",
    "motion": "system",
    "text_scale": 1.0,
}


def damaged_settings() -> list[str]:
    whole = json.dumps(ELDER_SETTINGS)
    return [
        "",
        "{",
        whole[: len(whole) // 2],
        "[]",
        '{"version": "1"}',
        json.dumps({**ELDER_SETTINGS, "version": 99}),
        json.dumps({**ELDER_SETTINGS, "theme": "purple"}),
        json.dumps({**ELDER_SETTINGS, "folders": [{"path": 3, "may_write": True}]}),
        json.dumps({**ELDER_SETTINGS, "server": {"base_url": "http://x"}}),
        "\x00\x01\x02",
    ]


@pytest.mark.parametrize("text", damaged_settings())
async def test_unusable_settings_are_kept_as_they_were_and_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text, encoding="utf-8")
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        (notice,) = lab.state.notices
        (kept,) = tmp_path.glob("settings.json.damaged-*")  # noqa: ASYNC240
        assert kept.name in notice.text
        assert kept.read_text(encoding="utf-8") == text
        await lab.do(ChangeAppearance(text_scale=1.5))
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        assert lab.state.notices == ()
        assert lab.state.settings.text_scale == 1.5
    assert kept.read_text(encoding="utf-8") == text


async def test_fields_of_a_later_build_are_written_back(tmp_path: Path) -> None:
    document = {**ELDER_SETTINGS, "server": None, "sound": {"volume": 3}}
    (tmp_path / "settings.json").write_text(json.dumps(document), encoding="utf-8")
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        await lab.do(ChangeAppearance(text_scale=1.5))
    stored = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    assert stored["sound"] == {"volume": 3}
    assert stored["theme"] == "light"


def make_newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def overwrite(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 400)


def flip_bytes(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:20480] = bytes(len(content[4096:20480]))
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [make_newer, truncate, overwrite, flip_bytes])
async def test_an_unusable_database_is_kept_aside_whole_and_said(
    tmp_path: Path, damage: object
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Hi.")])) as lab:
        await lab.talk("hello")
    database = tmp_path / "ankita.db"
    damage(database)  # type: ignore[operator]
    before = database.read_bytes()
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Hi.")])) as lab:
        assert lab.state.threads == {}
        (notice,) = lab.state.notices
        kept = [p for p in tmp_path.iterdir() if p.name.startswith("ankita.db.")]  # noqa: ASYNC240
        (aside,) = [p for p in kept if p.name in notice.text]
        assert aside.read_bytes() == before
        await lab.talk("hello again")


async def test_a_second_engine_on_a_profile_is_refused_and_the_first_goes_on(
    tmp_path: Path,
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Hi.")])) as lab:
        paths = ProfilePaths(tmp_path)
        with pytest.raises(ProfileInUseError, match="already running"):
            await EngineBuilder(paths, Wanted()).build(EventBus(initial_state(paths)))
        await lab.talk("hello")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk needs root on Linux")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path: Path) -> None:
    """Write until nothing more fits."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


async def test_a_full_disk_is_said_and_what_was_stored_stays(small_disk: Path) -> None:
    profile = small_disk / "profile"
    async with engine_lab(profile, ScriptedModelProvider([says("Hi."), says("Yes.")])) as lab:
        thread = await lab.send("hello")
        await lab.finished(thread)
        filler = small_disk / "filler"
        fill(filler)
        with pytest.raises(DiskFullError):
            await lab.do(SendMessage(thread, "x" * 100_000))
        assert lab.state.threads[thread].status is ThreadStatus.IDLE
        filler.unlink()
        items = await lab.talk("better now?", thread)
        assert not any(isinstance(item, NoticeItem) for item in items)
    async with engine_lab(profile, ScriptedModelProvider()) as lab:
        await lab.handlers._transcripts.open(thread)
        assert lab.state.items[thread] == items
