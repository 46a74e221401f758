"""Words that a screen reader says without the focus moving."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

LONGEST = 2_000
"""Characters of one announcement; the rest can be read where it stands."""


def announce(source: QObject, words: str, *, at_once: bool = False) -> None:
    """Say `words`; `at_once` interrupts what is being said."""
    event = QAccessibleAnnouncementEvent(source, words[:LONGEST])
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if at_once else politeness.Polite)
    QAccessible.updateAccessibility(event)
