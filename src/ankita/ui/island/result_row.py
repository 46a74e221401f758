"""What came of the last drop: the file and what to do with it, or why it was not taken."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import AttachmentState
from ankita.ids import TeammateId
from ankita.ui.island.drop_intake import DropIntake, FailedFile
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.widgets.buttons import ActButton, IconButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text

SHOWN_FAILURES = 3
REST_MILLISECONDS = 500


class ResultRow(QWidget):
    """Hidden while there is nothing to tell."""

    open_requested = Signal(str)
    """Carries the id of the thread that holds the files."""

    def __init__(
        self, intake: DropIntake, teammates: TeammatesModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._intake = intake
        self._teammates = teammates
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 2, 12, 12)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.setSpacing(6)
        self._ready = ElidedLabel(role="control")
        self._ready.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._failed = PlainLabel(role="danger")
        self._close = IconButton(Icon.CLOSE, "Put this message away", size=24, icon_size=14)
        self._close.clicked.connect(intake.clear)
        self._who = ElidedLabel(role="small")
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self._who)
        words.addWidget(self._ready)
        words.addWidget(self._failed)
        head.addLayout(words, 1)
        head.addWidget(self._close)
        column.addLayout(head)
        self._notes = PlainLabel(role="small")
        column.addWidget(self._notes)
        self._buttons = QWidget()
        row = FlowLayout(self._buttons)
        self._ask = ActButton(intake.question, Variant.PRIMARY, small=True)
        self._ask.clicked.connect(intake.ask)
        self._opener = ActButton("Open", small=True)
        self._opener.clicked.connect(self._open)
        row.addWidget(self._ask)
        row.addWidget(self._opener)
        column.addWidget(self._buttons)
        self._shown_for: TeammateId | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MILLISECONDS)
        self._rest.timeout.connect(lambda: self._ask.setEnabled(True))
        intake.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        ready, failed = self._intake.ready, self._intake.failed
        self._rest_after_change()
        who = self._owner()
        self._who.setText(who)
        self._who.setVisible(bool(who))
        self._ready.setText(ready_words(ready))
        self._ready.setVisible(bool(ready))
        self._failed.setText(failed_words(failed))
        self._failed.setVisible(bool(failed))
        notes = " ".join(visible_text(note) for each in ready for note in each.notes)
        self._notes.setText(notes)
        self._notes.setVisible(bool(notes))
        self._buttons.setVisible(bool(ready))
        files = "this file" if len(ready) == 1 else "these files"
        self._opener.setAccessibleName(f"Open the thread of {files}")
        self._ask.setText(self._intake.question)
        self._ask.setAccessibleName(self._intake.question)
        self.setVisible(bool(ready or failed))

    def _rest_after_change(self) -> None:
        """The second click of a double click must not ask about another one's files."""
        before, self._shown_for = self._shown_for, self._intake.teammate_id
        if before is not None and self._shown_for not in (None, before):
            self._ask.setEnabled(False)
            self._rest.start()

    def _owner(self) -> str:
        """Whose files they are, where that could be asked."""
        teammate_id = self._intake.teammate_id
        face = self._teammates.face_of(teammate_id) if teammate_id is not None else None
        if face is None or self._teammates.rowCount() < 2:
            return ""
        return f"For {visible_text(face.teammate.name)}"

    def _open(self) -> None:
        if self._intake.thread_id is not None:
            self.open_requested.emit(self._intake.thread_id)


def ready_words(ready: tuple[AttachmentState, ...]) -> str:
    """ "agreement.pdf · 12 pages", or how many files and their names."""
    if len(ready) == 1:
        pages = ready[0].pages
        count = "" if pages is None else " · 1 page" if pages == 1 else f" · {pages} pages"
        return visible_text(ready[0].name) + count
    names = ", ".join(visible_text(each.name) for each in ready)
    return f"{len(ready)} files · {names}" if ready else ""


def failed_words(failed: tuple[FailedFile, ...]) -> str:
    """One line a file: its name and the reason, unless the reason names it."""
    lines = [_failure(each) for each in failed[:SHOWN_FAILURES]]
    if len(failed) > SHOWN_FAILURES:
        lines.append(f"and {len(failed) - SHOWN_FAILURES} more")
    return "\n".join(lines)


def _failure(each: FailedFile) -> str:
    if not each.name or each.name in each.reason:
        return visible_text(each.reason)
    return visible_text(f"{each.name}: {each.reason}")
