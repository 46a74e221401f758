"""The files in the composer: how far each is read, why one failed, and a way to take it out."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from ankita.engine import AttachmentState, AttachmentStatus
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import ElidedLabel, PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

_TONES = {
    AttachmentStatus.READING: Tone.INFO,
    AttachmentStatus.READY: Tone.GOOD,
    AttachmentStatus.FAILED: Tone.BAD,
}
_LONGEST_NAME = 32

MOST_HEIGHT = 112
"""Pixels (at 100 % text) that the files take from the chat: three lines of them."""


def attachment_words(attachment: AttachmentState) -> str:
    """What is said after the name: "reading 3 of 12", "12 pages", or why it failed."""
    if attachment.status is AttachmentStatus.READING:
        if attachment.total:
            return f"reading {attachment.done} of {attachment.total}"
        return "reading"
    if attachment.status is AttachmentStatus.FAILED:
        return attachment.reason or "could not be read"
    return "; ".join(part for part in (file_words(attachment.kind, attachment.pages),) if part)


def file_words(kind: str, pages: int | None) -> str:
    """ "PDF, 12 pages"."""
    count = "" if pages is None else "1 page" if pages == 1 else f"{pages} pages"
    return ", ".join(part for part in (kind, count) if part)


class ReasonLabel(PlainLabel):
    """On one line where there is room, else on as many as it needs."""

    def __init__(self) -> None:
        super().__init__(role="small")
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:  # noqa: N802
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2
        return QSize(width, self.heightForWidth(width))


class AttachmentChip(Surface):
    """One file; `remove_wanted` carries its id."""

    remove_wanted = Signal(str)

    def __init__(self, attachment: AttachmentState, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.ATTACHMENT, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 4, 3)
        row.setSpacing(6)
        self._dot = StatusDot()
        self._name = ElidedLabel(role="control")
        self._words = ReasonLabel()
        name = visible_text(attachment.name)
        self._remove = IconButton(Icon.CLOSE, f"Remove {name}", size=24, icon_size=14)
        self._remove.clicked.connect(lambda: self.remove_wanted.emit(attachment.id))
        for widget in (self._dot, self._name):
            row.addWidget(widget)
        row.addWidget(self._words, 1)
        row.addWidget(self._remove)
        self.show_state(attachment)

    def show_state(self, attachment: AttachmentState) -> None:
        name = visible_text(attachment.name)
        words = visible_text(attachment_words(attachment))
        self._dot.set_tone(_TONES[attachment.status])
        self._name.setText(_short(name))
        # A reason that names the file says it once.
        if words.startswith(name):
            self._name.hide()
        self._words.setText(words)
        self._words.set_role("danger" if attachment.status is AttachmentStatus.FAILED else "small")
        self.setAccessibleName(f"{name}, {words}")
        notes = " ".join(visible_text(note) for note in attachment.notes)
        self.setAccessibleDescription(notes)


class AttachmentRow(QScrollArea):
    """All chips; hidden while there are none. More than a few lines of them scroll."""

    remove_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Attached files")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        content = QWidget()
        self._flow = FlowLayout(content, gap=6)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self._chips: dict[str, AttachmentChip] = {}
        self.hide()

    def show_attachments(self, attachments: tuple[AttachmentState, ...]) -> None:
        """Bring the chips into line with the state; a chip that stays keeps its focus."""
        wanted = {attachment.id for attachment in attachments}
        for gone in [key for key in self._chips if key not in wanted]:
            chip = self._chips.pop(gone)
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for attachment in attachments:
            if attachment.id in self._chips:
                self._chips[attachment.id].show_state(attachment)
                continue
            chip = AttachmentChip(attachment)
            chip.remove_wanted.connect(self.remove_wanted)
            self._chips[attachment.id] = chip
            self._flow.addWidget(chip)
        self.setVisible(bool(attachments))
        self._flow.invalidate()
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        handled = super().eventFilter(watched, event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit()
        return handled

    def _fit(self) -> None:
        wanted = self._flow.heightForWidth(max(self.viewport().width(), 1))
        self.setFixedHeight(min(wanted, appearance_now().space(MOST_HEIGHT)))


def _short(name: str) -> str:
    """The beginning and the end, which tells the kind."""
    if len(name) <= _LONGEST_NAME:
        return name
    half = _LONGEST_NAME // 2
    return f"{name[:half]}…{name[-half:]}"
