"""What is on screen when the windows themselves could not be made: never a blank one."""

from __future__ import annotations

import platform
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from ankita import __version__
from ankita.errors import AnkitaError
from ankita.ui.theme import appearance_now
from ankita.ui.what_works import WhatWorks, works_words
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.plain_label import PlainLabel, visible_text

if TYPE_CHECKING:
    from ankita.doctor.finding import Finding
    from ankita.paths import ProfilePaths

LOOKING = "Looking at what still works…"
REPORT_LINES = 8


def report_of(error: BaseException) -> str:
    """What may be sent to somebody who helps: scrubbed, with the versions."""
    from ankita.security.scrubber import Scrubber

    lines = traceback.format_exception(error)
    system = f"Ankita {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return Scrubber().redact(f"{system}\n\n{''.join(lines)}")


def sentence_of(error: BaseException) -> str:
    """What failed, for a person. Words of errors that are not ours stay in the report."""
    if isinstance(error, AnkitaError):
        return error.sentence()
    if isinstance(error, ImportError) and error.name:
        return f"A part of it is missing or can't be loaded: {error.name}. Install Ankita again."
    return f"A part of it failed in a way that was not foreseen ({type(error).__name__})."


class FailureWindow(QWidget):
    """Says what failed and what still works, and copies the report.

    What works is looked at after the window is shown; `paths` are those of the profile.
    """

    quit_requested = Signal()

    def __init__(self, error: BaseException, paths: ProfilePaths) -> None:
        super().__init__()
        self.setWindowTitle("Ankita could not open its window")
        self._report = report_of(error)
        self._text = QPlainTextEdit(self._report)
        self._works = PlainLabel(LOOKING, selectable=True)
        self._works.setAccessibleName("What still works")
        self._copied = PlainLabel("", role="muted")
        self.copy = ActButton("Copy report", Variant.PRIMARY)
        self.leave = ActButton("Quit")
        self.copy.clicked.connect(self._copy)
        self.leave.clicked.connect(self.quit_requested)
        column = QVBoxLayout(self)
        column.addWidget(self._scrolled(self._content(error)), 1)
        column.addLayout(self._buttons())
        # Kept in a field: it must live as long as the window that it reports to.
        self._what_works = WhatWorks(paths, self)
        self._what_works.found.connect(self._show_findings)
        self._what_works.look()

    def report(self) -> str:
        """What the button copies."""
        return self._report

    def take_keyboard(self) -> None:
        """The first thing that Enter can do is harmless: to copy."""
        self.copy.setFocus(Qt.FocusReason.OtherFocusReason)

    def save(self) -> None:
        """Nothing of it is remembered."""

    def show_thread(self, thread_id: str) -> None:
        """It has nothing to show a thread in."""
        del thread_id

    def begin_thread(self, teammate_id: str) -> None:
        """Nor one to begin."""
        del teammate_id

    def _content(self, error: BaseException) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setSpacing(appearance_now().space(10))
        column.addWidget(PlainLabel("Ankita could not open its window.", role="title"))
        why = PlainLabel(visible_text(sentence_of(error)), selectable=True)
        why.setAccessibleName("What failed")
        column.addWidget(why)
        column.addWidget(PlainLabel("What still works", role="heading"))
        column.addWidget(self._works)
        column.addWidget(PlainLabel("Report, without keys and passwords", role="heading"))
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName("Report")
        self._text.setMinimumHeight(self._text.fontMetrics().lineSpacing() * REPORT_LINES)
        column.addWidget(self._text, 1)
        return content

    def _scrolled(self, content: QWidget) -> QScrollArea:
        """With large text the buttons stay in sight and the rest is scrolled."""
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        return area

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self._copied, 1)
        row.addWidget(self.copy)
        row.addWidget(self.leave)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)
        words = "The report is on the clipboard."
        self._copied.setText(words)
        announce(self, words)

    def _show_findings(self, findings: Sequence[Finding]) -> None:
        words = works_words(findings)
        self._works.setText(visible_text(words))
        announce(self, words)
        self._report += "\n" + "\n".join(finding.line() for finding in findings) + "\n"
        self._text.setPlainText(self._report)
