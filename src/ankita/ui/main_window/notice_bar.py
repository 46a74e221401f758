"""Lines at the top of the window: what the engine has to say, and what was just refused."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ankita.engine import DismissNotice, Notice, NoticeDismissed, NoticeLevel, NoticeRaised
from ankita.ui.bridge import EngineBridge
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.chips import StatusDot, Tone
from ankita.ui.widgets.icons import Icon
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

REFUSAL_MILLISECONDS = 8_000
"""How long a refused command stays on show; it can be closed before."""

MOST_SHOWN = 3
"""Notices beyond these wait until one is closed."""

_TONES = {NoticeLevel.INFO: Tone.INFO, NoticeLevel.WARNING: Tone.ASK, NoticeLevel.ERROR: Tone.BAD}


class NoticeLine(Surface):
    """One sentence and a way to close it."""

    def __init__(self, text: str, tone: Tone, parent: QWidget | None = None) -> None:
        super().__init__(SurfaceKind.HEADER, parent)
        words = visible_text(text)
        self.setAccessibleName(words)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(StatusDot(tone))
        self.label = PlainLabel(words, role="control", selectable=True)
        row.addWidget(self.label, 1)
        self.close_button = IconButton(Icon.CLOSE, "Close this notice", size=28, icon_size=16)
        row.addWidget(self.close_button)


class NoticeBar(QWidget):
    """As high as what it has to say; nothing when there is nothing."""

    def __init__(self, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._lines: dict[str, NoticeLine] = {}
        self._refusal: NoticeLine | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REFUSAL_MILLISECONDS)
        self._timer.timeout.connect(self.clear_refusal)
        bridge.listen(NoticeRaised, self._raised)
        bridge.listen(NoticeDismissed, lambda _: self._refresh())
        bridge.refused.connect(self.show_refusal)
        self._refresh()

    def words(self) -> list[str]:
        """The sentences on show."""
        lines = [*self._lines.values(), *([self._refusal] if self._refusal else [])]
        return [line.accessibleName() for line in lines]

    def show_refusal(self, words: str) -> None:
        """Say for a while why something was not done; a screen reader hears it at once."""
        self.clear_refusal()
        line = NoticeLine(words, Tone.ASK)
        line.close_button.clicked.connect(self.clear_refusal)
        self._column.addWidget(line)
        self._refusal = line
        self._timer.start()
        announce(self, visible_text(words), at_once=True)
        self._show_or_hide()

    def clear_refusal(self) -> None:
        self._timer.stop()
        line, self._refusal = self._refusal, None
        if line is not None:
            self._remove(line)
        self._show_or_hide()

    def _raised(self, event: NoticeRaised) -> None:
        self._refresh()
        announce(self, visible_text(event.notice.text))

    def _refresh(self) -> None:
        wanted = self._bridge.state.notices[:MOST_SHOWN]
        for gone in set(self._lines) - {notice.id for notice in wanted}:
            self._remove(self._lines.pop(gone))
        for notice in wanted:
            if notice.id not in self._lines:
                self._add(notice)
        self._show_or_hide()

    def _add(self, notice: Notice) -> None:
        line = NoticeLine(notice.text, _TONES[notice.level])
        line.close_button.clicked.connect(lambda: self._bridge.do(DismissNotice(notice.id)))
        self._lines[notice.id] = line
        self._column.insertWidget(len(self._lines) - 1, line)

    def _remove(self, line: NoticeLine) -> None:
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()

    def _show_or_hide(self) -> None:
        self.setVisible(bool(self._lines) or self._refusal is not None)
