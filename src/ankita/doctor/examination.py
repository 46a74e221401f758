"""Runs the checks side by side, each bounded in time, each alone with its own crash."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ankita.doctor.finding import Finding, State, Subject

CHECK_SECONDS = 30.0
"""How long one check may take; a busy machine needs some of that for its imports."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check by the place of its function, so that one that can't be loaded harms no other.

    `is_quick`: it needs neither the network nor another program.
    """

    name: str
    module: str
    function: str
    is_quick: bool = True

    def run(self, subject: Subject) -> Finding:
        look = getattr(importlib.import_module(f"ankita.doctor.{self.module}"), self.function)
        finding = look(subject)
        assert isinstance(finding, Finding)
        return finding


CHECKS = (
    Check("python", "machine", "check_python"),
    Check("window", "window", "check_window", is_quick=False),
    Check("profile", "profile", "check_profile"),
    Check("disk", "machine", "check_disk"),
    Check("database", "stored", "check_database"),
    Check("settings", "stored", "check_settings"),
    Check("rules", "stored", "check_rules"),
    Check("keyring", "keychain", "check_keychain", is_quick=False),
    Check("models", "models", "check_models", is_quick=False),
    Check("browser", "browser", "check_browser"),
    Check("mcp", "machine", "check_mcp"),
    Check("driver", "machine", "check_driver"),
    Check("locks", "locks", "check_locks"),
    Check("clock", "machine", "check_clock"),
)
"""In the order in which they are shown."""


def quick_checks() -> tuple[Check, ...]:
    return tuple(check for check in CHECKS if check.is_quick)


def examine(
    subject: Subject, checks: Iterable[Check] = CHECKS, seconds: float = CHECK_SECONDS
) -> list[Finding]:
    """One finding for each check, in order and scrubbed. Never raises for what a check does."""
    running = [_Running(check, subject) for check in checks]
    deadline = time.monotonic() + seconds
    found = [each.result(max(deadline - time.monotonic(), 0.0), seconds) for each in running]
    clean = _scrub()
    return [replace(f, found=clean(f.found), advice=clean(f.advice)) for f in found]


class _Running:
    """One check in a thread that may be left behind: it ends with the process."""

    def __init__(self, check: Check, subject: Subject) -> None:
        self._check = check
        self._subject = subject
        self._finding: Finding | None = None
        self._thread = threading.Thread(target=self._run, name=check.name, daemon=True)
        self._thread.start()

    def result(self, seconds_left: float, seconds: float) -> Finding:
        self._thread.join(seconds_left)
        if self._finding is not None:
            return self._finding
        return Finding(
            self._check.name, State.WARN, f"This check did not end within {seconds:g} seconds."
        )

    def _run(self) -> None:
        name = self._check.name
        try:
            self._finding = self._check.run(self._subject)
        except Exception as error:
            words = f"This check itself failed ({type(error).__name__})."
            self._finding = Finding(name, State.WARN, words)


def _scrub() -> Callable[[str], str]:
    """Without the scrubber nothing that a check read is shown."""
    try:
        from ankita.security.scrubber import Scrubber

        return Scrubber().redact
    except Exception:
        return lambda text: "(withheld: it could not be checked for secrets)" if text else ""
