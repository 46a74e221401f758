"""What one check found, and whether the main job can run, as values and one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ankita.errors import AnkitaError
from ankita.paths import ProfilePaths

NAME_WIDTH = 8


class State(StrEnum):
    """FAIL: neither a window nor the terminal chat can work like this."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at. `environ` are the variables that a start would see."""

    paths: ProfilePaths
    environ: Mapping[str, str]
    platform: str
    """As `sys.platform` says it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`found` and `advice` are plain sentences; `advice` is empty when nothing is to be done."""

    name: str
    state: State
    found: str
    advice: str = ""

    def line(self) -> str:
        what_to_do = f"  -> {self.advice}" if self.advice else ""
        return f"{self.state:4}  {self.name:{NAME_WIDTH}}  {self.found}{what_to_do}"

    def as_json(self) -> dict[str, str]:
        return {
            "name": self.name,
            "state": str(self.state),
            "found": self.found,
            "advice": self.advice,
        }


def from_error(name: str, state: State, error: AnkitaError) -> Finding:
    """The error's own sentence and advice."""
    return Finding(name, state, error.message, error.advice)


def can_do_main_job(findings: Iterable[Finding]) -> bool:
    """Whether the profile opens and something answers, in a window or in the terminal."""
    return all(finding.state is not State.FAIL for finding in findings)
