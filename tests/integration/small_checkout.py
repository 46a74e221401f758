"""A checkout in small: the real scripts around a project that installs in a moment, offline."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"
SCRIPT_FILES = ("run.py", "setup_steps.py", "system_packages.py")

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "ankita"
version = "1.0"
[tool.hatch]
"""

BACKEND = """\
import pathlib
import zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "ankita-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr("ankita.pth", str(pathlib.Path("src").resolve()))
        about = "ankita-1.0.dist-info/"
        metadata = "Metadata-Version: 2.1\\nName: ankita\\nVersion: 1.0\\n"
        wheel.writestr(about + "METADATA", metadata)
        tags = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(about + "WHEEL", tags)
        wheel.writestr(about + "RECORD", "")
    return name
"""

APP = "import sys, pinned; print('started', pinned.VERSION, sys.argv[1:])\n"


class SmallCheckout:
    """`run` starts its scripts/run.py; `pin` chooses what the environment must hold."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.wheels = folder / "wheels"
        self.venv = self.root / ".venv"
        self.stamp = self.venv / "setup.json"
        (self.root / "src" / "ankita").mkdir(parents=True)
        (self.root / "scripts").mkdir()
        self.wheels.mkdir()
        for name in SCRIPT_FILES:
            shutil.copy(SCRIPTS / name, self.root / "scripts" / name)
        (self.root / "pyproject.toml").write_text(PYPROJECT)
        (self.root / "backend.py").write_text(BACKEND)
        (self.root / "src" / "ankita" / "__init__.py").write_text("")
        (self.root / "src" / "ankita" / "__main__.py").write_text(APP)
        self.pin("1")

    def pin(self, version: str, *, digest: str | None = None) -> None:
        """Offer this version of a library, and pin it by its hash, or by a wrong one."""
        wheel = self.wheels / f"pinned-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            about = f"pinned-{version}.dist-info"
            archive.writestr("pinned.py", f"VERSION = {version!r}\n")
            metadata = f"Metadata-Version: 2.1\nName: pinned\nVersion: {version}\n"
            archive.writestr(f"{about}/METADATA", metadata)
            tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            archive.writestr(f"{about}/WHEEL", tags)
            archive.writestr(f"{about}/RECORD", "")
        digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
        sections = [
            "# --- run: what the app needs, and what installs it ---",
            f"pinned=={version} --hash=sha256:{digest}",
            "# --- test: what the checks and the tests need in addition ---",
        ]
        (self.root / "scripts" / "constraints.txt").write_text("\n".join(sections) + "\n")

    def start(self, *arguments: str, display: str = "") -> subprocess.Popen[str]:
        """Start scripts/run.py; no package index is in its reach."""
        environment = {name: value for name, value in os.environ.items() if name[:4] != "PIP_"}
        environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        environment |= {"DISPLAY": display, "WAYLAND_DISPLAY": ""}
        return subprocess.Popen(
            [sys.executable, "scripts/run.py", *arguments],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, display: str = "") -> subprocess.CompletedProcess[str]:
        with self.start(*arguments, display=display) as process:
            out, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, errors)
