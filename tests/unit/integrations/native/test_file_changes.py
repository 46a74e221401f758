"""Writing and editing: whole or not at all, and nothing but what was asked."""

from __future__ import annotations

import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ankita.errors import ScopeError, ToolArgumentsError, ToolError
from ankita.integrations.native.provider import NativeTools
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.messages import ToolResult
from ankita.security.scope import FolderScope
from tests.fakes.tools import make_context

pytestmark = pytest.mark.spec("TOL-1")

Call = Callable[..., Awaitable[ToolResult]]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_new_file_is_made_with_its_folders(workspace: Path, call: Call) -> None:
    result = await call("write_file", path="a/b/c.txt", content="hé\n")
    assert (workspace / "a/b/c.txt").read_bytes() == "hé\n".encode()
    assert result.data["created"] is True
    assert "Created a/b/c.txt" in result.text


async def test_replacing_keeps_the_mode_and_leaves_no_draft(workspace: Path, call: Call) -> None:
    (workspace / "run.sh").write_text("old")
    (workspace / "run.sh").chmod(0o750)
    result = await call("write_file", path="run.sh", content="new")
    assert result.data["created"] is False
    assert (workspace / "run.sh").stat().st_mode & 0o7777 == 0o750
    assert names(workspace) == ["run.sh"]


async def test_a_new_file_gets_the_usual_mode(workspace: Path, call: Call) -> None:
    (workspace / "usual").touch()
    await call("write_file", path="new", content="")
    assert (workspace / "new").stat().st_mode == (workspace / "usual").stat().st_mode


async def test_a_file_marked_read_only_is_left_alone(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("old")
    (workspace / "a.txt").chmod(0o444)
    with pytest.raises(ToolError, match="read-only"):
        await call("write_file", path="a.txt", content="new")
    with pytest.raises(ToolError, match="read-only"):
        await call("edit_file", path="a.txt", old_text="old", new_text="new")
    assert (workspace / "a.txt").read_text() == "old"


async def test_a_folder_granted_for_reading_only_is_left_alone(tmp_path: Path, call: Call) -> None:
    book = tmp_path / "library" / "book.txt"
    book.write_text("old")
    assert "old" in (await call("read_file", path=str(book))).text
    with pytest.raises(ScopeError):
        await call("write_file", path=str(book), content="new")
    assert book.read_text() == "old"


async def test_writing_through_a_link_that_leaves_is_refused(
    workspace: Path, tmp_path: Path, call: Call
) -> None:
    (workspace / "out").symlink_to(tmp_path)
    with pytest.raises(ScopeError):
        await call("write_file", path="out/new.txt", content="x")
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.parametrize("by_descriptor", [True, False])
@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EIO, "could not be written")]
)
async def test_a_failing_disk_leaves_the_old_content_whole(
    workspace: Path, scope: FolderScope, number: int, words: str, by_descriptor: bool
) -> None:
    (workspace / "a.txt").write_text("old content")
    written: list[int] = []

    def write(descriptor: int, content: memoryview) -> int:
        if written:
            raise OSError(number, os.strerror(number))
        written.append(os.write(descriptor, content[:3]))
        return written[0]

    files = ScopedFiles(scope, write=write, by_descriptor=by_descriptor)
    native = NativeTools(scope, is_secret=lambda _n, _v: False, files=files)
    with pytest.raises(ToolError, match=words):
        await native.call("write_file", {"path": "a.txt", "content": "new one"}, make_context())
    assert (workspace / "a.txt").read_text() == "old content"
    assert names(workspace) == ["a.txt"]


async def test_a_short_write_is_continued(workspace: Path, scope: FolderScope) -> None:
    files = ScopedFiles(scope, write=lambda descriptor, part: os.write(descriptor, part[:2]))
    native = NativeTools(scope, is_secret=lambda _n, _v: False, files=files)
    await native.call("write_file", {"path": "a", "content": "abcdefg"}, make_context())
    assert (workspace / "a").read_text() == "abcdefg"


@pytest.mark.spec("SEC-12")
@pytest.mark.parametrize("marker", ["[REDACTED:aws_key]", "[STORED:keychain:github]"])
async def test_a_hidden_secret_is_not_written_over_the_real_one(
    workspace: Path, call: Call, marker: str
) -> None:
    (workspace / ".env").write_text("KEY=real\nPORT=1\n")
    with pytest.raises(ToolArgumentsError, match="real value would be lost"):
        await call("write_file", path=".env", content=f"KEY={marker}\nPORT=2\n")
    with pytest.raises(ToolArgumentsError) as refused:
        await call("edit_file", path=".env", old_text="PORT=1", new_text=f"KEY={marker}")
    assert refused.value.field == "new_text"
    assert (workspace / ".env").read_text() == "KEY=real\nPORT=1\n"


async def test_a_marker_that_the_file_holds_itself_may_stay(workspace: Path, call: Call) -> None:
    (workspace / "doc.md").write_text("We print [REDACTED:x] here.\n")
    await call("edit_file", path="doc.md", old_text="print [REDACTED:x]", new_text="[REDACTED:x]")
    assert (workspace / "doc.md").read_text() == "We [REDACTED:x] here.\n"


async def test_an_edit_changes_only_the_passage(workspace: Path, call: Call) -> None:
    (workspace / "a.py").write_text("a = 1\nb = 2\nc = 3\n")
    result = await call("edit_file", path="a.py", old_text="b = 2", new_text="b = 20")
    assert (workspace / "a.py").read_text() == "a = 1\nb = 20\nc = 3\n"
    assert result.text == "Changed 1 place in a.py, from line 2."


async def test_an_edit_that_is_not_unique_is_refused_with_the_count(
    workspace: Path, call: Call
) -> None:
    (workspace / "a.txt").write_text("x = 1\nx = 1\nx = 1\n")
    with pytest.raises(ToolError, match="3 times; nothing was changed"):
        await call("edit_file", path="a.txt", old_text="x = 1", new_text="y")
    assert (workspace / "a.txt").read_text() == "x = 1\nx = 1\nx = 1\n"
    result = await call("edit_file", path="a.txt", old_text="x = 1", new_text="y", replace_all=True)
    assert (workspace / "a.txt").read_text() == "y\ny\ny\n"
    assert "3 places" in result.text


async def test_a_passage_that_is_not_there_is_refused(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("hello")
    with pytest.raises(ToolError, match="not found; nothing was changed"):
        await call("edit_file", path="a.txt", old_text="Hello", new_text="bye")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
async def test_windows_line_breaks_and_the_mark_are_kept(
    workspace: Path, call: Call, mark: bytes
) -> None:
    (workspace / "a.txt").write_bytes(mark + b"one\r\ntwo\r\nthree\r\n")
    await call("edit_file", path="a.txt", old_text="one\ntwo\n", new_text="1\n2\n2b\n")
    assert (workspace / "a.txt").read_bytes() == mark + b"1\r\n2\r\n2b\r\nthree\r\n"


async def test_the_encoding_is_kept(workspace: Path, call: Call) -> None:
    text = "Grüße aus Köln\nund aus München\n"
    (workspace / "a.txt").write_bytes(text.encode("cp1252"))
    await call("edit_file", path="a.txt", old_text="Köln", new_text="Düren")
    assert (workspace / "a.txt").read_bytes() == text.replace("Köln", "Düren").encode("cp1252")
    with pytest.raises(ToolArgumentsError, match="has no character"):
        await call("edit_file", path="a.txt", old_text="Düren", new_text="東京")


async def test_text_that_is_not_valid_unicode_names_the_field(call: Call) -> None:
    with pytest.raises(ToolArgumentsError) as refused:
        await call("write_file", path="a.txt", content="a\ud800b")
    assert refused.value.field == "content"


async def test_a_file_that_changes_during_an_edit_is_not_overwritten(
    workspace: Path, scope: FolderScope
) -> None:
    (workspace / "a.txt").write_text("old")

    def write(descriptor: int, content: memoryview) -> int:
        (workspace / "a.txt").write_text("the user's own words")
        return os.write(descriptor, content)

    native = NativeTools(
        scope, is_secret=lambda _n, _v: False, files=ScopedFiles(scope, write=write)
    )
    arguments = {"path": "a.txt", "old_text": "old", "new_text": "new"}
    with pytest.raises(ToolError, match="changed by something else"):
        await native.call("edit_file", arguments, make_context())
    assert (workspace / "a.txt").read_text() == "the user's own words"
