"""The files that belong to the project: what git tracks or would track."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src" / "ankita"
GENERATED = {".git", ".hypothesis", ".venv", "build", "dist", "__pycache__"}


def tracked_files() -> list[Path]:
    """Absolute paths. Without git, all files outside the generated folders."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
        command += ["--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not generated(path)]
    return [path for path in paths if path.is_file()]


def generated(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any(part in GENERATED or part.endswith(("_cache", ".egg-info")) for part in parts)


def text_files() -> Iterator[tuple[str, str]]:
    """Each tracked text file: its path from the root, and its text."""
    for path in tracked_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def product_modules() -> Iterator[tuple[str, str]]:
    """Each module of the package: its path below src/ankita, and its source."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
