"""Marks the windows in which a question can be answered, so that the island need not open too."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

_PROPERTY = "ankitaShowsQuestions"


def mark_shows_questions(window: QWidget) -> None:
    """This window shows every question that waits, or a way to it."""
    window.setProperty(_PROPERTY, True)


def shows_questions(window: QWidget | None) -> bool:
    """Whether this is such a window, or a dialog of one."""
    while window is not None:
        if window.property(_PROPERTY) is True:
            return True
        window = window.parentWidget()
    return False
