"""Builds the project's wheel and installs it as a person would, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUIET = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


def run(*command: str | Path) -> str:
    """Standard output of a command that must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(
        [str(part) for part in command],
        env=environment | QUIET,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def build_wheel(folder: Path) -> Path:
    """Build the wheel into `folder` with the pinned build backend."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("ankita-*.whl")
    return wheel


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel in it."""

    prefix: Path

    @property
    def scripts(self) -> Path:
        return self.prefix / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        return self.scripts / ("python.exe" if os.name == "nt" else "python")

    @property
    def ankita(self) -> Path:
        return self.scripts / ("ankita.exe" if os.name == "nt" else "ankita")


def install(wheel: Path, prefix: Path) -> Installation:
    """A fresh environment that has this wheel and borrows the libraries of the tests'."""
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(prefix)
    installed = Installation(prefix)
    pip = [sys.executable, "-m", "pip", "--python", installed.python, "install"]
    run(*pip, "--quiet", "--no-deps", wheel)
    names = {"base": str(prefix), "platbase": str(prefix)}
    site_packages = Path(sysconfig.get_path("purelib", scheme="venv", vars=names))
    borrowed = sysconfig.get_path("purelib")
    # A .pth file inside a borrowed folder is not read, so the checkout stays out of reach.
    (site_packages / "borrowed.pth").write_text(borrowed + "\n", encoding="utf-8")
    return installed
