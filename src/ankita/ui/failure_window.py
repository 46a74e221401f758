"""What is on screen when the windows themselves could not be made: never a blank one."""

from __future__ import annotations

import platform
import traceback

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ankita import __version__
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.plain_label import PlainLabel


def report_of(error: BaseException) -> str:
    """What may be sent to somebody who helps: scrubbed, with the versions."""
    from ankita.security.scrubber import Scrubber

    lines = traceback.format_exception(error)
    system = f"Ankita {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return Scrubber().redact(f"{system}\n\n{''.join(lines)}")


class FailureWindow(QWidget):
    """Says what failed and what still works, and copies the report."""

    quit_requested = Signal()

    def __init__(self, report: str) -> None:
        super().__init__()
        self.setWindowTitle("Ankita could not open its window")
        self.resize(640, 420)
        column = QVBoxLayout(self)
        column.addWidget(PlainLabel("Ankita could not open its window.", role="title"))
        column.addWidget(
            PlainLabel(
                "Your threads and settings are untouched. “ankita chat” in a terminal may still"
                " work. The report below holds no keys."
            )
        )
        text = QPlainTextEdit(report)
        text.setReadOnly(True)
        text.setAccessibleName("Report")
        column.addWidget(text, 1)
        row = QHBoxLayout()
        copy = ActButton("Copy report")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report))
        leave = ActButton("Quit")
        leave.clicked.connect(self.quit_requested)
        row.addStretch(1)
        row.addWidget(copy)
        row.addWidget(leave)
        column.addLayout(row)

    def take_keyboard(self) -> None:
        """Its buttons are reached by Tab; nothing is typed."""

    def save(self) -> None:
        """Nothing of it is remembered."""

    def show_thread(self, thread_id: str) -> None:
        """It has nothing to show a thread in."""
        del thread_id
