"""Checks imports, format, lint and types. Run it with the Python of the test environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    failed = []
    for name, arguments in CHECKS.items():
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, *arguments], cwd=ROOT).returncode != 0:
            failed.append(name)
    print("Failed: " + ", ".join(failed) if failed else "All checks passed.", flush=True)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
