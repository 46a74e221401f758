"""The profile folder: where it is, and that it is private."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ankita.errors import ProfileError
from ankita.paths import (
    HAS_FILE_MODES,
    ProfilePaths,
    create_private_file,
    prepare,
    profile_folder,
)

needs_modes = pytest.mark.skipif(not HAS_FILE_MODES, reason="the system has no file modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.spec("APP-7")
def test_the_variable_decides_where_the_profile_is(tmp_path: Path) -> None:
    assert profile_folder({"ANKITA_HOME": str(tmp_path / "mine")}) == tmp_path / "mine"


@pytest.mark.spec("APP-7")
@pytest.mark.parametrize("env", [{}, {"ANKITA_HOME": ""}, {"ANKITA_HOME": "  "}])
def test_otherwise_it_is_the_systems_place_for_user_data(env: dict[str, str]) -> None:
    folder = profile_folder(env)
    assert folder.name == "Ankita"
    assert folder.is_absolute()


def test_a_relative_or_home_path_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert profile_folder({"ANKITA_HOME": "here"}) == tmp_path / "here"
    assert profile_folder({"ANKITA_HOME": "~/there"}) == Path("~/there").expanduser()


def test_a_home_of_nobody_is_refused_in_words() -> None:
    with pytest.raises(ProfileError, match="ANKITA_HOME"):
        profile_folder({"ANKITA_HOME": "~no-such-user-here/x"})


@pytest.mark.spec("APP-7")
def test_every_path_lies_in_the_profile_folder_under_its_own_name(tmp_path: Path) -> None:
    names = [
        name for name in dir(ProfilePaths) if isinstance(vars(ProfilePaths).get(name), property)
    ]
    paths = [getattr(ProfilePaths(tmp_path), name) for name in names]
    assert len(names) > 8
    assert {path.parent for path in paths} == {tmp_path}
    assert len(set(paths)) == len(paths)


@needs_modes
@pytest.mark.spec("APP-7")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    paths = ProfilePaths(tmp_path / "profile")
    former = os.umask(umask)
    try:
        prepare(paths)
        create_private_file(paths.settings)
    finally:
        os.umask(former)
    assert {mode(folder) for folder in paths.folders()} == {0o700}
    assert mode(paths.settings) == 0o600


@needs_modes
@pytest.mark.spec("APP-7")
def test_an_older_open_profile_is_closed_again_and_keeps_its_content(tmp_path: Path) -> None:
    paths = ProfilePaths(tmp_path / "profile")
    prepare(paths)
    paths.settings.write_text("{}")
    paths.root.chmod(0o755)
    prepare(paths)
    assert mode(paths.root) == 0o700
    assert paths.settings.read_text() == "{}"


@needs_modes
def test_a_shared_folder_with_other_things_is_refused_and_left_open(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "holiday.jpg").touch()
    with pytest.raises(ProfileError, match="holds other things") as caught:
        prepare(ProfilePaths(shared))
    assert "ANKITA_HOME" in caught.value.advice
    assert mode(shared) == 0o755
    assert [entry.name for entry in shared.iterdir()] == ["holiday.jpg"]


@pytest.mark.parametrize("name", ["", "logs"])
def test_a_file_in_the_place_of_a_folder_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    paths = ProfilePaths(tmp_path / "profile")
    blocked = paths.root / name
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("mine")
    with pytest.raises(ProfileError, match="is not a folder"):
        prepare(paths)
    assert blocked.read_text() == "mine"


def test_a_folder_that_can_not_be_made_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="can't write") as caught:
        prepare(ProfilePaths(tmp_path / ("x" * 300)))
    assert caught.value.advice


def test_making_a_file_private_keeps_its_content(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("content")
    create_private_file(file)
    assert file.read_text() == "content"


def test_preparing_leaves_nothing_but_the_folders(tmp_path: Path) -> None:
    paths = ProfilePaths(tmp_path / "profile")
    prepare(paths)
    prepare(paths)
    assert set(paths.root.rglob("*")) == set(paths.folders()[1:])
