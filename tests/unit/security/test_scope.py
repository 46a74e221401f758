"""Which paths the granted folders allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.errors import ScopeError
from ankita.security.scope import FolderScope, Grant

pytestmark = pytest.mark.spec("TOL-1")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def scope_of(*grants: Grant, windows_names: bool = False) -> FolderScope:
    return FolderScope(lambda: grants, windows_names=windows_names)


def test_a_relative_path_is_read_from_the_workspace(workspace: Path) -> None:
    scope = scope_of(Grant(workspace, may_write=True))
    assert scope.resolve("notes/today.md", True) == workspace / "notes" / "today.md"
    assert scope.resolve(".", False) == workspace


def test_a_full_path_in_a_granted_folder_is_allowed(workspace: Path, tmp_path: Path) -> None:
    scope = scope_of(Grant(workspace, True), Grant(tmp_path / "photos", False))
    assert scope.resolve(str(tmp_path / "photos" / "a.jpg"), False) == tmp_path / "photos" / "a.jpg"


def test_a_path_outside_is_refused_and_the_folders_are_named(workspace: Path) -> None:
    with pytest.raises(ScopeError) as refused:
        scope_of(Grant(workspace, True)).resolve("/etc/passwd", False)
    assert str(workspace) in str(refused.value)
    assert "Settings" in refused.value.advice


def test_a_folder_whose_name_only_begins_alike_is_outside(workspace: Path) -> None:
    with pytest.raises(ScopeError):
        scope_of(Grant(workspace, True)).resolve(f"{workspace}-old/a", False)


@pytest.mark.spec("APR-9")
def test_a_folder_whose_name_differs_in_case_is_outside(workspace: Path) -> None:
    other = workspace.with_name(workspace.name.upper())
    if other.exists():
        pytest.skip("this disk takes both names for one")
    with pytest.raises(ScopeError):
        scope_of(Grant(workspace, True)).resolve(str(other / "a"), True)


def test_a_link_that_leaves_is_refused_for_reading_and_writing(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("x")
    (workspace / "file").symlink_to(tmp_path / "secret")
    (workspace / "folder").symlink_to(tmp_path)
    (workspace / "dangling").symlink_to(tmp_path / "not-there-yet")
    scope = scope_of(Grant(workspace, True))
    for path in ["file", "folder", "folder/secret", "folder/new", "dangling"]:
        for for_writing in (False, True):
            with pytest.raises(ScopeError):
                scope.resolve(path, for_writing)


def test_a_link_that_stays_inside_is_followed(workspace: Path) -> None:
    (workspace / "real").write_text("x")
    (workspace / "link").symlink_to("real")
    assert scope_of(Grant(workspace, True)).resolve("link", True) == workspace / "real"


def test_links_in_a_circle_are_refused(workspace: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    with pytest.raises(ScopeError):
        scope_of(Grant(workspace, True)).resolve("a/x", False)


def test_a_workspace_that_is_itself_a_link_works(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(workspace)
    scope = scope_of(Grant(tmp_path / "shortcut", True))
    assert scope.resolve("a", True) == workspace / "a"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "a/..", "..", "", "  ", "a\0b", "\ud800"])
def test_paths_that_climb_or_make_no_sense_are_refused(workspace: Path, path: str) -> None:
    with pytest.raises(ScopeError) as refused:
        scope_of(Grant(workspace, True)).resolve(path, False)
    str(refused.value).encode("utf-8")


def test_the_home_sign_is_expanded_and_still_checked(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    scope = scope_of(Grant(workspace, True))
    assert scope.resolve("~/a", True) == workspace / "a"
    monkeypatch.setenv("HOME", "/root")
    with pytest.raises(ScopeError):
        scope.resolve("~/a", True)


def test_a_folder_for_reading_only_refuses_writing(workspace: Path, tmp_path: Path) -> None:
    scope = scope_of(Grant(workspace, True), Grant(tmp_path / "photos", False))
    with pytest.raises(ScopeError, match="only be read"):
        scope.resolve(str(tmp_path / "photos" / "new.jpg"), True)


def test_an_inner_folder_for_reading_only_holds_against_an_outer_one(workspace: Path) -> None:
    scope = scope_of(Grant(workspace, True), Grant(workspace / "library", False))
    with pytest.raises(ScopeError):
        scope.resolve("library/book", True)
    assert scope.resolve("other", True)


def test_without_a_folder_nothing_is_allowed() -> None:
    with pytest.raises(ScopeError, match="No folder"):
        scope_of().resolve("a", False)


def test_a_grant_taken_back_counts_at_once(workspace: Path) -> None:
    grants = [Grant(workspace, True)]
    scope = FolderScope(lambda: grants)
    scope.resolve("a", False)
    grants.clear()
    with pytest.raises(ScopeError):
        scope.resolve("a", False)


@pytest.mark.parametrize(
    "path",
    [
        "NUL",
        "con",
        "aux.txt",
        "sub/COM1",
        "sub\\lpt9.log",
        "com¹",
        "nul.tar.gz",
        "notes.txt:hidden",
        "C:notes.txt",
        "a/b:c/d",
        "a\\..\\b",
        "\\\\server\\share",
        "//server/x",
    ],
)
def test_windows_device_names_streams_and_network_paths_are_refused(
    workspace: Path, path: str
) -> None:
    with pytest.raises(ScopeError):
        scope_of(Grant(workspace, True), windows_names=True).resolve(path, False)


def test_ordinary_names_pass_the_windows_rules(workspace: Path) -> None:
    scope = scope_of(Grant(workspace, True), windows_names=True)
    for path in ["console.txt", "nullable", "com10", "a/auxiliary/b"]:
        assert scope.resolve(path, True) == workspace / path


def test_a_path_that_became_a_link_is_noticed(workspace: Path, tmp_path: Path) -> None:
    scope = scope_of(Grant(workspace, True))
    place = scope.locate("folder/file", True)
    scope.check_unmoved(place)
    (workspace / "folder").symlink_to(tmp_path)
    with pytest.raises(ScopeError, match="became a link"):
        scope.check_unmoved(place)


def test_paths_are_shown_from_the_workspace(workspace: Path, tmp_path: Path) -> None:
    scope = scope_of(Grant(workspace, True))
    assert scope.shown(workspace / "a" / "grüße 👩‍💻.txt") == "a/grüße 👩‍💻.txt"
    assert scope.shown(tmp_path / "b") == str(tmp_path / "b")
