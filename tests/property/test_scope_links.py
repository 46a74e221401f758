"""However links are laid, nothing outside the granted folders is read or changed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.errors import ScopeError, ToolError
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.security.scope import FolderScope, Grant

NAMES = ["a", "b", "c"]
NAME = st.sampled_from(NAMES)
INSIDE = st.lists(NAME, min_size=1, max_size=3).map("/".join)
TARGET = st.one_of(
    INSIDE,
    INSIDE.map(lambda path: f"../{path}"),
    INSIDE.map(lambda path: f"../../{path}"),
    st.sampled_from(["..", "../..", "../outside", "../../outside", ".", "/", "{outside}"]),
    INSIDE.map(lambda path: f"{{outside}}/{path}"),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("folder"), INSIDE, st.just("")),
        st.tuples(st.just("file"), INSIDE, st.just("")),
        st.tuples(st.just("link"), INSIDE, TARGET),
    ),
    max_size=12,
)
TYPED = st.lists(st.sampled_from([*NAMES, ".", "..", "~", ""]), max_size=5).map("/".join)


def lay_out(root: Path, steps: list[tuple[str, str, str]]) -> tuple[Path, Path]:
    workspace, outside = root / "workspace", root / "outside"
    for folder in (workspace, outside, outside / "a"):
        folder.mkdir()
    for name in ("b", "c", "a/a", "a/b"):
        (outside / name).write_text("untouched")
    for kind, path, target in steps:
        where = workspace / path
        try:
            if kind == "folder":
                where.mkdir(parents=True)
            elif kind == "file" and where.resolve().is_relative_to(workspace):
                where.write_text("inside")
            elif kind == "link":
                where.symlink_to(target.format(outside=outside))
        except (OSError, RuntimeError):
            continue
    return workspace, outside


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.spec("TOL-1")
@pytest.mark.parametrize("by_descriptor", [True, False])
@settings(deadline=None, max_examples=80)
@given(steps=STEPS, typed=TYPED)
def test_no_tree_of_links_leads_out(
    by_descriptor: bool, steps: list[tuple[str, str, str]], typed: str
) -> None:
    root = Path(tempfile.mkdtemp()).resolve()
    try:
        workspace, outside = lay_out(root, steps)
        before = contents(outside)
        scope = FolderScope(lambda: [Grant(workspace, may_write=True)])
        files = ScopedFiles(scope, by_descriptor=by_descriptor)
        try:
            place = scope.locate(typed, for_writing=True)
            assert place.path.is_relative_to(workspace)
            assert place.path == place.path.resolve()
            files.replace(place, b"written", lambda: False)
            assert files.read(place, 100) == b"written"
        except ToolError:
            pass
        assert contents(outside) == before
    finally:
        shutil.rmtree(root)


@pytest.mark.spec("TOL-1")
@settings(deadline=None, max_examples=80)
@given(path=INSIDE, swapped=st.integers(min_value=0, max_value=2), target=TARGET)
def test_a_link_laid_after_the_decision_is_not_followed(
    path: str, swapped: int, target: str
) -> None:
    root = Path(tempfile.mkdtemp()).resolve()
    try:
        workspace, outside = lay_out(root, [])
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text("inside")
        scope = FolderScope(lambda: [Grant(workspace, may_write=True)])
        place = scope.locate(path, for_writing=True)
        parts = place.parts[: min(swapped, len(place.parts) - 1) + 1]
        victim = workspace.joinpath(*parts)
        if victim.is_dir():
            shutil.rmtree(victim)
        else:
            victim.unlink()
        victim.symlink_to(target.format(outside=outside))
        before = contents(outside)
        for by_descriptor in (True, False):
            files = ScopedFiles(scope, by_descriptor=by_descriptor)
            with pytest.raises(ScopeError):
                files.read(place, 100)
            with pytest.raises(ScopeError):
                files.replace(place, b"written", lambda: False)
        assert contents(outside) == before
    finally:
        shutil.rmtree(root)
