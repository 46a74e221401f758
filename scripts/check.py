"""Checks imports, format, lint and types, in the test environment, which it sets up if need be."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import setup_steps
from system_packages import Level

ROOT = Path(__file__).resolve().parent.parent
IMPORT_LINTER = "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"
CHECKS = {
    "imports": ["-c", IMPORT_LINTER],
    "format": ["-m", "ruff", "format", "--check", "."],
    "lint": ["-m", "ruff", "check", "."],
    "types": ["-m", "mypy"],
}


def main() -> int:
    """Run all checks, also after one failed; the number of those that failed."""
    has_tools = importlib.util.find_spec("importlinter") is not None
    python = sys.executable if has_tools else str(setup_steps.prepare(Level.TEST))
    failed = []
    for name, arguments in CHECKS.items():
        print(f"== {name}", flush=True)
        if subprocess.run([python, *arguments], cwd=ROOT).returncode != 0:
            failed.append(name)
    print("Failed: " + ", ".join(failed) if failed else "All checks passed.", flush=True)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
