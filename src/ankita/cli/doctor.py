"""`ankita doctor`: prints one line a check; its exit code says whether the main job can run."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ankita.cli.lines import printable
from ankita.cli.standard_streams import nobody_reads, take_any_text
from ankita.doctor.examination import CHECKS, examine
from ankita.doctor.finding import Finding, State, Subject, can_do_main_job, from_error
from ankita.errors import ProfileError
from ankita.paths import ProfilePaths, profile_folder

EXIT_OK, EXIT_FAILED = 0, 1
WITHOUT_PROFILE = ("python", "window", "keyring", "browser", "mcp", "driver")


def run_doctor(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Look at everything and print it; 0 when Ankita can be talked to here."""
    findings = _findings(environ)
    text = _json(findings) if as_json else "\n".join(f.line() for f in findings)
    take_any_text()
    try:
        print(text if as_json else printable(text), flush=True)
    except BrokenPipeError:
        nobody_reads()
    return EXIT_OK if can_do_main_job(findings) else EXIT_FAILED


def _findings(environ: Mapping[str, str]) -> Sequence[Finding]:
    try:
        paths = ProfilePaths(profile_folder(environ))
    except ProfileError as error:
        subject = Subject(ProfilePaths(Path()), environ, sys.platform)
        checks = [check for check in CHECKS if check.name in WITHOUT_PROFILE]
        return [from_error("profile", State.FAIL, error), *examine(subject, checks)]
    return examine(Subject(paths, environ, sys.platform))


def _json(findings: Sequence[Finding]) -> str:
    return json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=2)
