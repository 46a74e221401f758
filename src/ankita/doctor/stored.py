"""Checks what is stored: the database, the settings and the rules. Reads only."""

from __future__ import annotations

from ankita.doctor.finding import Finding, State, Subject, from_error
from ankita.durable import DurableFiles
from ankita.engine.preferences import read_settings
from ankita.errors import AnkitaError, DamagedDataError, NewerDataError
from ankita.security.tier_store import TierStore
from ankita.storage import inspect_database

_KEPT = "The next start keeps it aside and begins with"


def check_database(subject: Subject) -> Finding:
    """A damaged or newer one does not stop the main job: it is kept aside at a start."""
    try:
        words = inspect_database(subject.paths.database)
    except DamagedDataError as error:
        return Finding("database", State.WARN, error.message, f"{_KEPT} an empty one.")
    except NewerDataError as error:
        advice = f"Update Ankita before you start it. {_KEPT} an empty one."
        return Finding("database", State.WARN, error.message, advice)
    except AnkitaError as error:
        return from_error("database", State.FAIL, error)
    return Finding("database", State.OK, words)


def check_settings(subject: Subject) -> Finding:
    try:
        is_there = subject.paths.settings.exists()
        _, problem = read_settings(subject.paths)
    except (OSError, AnkitaError):
        return Finding(
            "settings",
            State.WARN,
            "settings.json can't be read.",
            "Check its permissions. Until then the first settings are used.",
        )
    if isinstance(problem, NewerDataError):
        advice = f"Update Ankita before you start it. {_KEPT} its first settings."
        return Finding("settings", State.WARN, problem.message, advice)
    if problem is not None:
        return Finding("settings", State.WARN, problem.message, f"{_KEPT} its first settings.")
    words = "settings.json can be read." if is_there else "No settings were changed yet."
    return Finding("settings", State.OK, words)


def check_rules(subject: Subject) -> Finding:
    """A rules file in doubt closes the gate: everything asks, and nothing else changes."""
    root = subject.paths.root
    if not root.exists():
        return Finding("rules", State.OK, "There are no standing rules yet.")
    store = TierStore(DurableFiles(root), subject.paths.tiers)
    if closed := store.load().closed_reason:
        return Finding(
            "rules",
            State.WARN,
            f"{closed[:1].upper()}{closed[1:]}.",
            "Approvals in the window offers to keep it aside and start a fresh one.",
        )
    count = len(store.listing())
    noun = "rule" if count == 1 else "rules"
    words = f"{count} standing {noun}." if count else "There are no standing rules yet."
    return Finding("rules", State.OK, words)
