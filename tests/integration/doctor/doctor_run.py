"""`ankita doctor` as a process on a profile, its answer read back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 90
ROOT = Path(__file__).parents[3]

Finding = dict[str, str]


@dataclass(frozen=True)
class Run:
    """`findings` by name; empty for a run without `--json`."""

    code: int
    output: str
    errors: str
    findings: dict[str, Finding]

    def state(self, name: str) -> str:
        return self.findings[name]["state"]

    def found(self, name: str) -> str:
        return self.findings[name]["found"]

    def advice(self, name: str) -> str:
        return self.findings[name]["advice"]


def doctor(
    profile: Path | str,
    *,
    as_text: bool = False,
    env: dict[str, str] | None = None,
    before: Sequence[str] = (),
) -> Run:
    """Run it with `--json` unless `as_text`; `before` is a command that starts it."""
    variables = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [*before, sys.executable, "-m", "ankita", "doctor", *([] if as_text else ["--json"])],
        env=variables | {"ANKITA_HOME": str(profile)} | (env or {}),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    findings = [] if as_text else json.loads(done.stdout)
    return Run(done.returncode, done.stdout, done.stderr, {f["name"]: f for f in findings})


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, size and time of the last change of everything in a folder."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        stat = path.lstat()
        found[str(path)] = (stat.st_mode, stat.st_size, stat.st_mtime_ns)
    return found
