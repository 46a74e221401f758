"""How a command line is started on this system."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_POWERSHELL_BEFORE = (
    "$ProgressPreference = 'SilentlyContinue'\n"
    "[Console]::OutputEncoding = [System.Text.Encoding]::UTF8\n"
)
_POWERSHELL_AFTER = "\nexit $(if ($?) { 0 } elseif ($LASTEXITCODE) { $LASTEXITCODE } else { 1 })\n"


def shell_arguments(command: str, *, windows: bool = sys.platform == "win32") -> list[str]:
    """The program and its arguments that run `command`: /bin/sh or PowerShell."""
    if not windows:
        return ["/bin/sh", "-c", command]
    program = shutil.which("pwsh") or "powershell.exe"
    # Encoded, because quoting for PowerShell and for Windows differ.
    script = f"{_POWERSHELL_BEFORE}{command}{_POWERSHELL_AFTER}"
    encoded = base64.b64encode(script.encode("utf-16-le")).decode("ascii")
    options = ["-NoProfile", "-NonInteractive", "-OutputFormat", "Text"]
    return [program, *options, "-EncodedCommand", encoded]


def start_shell(
    command: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a command in a group of its own, without input, both outputs in one pipe.

    Raises OSError.
    """
    arguments = shell_arguments(command)
    if sys.platform == "win32":
        return subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW,
        )
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
