"""Nothing of one person's machine is in the project's files."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture.tracked_files import ROOT, text_files

PINS = "scripts/constraints.txt"
SHARED_FOLDERS = {Path(name) for name in ("/", "/home", "/opt", "/root", "/tmp", "/usr", "/var")}
LOCK_FILES = re.compile(r"(^|/)([\w.-]*\.lock|package-lock\.json|yarn\.lock)$")
INDEX_OPTIONS = re.compile(
    r"^\s*(-i|-f|--(extra-)?index-url|--find-links|--trusted-host)\b|^\s*registry\s*=", re.MULTILINE
)
PACKAGE_HOSTS = re.compile(r"https?://[\w.-]*(pypi|pythonhosted|npmjs|artifact|registry)[\w.-]*/")


def machine_paths() -> list[re.Pattern[str]]:
    """Patterns for where this checkout lies, as a path that starts there."""
    is_shared = ROOT.parent in SHARED_FOLDERS or ROOT.parent.parent == Path("/home")
    folders = [ROOT] if is_shared else [ROOT, ROOT.parent]
    return [re.compile(rf"(?<![\w./-]){re.escape(str(folder))}(?![\w-])") for folder in folders]


def test_no_file_names_a_path_of_this_machine() -> None:
    patterns = machine_paths()
    found = [
        f"{name}: {match.group()}"
        for name, text in text_files()
        for pattern in patterns
        if (match := pattern.search(text))
    ]
    assert not found


def test_the_pins_name_no_place_to_download_from() -> None:
    pins = (ROOT / PINS).read_text(encoding="utf-8")
    assert not INDEX_OPTIONS.search(pins)
    assert "://" not in pins
    assert pins.count("--hash=sha256:") > pins.count("==")


def test_no_file_names_a_package_host() -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in text_files()
        if (match := PACKAGE_HOSTS.search(text))
    ]
    assert not found


def test_no_lock_file_brings_addresses() -> None:
    found = [name for name, text in text_files() if LOCK_FILES.search(name) and "://" in text]
    assert not found


def test_a_path_of_this_machine_would_be_seen() -> None:
    assert any(pattern.search(f'open("{ROOT}/x")') for pattern in machine_paths())
    assert not any(pattern.search(f"https://host{ROOT}/x") for pattern in machine_paths())


def test_an_index_in_the_pins_would_be_seen() -> None:
    assert INDEX_OPTIONS.search("a==1\n--extra-index-url somewhere")
    assert INDEX_OPTIONS.search("-f somewhere")
    host = "https://files." + "pythonhosted.org/packages"
    assert PACKAGE_HOSTS.search(host)
