"""Reading text in any encoding, ranges, and documents."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ankita.errors import (
    ScopeError,
    ToolArgumentsError,
    ToolError,
    UnreadableDocumentError,
    UnsupportedDocumentError,
)
from ankita.integrations.native.file_reading import MAX_READ_BYTES, MAX_READ_CHARACTERS
from ankita.integrations.native.provider import NativeTools
from ankita.messages import DocumentText, ToolResult
from ankita.security.scope import FolderScope
from tests.fakes.tools import make_context

pytestmark = pytest.mark.spec("TOL-1")

Call = Callable[..., Awaitable[ToolResult]]


async def test_a_file_is_given_with_its_range_and_total(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("one\ntwo\nthree\n")
    result = await call("read_file", path="a.txt")
    assert result.text == "a.txt (UTF-8), lines 1-3 of 3.\n\none\ntwo\nthree"


async def test_a_range_says_where_to_go_on(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("\n".join(str(n) for n in range(1, 1001)))
    result = await call("read_file", path="a.txt", offset=10, limit=3)
    assert result.text.split("\n\n")[1] == "10\n11\n12"
    assert "lines 10-12 of 1,000. Go on with offset=13." in result.text


async def test_an_offset_past_the_end_names_the_field(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").write_text("one\n")
    with pytest.raises(ToolArgumentsError, match=r"offset: a\.txt has 1 lines"):
        await call("read_file", path="a.txt", offset=2)


async def test_an_empty_file_is_said_to_be_empty(workspace: Path, call: Call) -> None:
    (workspace / "a.txt").touch()
    assert "empty" in (await call("read_file", path="a.txt")).text


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Grüße 👋".encode(), "UTF-8"),
        ("Grüße".encode("utf-8-sig"), "UTF-8 with mark"),
        (b"\xff\xfe" + "Grüße".encode("utf-16-le"), "UTF-16-LE with mark"),
        (b"\xfe\xff" + "Grüße".encode("utf-16-be"), "UTF-16-BE with mark"),
        (b"\xff\xfe\0\0" + "Grüße".encode("utf-32-le"), "UTF-32-LE with mark"),
        ("Grüße aus Köln\nund aus München\n".encode("cp1252"), "CP1252"),
    ],
)
async def test_encodings_are_recognised(
    workspace: Path, call: Call, content: bytes, name: str
) -> None:
    (workspace / "a.txt").write_bytes(content)
    text = (await call("read_file", path="a.txt")).text
    assert "Grüße" in text
    assert f"({name})" in text


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"\x89PNG\r\n\x1a\n\0\0", "PNG"), (b"\x7fELF\0\0", "program"), (b"a\0b", "binary data")],
)
async def test_binary_files_are_refused_with_their_kind(
    workspace: Path, call: Call, content: bytes, kind: str
) -> None:
    (workspace / "a.txt").write_bytes(content)
    with pytest.raises(ToolError, match=kind):
        await call("read_file", path="a.txt")


async def test_a_huge_file_is_refused_without_reading_it(workspace: Path, call: Call) -> None:
    with (workspace / "huge.log").open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(ToolError, match=r"too large to read: 50,000,000,000 bytes"):
        await call("read_file", path="huge.log")
    (workspace / "fits.log").write_bytes(b"x" * MAX_READ_BYTES)
    assert "characters cut" in (await call("read_file", path="fits.log")).text


async def test_long_lines_are_given_up_to_the_limit(workspace: Path, call: Call) -> None:
    line = "x" * (MAX_READ_CHARACTERS // 2 - 10)
    (workspace / "a.txt").write_text(f"{line}\n{line}\n{line}\n")
    text = (await call("read_file", path="a.txt")).text
    assert "lines 1-2 of 3. Go on with offset=3." in text


async def test_unicode_names_work(call: Call) -> None:
    name = "résumé 📄 日本語 👩‍💻.txt"
    await call("write_file", path=name, content="hello")
    assert "hello" in (await call("read_file", path=name)).text
    assert name in (await call("list_folder")).text
    assert name in (await call("find_files", pattern="*.txt")).text


async def test_what_is_no_ordinary_file_is_refused(workspace: Path, call: Call) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(ToolError, match="pipe"):
        await call("read_file", path="pipe")
    with pytest.raises(ToolError, match="folder"):
        await call("read_file", path=".")
    with pytest.raises(ToolError, match=r"There is no nothing\.txt"):
        await call("read_file", path="nothing.txt")
    with pytest.raises(ScopeError):
        await call("read_file", path="/etc/hostname")


class FakeReader:
    """Reads anything as two pages, or raises what it was given."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def read(self, path: Path, progress: Callable[[int, int], None]) -> DocumentText:
        progress(1, 2)
        if self.error:
            raise self.error
        return DocumentText(path.name, "PDF", "Hello\nWorld", 2, notes=("Page 2 holds no text.",))


async def test_documents_go_to_the_reader(workspace: Path, scope: FolderScope) -> None:
    (workspace / "a.pdf").write_bytes(b"%PDF-1.7 \0")
    lines: list[str] = []
    native = NativeTools(scope, FakeReader(), is_secret=lambda _n, _v: False)
    result = await native.call("read_file", {"path": "a.pdf"}, make_context(lines.append))
    head = "a.pdf (PDF, 2 pages), lines 1-2 of 2. Page 2 holds no text."
    assert result.text == f"{head}\n\nHello\nWorld"
    assert lines == ["Page 1 of 2"]


async def test_reader_errors_are_told_to_the_model(workspace: Path, scope: FolderScope) -> None:
    (workspace / "a.pdf").write_bytes(b"%PDF-1.7 \0")
    (workspace / "a.bin").write_bytes(b"\0\1")
    locked = FakeReader(UnreadableDocumentError("a.pdf needs a password."))
    native = NativeTools(scope, locked, is_secret=lambda _n, _v: False)
    with pytest.raises(ToolError, match="password"):
        await native.call("read_file", {"path": "a.pdf"}, make_context())
    picky = FakeReader(UnsupportedDocumentError("No reader."))
    native = NativeTools(scope, picky, is_secret=lambda _n, _v: False)
    with pytest.raises(ToolError, match="binary data"):
        await native.call("read_file", {"path": "a.bin"}, make_context())
    with pytest.raises(ToolError, match=r"There is no gone\.pdf"):
        await native.call("read_file", {"path": "gone.pdf"}, make_context())
