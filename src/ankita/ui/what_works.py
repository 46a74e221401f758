"""Finds out in the background what still works after a failure, and puts it in sentences."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ankita.doctor.finding import State, can_do_main_job

if TYPE_CHECKING:
    from ankita.doctor.finding import Finding
    from ankita.paths import ProfilePaths

_SHOWN_WHEN_FINE = ("database", "settings", "rules")
_NOT_ASKED = ("locks", "mcp", "driver", "browser")
"""This very process may hold the locks; the rest says nothing about a start."""


class WhatWorks(QObject):
    """`look` once; `found` then carries the findings, in the window's own thread."""

    found = Signal(object)

    def __init__(self, paths: ProfilePaths, parent: QObject) -> None:
        super().__init__(parent)
        self._paths = paths

    def look(self) -> None:
        threading.Thread(target=self._look, name="what works", daemon=True).start()

    def _look(self) -> None:
        try:
            from ankita.doctor.examination import examine, quick_checks
            from ankita.doctor.finding import Subject

            checks = [check for check in quick_checks() if check.name not in _NOT_ASKED]
            findings = examine(Subject(self._paths, os.environ, sys.platform), checks)
        except Exception:
            findings = []
        try:
            self.found.emit(findings)
        except RuntimeError:
            return  # the window was closed meanwhile


def works_words(findings: Sequence[Finding]) -> str:
    """What still works, line by line: first whether one can talk to Ankita at all."""
    if not findings:
        return "That could not be found out. Try “ankita doctor” in a terminal."
    lines = [_terminal(can_do_main_job(findings))]
    for finding in findings:
        if finding.state is not State.OK:
            lines.append(f"{finding.found} {finding.advice}".strip())
        elif finding.name in _SHOWN_WHEN_FINE:
            lines.append(finding.found)
    return "\n".join(f"• {line}" for line in lines)


def _terminal(works: bool) -> str:
    if works:
        return "“ankita chat” in a terminal: your profile can be opened and something answers."
    return "“ankita chat” in a terminal does not work either, as long as this is so:"
