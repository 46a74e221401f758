"""The checks before reading."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ankita.integrations.documents.intake import display_name, quick_check, supported_suffixes
from ankita.integrations.documents.limits import DEFAULT_LIMITS, size_in_words


@pytest.mark.spec("DOC-1", "ISL-4")
@pytest.mark.parametrize("name", ["a.txt", "a.PDF", "a.docx", "a.py", "Makefile", "a.unheard"])
def test_a_file_that_may_be_readable_passes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("x")
    assert quick_check(path) is None


@pytest.mark.spec("ISL-4")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.xlsx", "an Excel workbook"),
        ("a.PPTX", "a PowerPoint presentation"),
        ("a.png", "a picture"),
        ("a.rtf", "an RTF document"),
        ("a.zip", "a packed archive"),
    ],
)
def test_a_kind_without_a_reader_is_refused_by_name_and_says_what_is_read(
    tmp_path: Path, name: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text("x")
    reason = quick_check(path)
    assert reason is not None
    assert reason.startswith(f"{name} is {words}, which cannot be read.")
    assert "PDF" in reason


@pytest.mark.spec("ISL-4", "DOC-1")
def test_folders_missing_empty_and_large_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "large.txt").write_text("x" * 1001)
    limits = replace(DEFAULT_LIMITS, file_bytes=1000)
    assert "is a folder" in (quick_check(tmp_path) or "")
    assert "not there any more" in (quick_check(tmp_path / "gone.txt") or "")
    assert "is empty" in (quick_check(tmp_path / "empty.txt") or "")
    assert "up to 1 kB" in (quick_check(tmp_path / "large.txt", limits) or "")
    assert "cannot be opened" in (quick_check(tmp_path / "a\0b") or "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with a name are of POSIX")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    assert "is not a file" in (quick_check(pipe) or "")


def test_every_suffix_is_lower_case_with_a_dot() -> None:
    assert {".pdf", ".docx", ".md", ".csv", ".json", ".html", ".txt"} <= supported_suffixes()
    assert all(re.fullmatch(r"\.[a-z0-9_]+", suffix) for suffix in supported_suffixes())


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain name.txt", "plain name.txt"),
        ("two\nlines\t.txt", "two lines .txt"),
        ("evil\u202egpj.exe", "evilgpj.exe"),
        ("\u2066hidden\u2069.txt", "hidden.txt"),
        ("family \U0001f469\u200d\U0001f680.txt", "family \U0001f469\u200d\U0001f680.txt"),
        ("caf\udce9.txt", "caf\ufffd.txt"),
        ("\u202e", "this file"),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
def test_a_name_is_shown_as_one_harmless_line(name: str, shown: str) -> None:
    assert display_name(Path("folder", name)) == shown


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (20_000_000, "20 MB"),
        (30_500_000, "30.5 MB"),
    ],
)
def test_sizes_are_words(size: int, words: str) -> None:
    assert size_in_words(size) == words


def test_the_checks_load_no_reader() -> None:
    code = (
        "import sys, ankita.integrations.documents.intake, ankita.integrations.documents.kinds\n"
        "heavy = {'pypdfium2', 'mammoth', 'bs4', 'charset_normalizer', 'asyncio', 'zipfile'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
