"""Settings: a model file that is being fetched: how far it is, and how to end it or go on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.engine import ModelDownload
from ankita.ui.main_window.model_file_words import progress_words
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import ProgressLine, Surface, SurfaceKind

CANCEL_WORDS = "Stop fetching it? What is there can be kept, so that it goes on from there later."


class DownloadRow(Surface):
    """Hidden while nothing is fetched."""

    cancelled = Signal(bool)
    """The download shall end; True discards what is there."""
    go_on_wanted = Signal(str)
    """Carries the model's id, after it stopped with a problem."""

    def __init__(self) -> None:
        super().__init__(SurfaceKind.DIVIDED)
        self._download: ModelDownload | None = None
        self._can_go_on = False
        self._is_asking = False
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(6)
        self.title = PlainLabel("", role="strong")
        self.words = PlainLabel("", role="small")
        self.bar = ProgressLine("How much of the model is there")
        for widget in (self.title, self.words, self.bar):
            column.addWidget(widget)
        column.addWidget(self._buttons())
        self.hide()

    def _buttons(self) -> QWidget:
        holder = QWidget()
        row = FlowLayout(holder)
        self.cancel = ActButton("Cancel…", small=True)
        self.go_on = ActButton("Go on", Variant.PRIMARY, small=True)
        self.keep = ActButton("Keep what is there", small=True)
        self.discard = ActButton("Discard it", Variant.DANGER, small=True)
        self.back = ActButton("Don't stop", small=True)
        self.cancel.clicked.connect(lambda: self._ask(True))
        self.back.clicked.connect(lambda: self._ask(False))
        self.keep.clicked.connect(lambda: self.cancelled.emit(False))
        self.discard.clicked.connect(lambda: self.cancelled.emit(True))
        self.go_on.clicked.connect(self._go_on)
        for button in (self.cancel, self.go_on, self.keep, self.discard, self.back):
            row.addWidget(button)
        return holder

    def show_download(self, download: ModelDownload | None, *, can_go_on: bool) -> None:
        """Draw it as it is now. `can_go_on` when the user's yes to this very file is known."""
        was = self._download
        self._download, self._can_go_on = download, can_go_on
        if download is None or download.problem:
            self._is_asking = False
        self.setVisible(download is not None)
        self._refresh()
        if download is not None and download.problem and (was is None or not was.problem):
            announce(self, f"{self.title.text()}. {self.words.text()}")

    def _ask(self, is_asking: bool) -> None:
        self._is_asking = is_asking
        self._refresh()
        (self.back if is_asking else self.cancel).setFocus()

    def _go_on(self) -> None:
        if self._download is not None:
            self.go_on_wanted.emit(self._download.id)

    def _refresh(self) -> None:
        download = self._download
        if download is None:
            return
        name, problem = visible_text(download.name), visible_text(download.problem)
        self.setAccessibleName(f"Getting {name}")
        self.title.setText(f"{name} stopped" if problem else f"Getting {name}")
        words = progress_words(download)
        if problem:
            words = f"{problem} {words} are there."
        self.words.setText(CANCEL_WORDS if self._is_asking else words)
        self.words.set_role("danger" if problem else "small")
        # In thousands: a whole model has more bytes than the bar can count.
        self.bar.show_progress(download.done // 1000, download.total // 1000)
        is_asking = self._is_asking
        self.cancel.setVisible(not problem and not is_asking)
        self.go_on.setVisible(bool(problem) and self._can_go_on)
        self.back.setVisible(is_asking)
        for button in (self.keep, self.discard):
            button.setVisible(is_asking or bool(problem))
