"""The layers of the package hold, as written in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.tracked_files import ROOT


def test_every_import_follows_the_contracts() -> None:
    code = "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"
    command = [sys.executable, "-c", code, "--no-logo", "--no-cache"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
