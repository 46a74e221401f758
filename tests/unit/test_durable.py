"""Small files: whole whatever fails, private, inside their folder, never overwritten unread."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ankita.atomic_replace import DiskCalls
from ankita.durable import MAX_FILE_BYTES, DurableFiles
from ankita.errors import (
    AnkitaError,
    DamagedDataError,
    DiskFullError,
    NewerDataError,
    StoredDataError,
    WriteError,
)
from ankita.paths import HAS_FILE_MODES

FILE = Path("settings.json")
OLD, NEW = b"old content", b"new and longer content"


class FaultyDisk:
    """Lets a number of calls through and then fails each one with the given error."""

    def __init__(self, good_calls: int, error: int) -> None:
        self.left = good_calls
        self.error = error

    def calls(self) -> DiskCalls:
        real = DiskCalls()
        return DiskCalls(
            self._wrap(real.open),
            self._wrap(real.write),
            self._wrap(real.sync),
            self._wrap(real.replace),
        )

    def _wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            if self.left == 0:
                raise OSError(self.error, os.strerror(self.error))
            self.left -= 1
            return call(*arguments)

        return counted


class FixedClock:
    def now(self) -> datetime:
        return datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


def visible(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock"))


@pytest.mark.spec("SEC-9")
def test_what_was_written_is_read_and_nothing_else_is_left(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    files.write_bytes(FILE, OLD)
    files.write_bytes(FILE, NEW)
    assert files.read_bytes(FILE) == NEW
    assert visible(tmp_path) == [FILE.name]


def test_text_and_documents_come_back_as_they_were(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    files.write_text(FILE, "grüße 🔑\n")
    assert files.read_text(FILE) == "grüße 🔑\n"
    document = {"version": 1, "name": "अंकिता", "half": "\ud800"}
    files.write_json(FILE, document)
    assert files.read_json(FILE, 1) == document


def test_a_persons_language_stays_readable_in_the_file(tmp_path: Path) -> None:
    DurableFiles(tmp_path).write_json(FILE, {"version": 1, "name": "अंकिता"})
    assert "अंकिता" in (tmp_path / FILE).read_text("utf-8")


def test_an_absent_file_reads_as_none(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    assert files.read_bytes(FILE) is None
    assert files.read_text(FILE) is None
    assert files.read_json(FILE, 1) is None


@pytest.mark.skipif(not HAS_FILE_MODES, reason="the system has no file modes")
@pytest.mark.parametrize("umask", [0o000, 0o277])
@pytest.mark.spec("APP-7", "SEC-9")
def test_files_are_private_whatever_the_umask_and_the_old_mode(tmp_path: Path, umask: int) -> None:
    (tmp_path / FILE).write_bytes(OLD)
    (tmp_path / FILE).chmod(0o644)
    former = os.umask(umask)
    try:
        DurableFiles(tmp_path).write_bytes(FILE, NEW)
    finally:
        os.umask(former)
    modes = {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    assert modes == {0o600}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("has_old", [True, False])
@pytest.mark.spec("SEC-9")
def test_a_fault_at_any_step_raises_and_leaves_the_old_content(
    tmp_path: Path, error: int, has_old: bool
) -> None:
    expected = DiskFullError if error == errno.ENOSPC else WriteError
    for good_calls in range(20):
        if has_old:
            (tmp_path / FILE).write_bytes(OLD)
        disk = FaultyDisk(good_calls, error)
        files = DurableFiles(tmp_path, disk=disk.calls())
        try:
            files.write_bytes(FILE, NEW)
        except expected:
            assert files.read_bytes(FILE) == (OLD if has_old else None)
            assert visible(tmp_path) == ([FILE.name] if has_old else [])
        else:
            break
    assert files.read_bytes(FILE) == NEW
    assert good_calls >= (6 if os.name == "posix" else 4)  # every step had its turn


@pytest.mark.spec("SEC-9")
def test_everything_is_flushed_before_and_after_the_file_gets_its_name(tmp_path: Path) -> None:
    steps: list[str] = []
    real = DiskCalls()

    def sync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("sync folder" if is_folder else "sync file")
        real.sync(descriptor)

    def swap(source: Path, target: Path) -> None:
        steps.append("replace")
        real.replace(source, target)

    disk = replace(real, sync=sync, replace=swap)
    DurableFiles(tmp_path, disk=disk).write_bytes(FILE, NEW)
    assert steps == ["sync file", "replace", *(["sync folder"] if os.name == "posix" else [])]


def test_a_disk_that_writes_in_pieces_still_gets_it_all(tmp_path: Path) -> None:
    real = DiskCalls()
    disk = replace(real, write=lambda descriptor, data: real.write(descriptor, data[:3]))
    files = DurableFiles(tmp_path, disk=disk)
    files.write_bytes(FILE, NEW)
    assert files.read_bytes(FILE) == NEW


def test_a_disk_that_writes_something_else_is_caught_before_the_old_content_goes(
    tmp_path: Path,
) -> None:
    (tmp_path / FILE).write_bytes(OLD)
    real = DiskCalls()
    disk = replace(real, write=lambda descriptor, data: real.write(descriptor, b"?" * len(data)))
    files = DurableFiles(tmp_path, disk=disk)
    with pytest.raises(WriteError):
        files.write_bytes(FILE, NEW)
    assert files.read_bytes(FILE) == OLD


@pytest.mark.spec("SEC-9")
def test_a_file_over_the_limit_is_refused_and_the_old_one_kept(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    files.write_bytes(FILE, OLD)
    with pytest.raises(WriteError, match="16 MB"):
        files.write_bytes(FILE, bytes(MAX_FILE_BYTES + 1))
    assert files.read_bytes(FILE) == OLD
    files.write_bytes(FILE, bytes(MAX_FILE_BYTES))


def test_a_file_that_grew_over_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / FILE).open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(DamagedDataError, match="too large"):
        DurableFiles(tmp_path).read_bytes(FILE)


@pytest.mark.parametrize(
    "path", ["../outside.json", "link.json", "folder/outside.json", ".", "a\0b"]
)
@pytest.mark.spec("SEC-9")
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    owned = tmp_path / "owned"
    owned.mkdir()
    outside = tmp_path / "outside.json"
    outside.write_bytes(OLD)
    (owned / "link.json").symlink_to(outside)
    (owned / "folder").symlink_to(tmp_path)
    files = DurableFiles(owned)
    calls: list[Callable[[], object]] = [
        lambda: files.write_bytes(Path(path), NEW),
        lambda: files.read_bytes(Path(path)),
        lambda: files.keep_aside(Path(path), "test"),
    ]
    for call in calls:
        with pytest.raises(WriteError):
            call()
    assert outside.read_bytes() == OLD


def test_a_link_inside_the_folder_keeps_pointing_at_the_new_content(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_bytes(OLD)
    (tmp_path / FILE).symlink_to(tmp_path / "real.json")
    DurableFiles(tmp_path).write_bytes(FILE, NEW)
    assert (tmp_path / FILE).is_symlink()
    assert (tmp_path / "real.json").read_bytes() == NEW


def test_a_folder_reached_through_a_link_works(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    DurableFiles(tmp_path / "link").write_bytes(tmp_path / "link" / FILE, NEW)
    assert (tmp_path / "real" / FILE).read_bytes() == NEW


def test_a_folder_that_is_gone_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"settings\.json"):
        DurableFiles(tmp_path / "gone").write_bytes(FILE, NEW)


def test_what_a_killed_writer_left_is_removed_but_nothing_else(tmp_path: Path) -> None:
    (tmp_path / f".{FILE.name}.0123.tmp").touch()
    (tmp_path / ".other.json.0123.tmp").touch()
    DurableFiles(tmp_path).write_bytes(FILE, NEW)
    assert visible(tmp_path) == [".other.json.0123.tmp", FILE.name]


def test_a_change_sees_the_old_content_and_an_error_in_it_writes_nothing(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    files.update_bytes(FILE, lambda old: b"first" if old is None else b"?")
    files.update_bytes(FILE, lambda old: (old or b"") + b" second")

    def fails(_old: bytes | None) -> bytes:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        files.update_bytes(FILE, fails)
    assert files.read_bytes(FILE) == b"first second"


def test_a_file_that_someone_else_is_writing_is_an_error_in_words(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path, lock_timeout_seconds=0)

    def meanwhile(_old: bytes | None) -> bytes:
        files.write_bytes(FILE, NEW)
        return OLD

    with pytest.raises(WriteError, match="still writing"):
        files.update_bytes(FILE, meanwhile)
    assert files.read_bytes(FILE) is None


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", DamagedDataError),
        (b'{"version": 1', DamagedDataError),
        (b"\xff\xfe", DamagedDataError),
        (b"[1]", DamagedDataError),
        (b"{}", DamagedDataError),
        (b'{"version": true}', DamagedDataError),
        (b'{"version": "1"}', DamagedDataError),
        (b'{"version": 0}', DamagedDataError),
        (b"[" * 100_000, DamagedDataError),
        (b'{"version": 3}', NewerDataError),
    ],
)
def test_a_document_that_can_not_be_used_is_refused_and_left(
    tmp_path: Path, content: bytes, error: type[AnkitaError]
) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(error, match=r"settings\.json"):
        DurableFiles(tmp_path).read_json(FILE, 2)
    assert (tmp_path / FILE).read_bytes() == content


def test_text_that_is_not_utf_8_is_damage(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff")
    with pytest.raises(DamagedDataError):
        DurableFiles(tmp_path).read_text(FILE)


def test_a_folder_in_the_place_of_a_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    files = DurableFiles(tmp_path)
    with pytest.raises(StoredDataError):
        files.read_bytes(FILE)
    with pytest.raises(StoredDataError):
        files.write_bytes(FILE, NEW)
    assert (tmp_path / FILE).is_dir()


def test_a_document_with_a_value_json_does_not_know_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        DurableFiles(tmp_path).write_json(FILE, {"version": 1, "size": float("nan")})
    assert visible(tmp_path) == []


def test_damaged_files_are_kept_under_names_of_their_own(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path, clock=FixedClock())
    kept = []
    for content in (b"first", b"second", b"third"):
        (tmp_path / FILE).write_bytes(content)
        kept.append(files.keep_aside(FILE, "not valid JSON"))
    assert [path.name for path in kept] == [
        "settings.json.damaged-20310506T070809Z",
        "settings.json.damaged-20310506T070809Z-2",
        "settings.json.damaged-20310506T070809Z-3",
    ]
    assert [path.read_bytes() for path in kept] == [b"first", b"second", b"third"]
    assert files.read_bytes(FILE) is None


def test_keeping_aside_what_is_not_there_is_an_error_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        DurableFiles(tmp_path).keep_aside(FILE, "test")
    assert visible(tmp_path) == []


def test_documents_are_plain_json(tmp_path: Path) -> None:
    DurableFiles(tmp_path).write_json(FILE, {"version": 1})
    assert json.loads((tmp_path / FILE).read_bytes()) == {"version": 1}
