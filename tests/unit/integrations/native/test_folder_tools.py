"""Listing, finding and searching within limits that are said."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ankita.errors import ScopeError, ToolArgumentsError, ToolError
from ankita.integrations.native.folder_walk import FolderWalk, matches_glob
from ankita.integrations.native.text_search import TextSearch, literal_finder, regex_finder
from ankita.messages import ToolResult

pytestmark = pytest.mark.spec("TOL-1")

Call = Callable[..., Awaitable[ToolResult]]


def lay_out(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"text of {path}\n")


async def test_a_folder_is_listed_as_deep_as_asked(workspace: Path, call: Call) -> None:
    lay_out(workspace, "b/c/d.txt", "a.txt")
    assert (await call("list_folder")).text == ".: 2 entries.\n\na.txt (14 bytes)\nb/"
    deep = (await call("list_folder", depth=3)).text
    assert deep.endswith("b/\n  c/\n    d.txt (18 bytes)")


async def test_links_are_shown_and_not_entered(workspace: Path, tmp_path: Path, call: Call) -> None:
    lay_out(tmp_path, "secret/plan.txt")
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "plan.txt").symlink_to(tmp_path / "secret/plan.txt")
    listed = (await call("list_folder", depth=5)).text
    assert "out (link)" in listed
    assert "secret" not in listed
    assert "0 lines found" in (await call("search_files", pattern="text of")).text
    with pytest.raises(ScopeError):
        await call("list_folder", path="out")


async def test_too_many_entries_are_cut_and_said(workspace: Path, call: Call) -> None:
    for number in range(501):
        (workspace / f"{number:04}").touch()
    result = await call("list_folder")
    assert "Incomplete: over 500 results." in result.text
    assert result.data["incomplete"] is True


async def test_files_are_found_by_name(workspace: Path, call: Call) -> None:
    lay_out(workspace, "a.py", "src/b.py", "src/deep/c.py", "src/d.ts", "node_modules/e.py")
    result = await call("find_files", pattern="*.py")
    assert result.text.split("\n\n")[1].split("\n") == ["a.py", "src/b.py", "src/deep/c.py"]
    assert "Not entered: node_modules." in result.text
    assert (
        "node_modules/e.py" in (await call("find_files", pattern="*.py", path="node_modules")).text
    )


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/a", "a", True),
        ("/a", "x/a", False),
        ("*.{ts,tsx}", "x/a.tsx", True),
        ("*.{ts,tsx}", "a.js", False),
        ("{a,b{c,d}}", "bd", True),
        ("a?c", "abc", True),
        ("[ab]c", "bc", True),
        ("**", "a/b", True),
        ("}{", "}{", True),
    ],
)
def test_patterns_fit_as_in_other_tools(pattern: str, path: str, fits: bool) -> None:
    assert matches_glob(path, pattern) is fits


def test_a_hostile_pattern_is_matched_quickly() -> None:
    assert not matches_glob("/".join(["a"] * 60), "/".join(["**", "a"] * 60) + "/b")
    assert not matches_glob("a" * 200, "*a" * 100 + "b")
    assert not matches_glob("x", "{a,b}" * 80)


async def test_lines_are_found_with_file_and_number(workspace: Path, call: Call) -> None:
    lay_out(workspace, "a.txt", "b/c.txt")
    (workspace / "b/c.txt").write_bytes(b"one\r\nTwo (2)\r\n")
    result = await call("search_files", pattern="two (", ignore_case=True)
    assert result.text == "1 lines found in 2 files.\n\nb/c.txt:2: Two (2)"
    assert "b/c.txt:2" in (await call("search_files", pattern=r"^T\w+ \(\d\)", regex=True)).text
    assert "b/c.txt:1" in (await call("search_files", pattern="one", path="b/c.txt")).text
    assert "0 lines" in (await call("search_files", pattern="one", glob="a.*")).text
    assert "(.txt" not in (await call("search_files", pattern="one", path="b")).text


async def test_files_that_cannot_be_searched_are_counted(workspace: Path, call: Call) -> None:
    (workspace / "a.bin").write_bytes(b"needle\0")
    (workspace / "big.txt").write_bytes(b"needle\n" * 300_000)
    (workspace / "cp1252.txt").write_bytes("Größe: needle\n".encode("cp1252"))
    text = (await call("search_files", pattern="needle")).text
    assert "cp1252.txt:1" in text
    assert "(not text): 1." in text
    assert "(over 2,000,000 bytes): 1." in text


async def test_search_stops_at_the_limit_and_says_so(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("needle\n" * 1000)
    text = (await call("search_files", pattern="needle")).text
    assert "Incomplete: stopped at 100 lines." in text
    assert text.count("a.txt:") == 100


async def test_a_regular_expression_that_is_none_names_the_field(call: Call) -> None:
    for pattern in ["(", "(" * 450, "*a"]:
        with pytest.raises(ToolArgumentsError) as refused:
            await call("search_files", pattern=pattern, regex=True)
        assert refused.value.field == "pattern"


@pytest.mark.parametrize(
    "pattern", [r"(a|aa)+$", r"(?R)", r"(?:(?:(?:a{1,200}){1,200}){1,200}){1,200}b"]
)
def test_a_hostile_regular_expression_ends_at_the_deadline(workspace: Path, pattern: str) -> None:
    (workspace / "a.txt").write_text("a" * 3000 + "c")
    walk = FolderWalk(workspace, lambda: False, max_seconds=0.2)
    find = regex_finder(pattern, ignore_case=False)
    result = TextSearch(walk, find, lambda path, _limit: Path(path).read_bytes(), "").run("")
    assert "Incomplete: it took too long." in result.notes


def test_the_walk_ends_at_each_limit(workspace: Path) -> None:
    lay_out(workspace, "a", "b", "c/d")
    few = FolderWalk(workspace, lambda: False, max_entries=2)
    assert [entry.relative for entry in few.entries()] == ["a", "b"]
    assert few.notes() == ["Incomplete: over 2 entries."]
    stopped = FolderWalk(workspace, lambda: True)
    assert list(stopped.entries()) == []
    times = iter([0.0, 1.0, 2.0, 9.0])
    slow = FolderWalk(workspace, lambda: False, max_seconds=3, monotonic=lambda: next(times))
    assert [entry.relative for entry in slow.entries()] == ["a", "b"]
    assert slow.notes() == ["Incomplete: it took too long."]


def test_the_walk_goes_no_deeper_than_the_limit(workspace: Path) -> None:
    lay_out(workspace, "/".join(["x"] * 25))
    walk = FolderWalk(workspace, lambda: False)
    assert max(entry.depth for entry in walk.entries()) == 20
    assert "deeper than 20" in walk.notes()[0]


async def test_what_is_not_there_is_said(workspace: Path, call: Call) -> None:
    for tool, more in [("list_folder", {}), ("find_files", {"pattern": "*"})]:
        with pytest.raises(ToolError, match="There is no gone"):
            await call(tool, path="gone", **more)
    with pytest.raises(ToolError, match="There is no gone"):
        await call("search_files", path="gone", pattern="x")
    lay_out(workspace, "a.txt")
    with pytest.raises(ToolError, match=r"a\.txt could not be listed"):
        await call("list_folder", path="a.txt")


async def test_names_that_are_not_unicode_do_not_break_a_list(workspace: Path, call: Call) -> None:
    (workspace / os.fsdecode(b"bad\xff\nname")).write_text("needle")
    for tool, more in [
        ("list_folder", {}),
        ("find_files", {"pattern": "bad*"}),
        ("search_files", {"pattern": "needle"}),
    ]:
        text = (await call(tool, **more)).text
        assert "bad??name" in text
        text.encode("utf-8")


def test_a_match_far_right_in_a_long_line_is_shown(workspace: Path) -> None:
    (workspace / "a.txt").write_text("x" * 3000 + "needle" + "y" * 3000)
    walk = FolderWalk(workspace, lambda: False)
    find = literal_finder("needle", ignore_case=False)
    result = TextSearch(walk, find, lambda path, _limit: Path(path).read_bytes(), "").run("")
    assert "needle" in result.lines[0]
    assert len(result.lines[0]) < 250
    assert any("first 5,000 letters" in note for note in result.notes)
