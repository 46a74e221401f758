"""What a person gets who installs the wheel."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

import ankita
from tests.architecture.tracked_files import SOURCE, tracked_files
from tests.integration.built_wheel import Installation, build_wheel, install, run

DESKTOP_ENTRY = "share/applications/ankita.desktop"
ICON = "share/icons/hicolor/scalable/apps/ankita.svg"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(wheel, tmp_path_factory.mktemp("prefix"))


@pytest.mark.spec("PKG-1")
def test_the_wheel_brings_a_menu_entry_and_an_icon(installed: Installation) -> None:
    entry = (installed.prefix / DESKTOP_ENTRY).read_text(encoding="utf-8")
    assert "Exec=ankita\n" in entry
    assert "Icon=ankita\n" in entry
    assert "<svg" in (installed.prefix / ICON).read_text(encoding="utf-8")


@pytest.mark.spec("PKG-1")
def test_the_menu_entry_is_valid(installed: Installation) -> None:
    validate = shutil.which("desktop-file-validate")
    if validate is None:
        pytest.skip("desktop-file-validate is not installed")
    assert run(validate, installed.prefix / DESKTOP_ENTRY) == ""


@pytest.mark.spec("PKG-1")
def test_the_installed_command_runs_from_the_wheel(installed: Installation) -> None:
    assert ankita.__version__ in run(installed.ankita, "--version")
    where = run(installed.python, "-c", "import ankita; print(ankita.__file__)")
    assert Path(where.strip()).is_relative_to(installed.prefix)


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    sources = SOURCE.parent
    expected = {
        path.relative_to(sources).as_posix()
        for path in tracked_files()
        if path.is_relative_to(sources)
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    data = f"ankita-{ankita.__version__}.data/data/"
    assert packed == expected | {data + DESKTOP_ENTRY, data + ICON}
