"""All of the main window in its shell: rail, thread list, panes. It sends commands, draws state."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ankita.engine import DeleteThread, ThreadSaved
from ankita.ids import TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.chat_pane import ChatPane
from ankita.ui.main_window.notice_bar import NoticeBar
from ankita.ui.main_window.rail import Pane, Rail
from ankita.ui.main_window.thread_list import ThreadList
from ankita.ui.main_window.ui_state import THREAD, MemoryUiState, UiStateStore
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.reading_order import move_focus, tab_stops
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class MainWindow(Surface):
    """Fills a MainShell, which has the place on the screen and the closing."""

    quit_requested = Signal()

    def __init__(
        self, bridge: EngineBridge, models: WindowModels, store: UiStateStore | None = None
    ) -> None:
        super().__init__(SurfaceKind.WINDOW)
        self._bridge = bridge
        self._models = models
        self._store = store or MemoryUiState()
        self._panes: dict[Pane, QWidget] = {}
        self._pane = Pane.CHAT
        wanted = self._store.get(THREAD)
        self._wanted_thread = ThreadId(wanted) if isinstance(wanted, str) and wanted else None
        self._build()
        self._add_shortcuts()
        self._connect()
        self._restore_thread()

    # --- for the application and the island ---------------------------------------

    def show_thread(self, thread_id: str) -> None:
        """Show a thread in the chat pane."""
        self._wanted_thread = None
        self.show_pane(Pane.CHAT)
        if thread_id in self._bridge.state.threads:
            self.chat.show_thread(ThreadId(thread_id))

    def show_pane(self, pane: Pane) -> None:
        """Show a pane; it is built on the first visit."""
        self._pane = pane
        self.rail.show_pane(pane)
        widget = self._pane_widget(pane)
        if self._stack.currentWidget() is not widget:
            self._stack.setCurrentWidget(widget)
            (self.chat.composer.edit if pane is Pane.CHAT else widget).setFocus()

    @property
    def pane(self) -> Pane:
        return self._pane

    @property
    def approvals(self) -> QWidget | None:
        """The approvals pane, once it was visited."""
        return self._panes.get(Pane.APPROVALS)

    @property
    def settings(self) -> QWidget | None:
        """The settings pane, once it was visited."""
        return self._panes.get(Pane.SETTINGS)

    def take_keyboard(self) -> None:
        """What is typed goes into the composer."""
        self.show_pane(Pane.CHAT)
        self.chat.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def save(self) -> None:
        """Store the draft now."""
        self.chat.drafts.flush()

    # --- building --------------------------------------------------------------------

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.rail = Rail()
        row.addWidget(self.rail)
        column = QVBoxLayout()
        column.setSpacing(0)
        row.addLayout(column, 1)
        self.notices = NoticeBar(self._bridge, self)
        column.addWidget(self.notices)
        self._stack = QStackedWidget()
        column.addWidget(self._stack, 1)
        chat = QWidget()
        chat_row = QHBoxLayout(chat)
        chat_row.setContentsMargins(0, 0, 0, 0)
        chat_row.setSpacing(0)
        self.threads = ThreadList(self._models.threads, self._models.teammates)
        self.chat = ChatPane(self._bridge, self._models, self._store)
        chat_row.addWidget(self.threads)
        chat_row.addWidget(self.chat, 1)
        self._panes[Pane.CHAT] = chat
        self._stack.addWidget(chat)
        self._show_waiting()
        self._show_teammate()
        self.chat.composer.edit.setFocus()

    def _pane_widget(self, pane: Pane) -> QWidget:
        if pane not in self._panes:
            self._panes[pane] = self._make_pane(pane)
            self._stack.addWidget(self._panes[pane])
        return self._panes[pane]

    def _make_pane(self, pane: Pane) -> QWidget:
        if pane is Pane.APPROVALS:
            from ankita.ui.main_window.approvals_pane import ApprovalsPane

            approvals = ApprovalsPane(self._bridge, self._models)
            approvals.thread_wanted.connect(self.show_thread)
            return approvals
        from ankita.ui.main_window.settings_pane import SettingsPane

        return SettingsPane(self._bridge)

    def _connect(self) -> None:
        self.rail.chosen.connect(lambda name: self.show_pane(Pane(name)))
        self.threads.opened.connect(self.show_thread)
        self.threads.new_wanted.connect(self.begin_thread)
        self.threads.delete_confirmed.connect(
            lambda thread_id: self._bridge.do(DeleteThread(ThreadId(thread_id)))
        )
        self.chat.thread_shown.connect(self._shown)
        self.chat.settings_wanted.connect(lambda: self.show_pane(Pane.SETTINGS))
        approvals = self._models.approvals
        for signal in (approvals.rowsInserted, approvals.rowsRemoved, approvals.dataChanged):
            signal.connect(self._show_waiting)
        team = self._models.teammates
        for signal in (team.dataChanged, team.rowsInserted, team.rowsRemoved):
            signal.connect(self._show_teammate)
        self._bridge.listen(ThreadSaved, lambda _: self._restore_thread())

    def _add_shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+1", lambda: self.show_pane(Pane.CHAT)),
            ("Ctrl+2", lambda: self.show_pane(Pane.APPROVALS)),
            ("Ctrl+3", lambda: self.show_pane(Pane.SETTINGS)),
            ("Ctrl+N", self.begin_thread),
            ("Ctrl+Shift+N", self._ask_with_whom),
            ("Ctrl+L", self.take_keyboard),
            ("F6", lambda: self._next_region(1)),
            ("Shift+F6", lambda: self._next_region(-1)),
            ("Ctrl+Q", self.quit_requested.emit),
            ("Esc", self._escape),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    # --- what keys do -------------------------------------------------------------------

    def begin_thread(self, teammate_id: str = "") -> None:
        """An empty page with a teammate; without one, with whom the chat is with now."""
        self._wanted_thread = None
        self.show_pane(Pane.CHAT)
        self.chat.new_thread(TeammateId(teammate_id) if teammate_id else None)

    def _ask_with_whom(self) -> None:
        self.show_pane(Pane.CHAT)
        self.threads.ask_with_whom()

    def _escape(self) -> None:
        if self._pane is not Pane.CHAT:
            self._close_confirm(self._pane_widget(self._pane))
        elif not self.threads.close_confirm() and not self.chat.transcript.close_confirm():
            self.chat.stop_turn()

    def _close_confirm(self, pane: QWidget) -> None:
        close = getattr(pane, "close_confirm", None)
        if close is not None:
            close()

    def _regions(self) -> list[QWidget]:
        if self._pane is Pane.CHAT:
            return [
                self.rail.button(Pane.CHAT),
                self.threads.view,
                self.chat.transcript if self.chat.transcript.isVisible() else self.chat.header,
                self.chat.composer.edit,
            ]
        return [self.rail.button(self._pane), self._pane_widget(self._pane)]

    def _next_region(self, step: int) -> None:
        regions = self._regions()
        focus = QApplication.focusWidget()
        now = next(
            (
                place
                for place, region in enumerate(regions)
                if focus is not None and (region is focus or region.isAncestorOf(focus))
            ),
            -1,
        )
        reason = Qt.FocusReason.ShortcutFocusReason
        for turn in range(1, len(regions) + 1):
            region = regions[(now + step * turn) % len(regions)]
            stops = tab_stops(region)
            if stops:
                stops[0].setFocus(reason)
                return

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: N802 - Qt's own
        return move_focus(self, forward=next)

    # --- following the state ----------------------------------------------------------------

    def _show_waiting(self) -> None:
        self.rail.set_waiting(len(self._models.approvals.waiting()))

    def _show_teammate(self) -> None:
        face = self._models.teammates.foremost()
        if face is not None:
            mascot = self.rail.mascot
            mascot.set_name(face.teammate.name)
            mascot.set_look(look_of(face.teammate))
            mascot.set_reduced_motion(appearance_now().reduced_motion)
            mascot.set_state(face.mood)

    def _shown(self, thread_id: str) -> None:
        self.threads.show_thread(ThreadId(thread_id) if thread_id else None)
        self._store.set(THREAD, thread_id)

    def _restore_thread(self) -> None:
        """Show the thread of the last time once it is known, unless the user went elsewhere."""
        wanted = self._wanted_thread
        if wanted is not None and wanted in self._bridge.state.threads:
            self._wanted_thread = None
            if self.chat.thread_id is None and not self.chat.composer.text().strip():
                self.chat.show_thread(wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.threads.set_room(event.size().width())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "rail"):
            self._show_teammate()
