"""A command that may be remembered runs no program that a project's own files name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ankita.integrations.native.shell import start_shell
from ankita.security.command_line import read_command, this_shell

pytestmark = [
    pytest.mark.spec("APR-19"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
    pytest.mark.skipif(sys.platform == "win32", reason="the program in the file is for /bin/sh"),
]


def test_a_remembered_git_command_runs_no_program_of_the_project(tmp_path: Path) -> None:
    command = "git status"
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    mark = tmp_path / "ran"
    config = tmp_path / ".git" / "config"
    config.write_text(f'{config.read_text()}[core]\n\tfsmonitor = "touch {mark}; false"\n')
    process = start_shell(command, tmp_path, dict(os.environ))
    process.communicate(timeout=20)
    may_be_remembered = read_command(command, this_shell()).may_be_remembered
    assert not (may_be_remembered and mark.exists())
