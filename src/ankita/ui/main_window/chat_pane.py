"""The chat: header, thread, composer. Sends what the user wants and draws what is so."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from ankita.engine import (
    AnsweringChanged,
    AttachFile,
    AttachmentChanged,
    AttachmentRemoved,
    CreateThread,
    ItemAdded,
    OpenThread,
    RemoveAttachment,
    RetryTurn,
    SendMessage,
    StopTurn,
    TeammateState,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
    ThreadSummary,
)
from ankita.ids import AttachmentId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.chat_header import BUSY, ChatHeader
from ankita.ui.main_window.composer import Composer
from ankita.ui.main_window.drafts import Drafts
from ankita.ui.main_window.empty_chat import EmptyChat
from ankita.ui.main_window.file_drops import FileDrops
from ankita.ui.main_window.measures import BELOW_COMPOSER, composer_margin
from ankita.ui.main_window.transcript_view import TranscriptView
from ankita.ui.main_window.ui_state import UiStateStore
from ankita.ui.replies import Replies
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.plain_label import PlainLabel
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class ChatPane(Surface):
    """Shows one thread, or none yet: then the first message or file creates it."""

    thread_shown = Signal(str)
    """The id of the thread that is shown now; empty for none."""
    settings_wanted = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        models: WindowModels,
        store: UiStateStore,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(SurfaceKind.PAGE, parent)
        self._bridge = bridge
        self._model = models.transcript
        self._teammates = models.teammates
        self.replies = Replies(bridge, self)
        self.drafts = Drafts(bridge, store, self)
        self._thread_id: ThreadId | None = None
        self._is_creating = False
        self._after_creation: list[Callable[[ThreadId], None]] = []
        self._build(models)
        self._connect()
        self._listen()
        self._show_teammate()
        self._refresh()
        self.composer.set_text(self.drafts.draft_of(None))

    @property
    def thread_id(self) -> ThreadId | None:
        return self._thread_id

    def show_thread(self, thread_id: ThreadId | None) -> None:
        """Show a thread; None shows an empty page that becomes one with the first message."""
        if thread_id == self._thread_id and thread_id is not None:
            return
        self.drafts.flush()
        self._thread_id = thread_id
        if thread_id is not None and thread_id not in self._bridge.state.items:
            self._bridge.do(OpenThread(thread_id))
        self._model.show(thread_id)
        self.composer.set_text(self.drafts.draft_of(thread_id))
        self._show_teammate()
        self._refresh()
        self.thread_shown.emit(thread_id or "")

    def new_thread(self) -> None:
        """An empty page; what is typed there makes the thread."""
        self.show_thread(None)
        self.composer.edit.setFocus()

    def stop_turn(self) -> bool:
        """Stop what runs in this thread; False when nothing does."""
        thread = self._summary()
        if thread is None or thread.status not in BUSY:
            return False
        self._bridge.do(StopTurn(thread.id))
        return True

    def attach(self, paths: list[str]) -> None:
        """Start to read files for the next message."""

        def read(thread_id: ThreadId) -> None:
            for path in paths:
                self._bridge.do(AttachFile(thread_id, path))

        self._with_thread(read)

    # --- building ------------------------------------------------------------------

    def _build(self, models: WindowModels) -> None:
        self.setAccessibleName("Chat")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = ChatHeader()
        column.addWidget(self.header)
        self.transcript = TranscriptView(self._model, models.approvals)
        self.empty = EmptyChat()
        self._loading = PlainLabel("Opening the thread…", role="muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        for page in (self.empty, self.transcript, self._loading):
            self._stack.addWidget(page)
        column.addWidget(self._stack, 1)
        self.composer = Composer()
        self._composer_row = QHBoxLayout()
        self._composer_row.addWidget(self.composer)
        column.addLayout(self._composer_row)
        self._drops = FileDrops(self)
        self._drops.dropped.connect(self._take_files)
        self._set_margins()

    def _connect(self) -> None:
        self.header.stop_wanted.connect(self.stop_turn)
        self.transcript.retry_wanted.connect(self._retry)
        self.empty.starter_chosen.connect(self._use_starter)
        self.empty.settings_wanted.connect(self.settings_wanted)
        self.composer.send_wanted.connect(self._send)
        self.composer.stop_wanted.connect(self.stop_turn)
        self.composer.files_given.connect(self.attach)
        self.composer.remove_wanted.connect(self._remove)
        self.composer.edited.connect(lambda text: self.drafts.edited(self._thread_id, text))

    def _listen(self) -> None:
        listen = self._bridge.listen
        listen(AnsweringChanged, lambda _: self._refresh())
        listen(ThreadSaved, lambda event: self._if_mine(event.thread.id))
        listen(ThreadOpened, lambda event: self._if_mine(event.thread_id))
        listen(ItemAdded, lambda event: self._if_mine(event.thread_id))
        listen(AttachmentChanged, lambda event: self._if_mine(event.attachment.thread_id))
        listen(AttachmentRemoved, lambda event: self._if_mine(event.thread_id))
        for signal in (self._teammates.dataChanged, self._teammates.rowsInserted):
            signal.connect(self._show_teammate)
        listen(ThreadDeleted, self._deleted)

    # --- what the user wants ----------------------------------------------------------

    def _send(self, text: str) -> None:
        self.composer.set_text("")
        self.drafts.sent(self._thread_id)

        def send(thread_id: ThreadId) -> None:
            self.transcript.to_latest()
            self.replies.ask(
                SendMessage(thread_id, text),
                lambda _: None,
                lambda words: self._not_sent(thread_id, text, words),
            )

        self._with_thread(send, lambda words: self._not_sent(None, text, words))

    def _not_sent(self, thread_id: ThreadId | None, text: str, words: str) -> None:
        """Nothing that was written is lost by a refusal."""
        if self._thread_id == thread_id and not self.composer.text():
            self.composer.set_text(text)
        self.drafts.edited(thread_id, text)
        self._bridge.refused.emit(words)

    def _with_thread(
        self,
        then: Callable[[ThreadId], None],
        failed: Callable[[str], None] | None = None,
    ) -> None:
        if self._thread_id is not None:
            then(self._thread_id)
            return
        self._after_creation.append(then)
        if self._is_creating:
            return
        self._is_creating = True

        def refused(words: str) -> None:
            self._is_creating = False
            self._after_creation.clear()
            (failed or self._bridge.refused.emit)(words)

        self.replies.ask(CreateThread(self._teammate().id), self._created, refused)

    def _created(self, thread_id: ThreadId) -> None:
        self._is_creating = False
        wanted, self._after_creation = self._after_creation, []
        text = self.composer.text()
        self.drafts.sent(None)
        self.show_thread(thread_id)
        if text:
            # What was typed while the thread came into being moves into it.
            self.composer.set_text(text)
            self.drafts.edited(thread_id, text)
        for then in wanted:
            then(thread_id)

    def _retry(self) -> None:
        if self._thread_id is not None:
            self._bridge.do(RetryTurn(self._thread_id))

    def _remove(self, attachment_id: str) -> None:
        if self._thread_id is not None:
            self._bridge.do(RemoveAttachment(self._thread_id, AttachmentId(attachment_id)))
            self.composer.edit.setFocus()

    def _use_starter(self, text: str) -> None:
        self.composer.set_text(text)
        self.drafts.edited(self._thread_id, text)
        self.composer.edit.setFocus()

    def _take_files(self, paths: list[str]) -> None:
        self.attach(paths)
        self.composer.edit.setFocus()

    # --- drawing the state --------------------------------------------------------------

    def _summary(self) -> ThreadSummary | None:
        if self._thread_id is None:
            return None
        return self._bridge.state.threads.get(self._thread_id)

    def _teammate(self) -> TeammateState:
        team = self._bridge.state.teammates
        thread = self._summary()
        wanted = None if thread is None else thread.teammate_id
        return next((t for t in team if t.id == wanted), team[0])

    def _if_mine(self, thread_id: ThreadId) -> None:
        if thread_id == self._thread_id:
            self._refresh()

    def _deleted(self, event: ThreadDeleted) -> None:
        self.drafts.forget(event.thread_id)
        if event.thread_id == self._thread_id:
            self.show_thread(None)

    def _refresh(self) -> None:
        state = self._bridge.state
        thread = self._summary()
        self.header.show_thread(thread)
        self.header.show_answering(state.answering)
        self.empty.show_answering(state.answering)
        held = () if thread is None else state.attachments.get(thread.id, ())
        self.composer.show_attachments(held)
        self.composer.set_working(thread is not None and thread.status in BUSY)
        if self._thread_id is None:
            page: QWidget = self.empty
        elif self._thread_id not in state.items:
            page = self._loading
        else:
            page = self.transcript if state.items[self._thread_id] else self.empty
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)

    def _show_teammate(self) -> None:
        teammate = self._teammate()
        self.composer.set_teammate(teammate.name)
        self.transcript.set_teammate_name(teammate.name)
        face = self._teammates.face_of(teammate.id)
        if face is not None:
            self.header.show_face(face)

    def _set_margins(self) -> None:
        side = composer_margin(appearance_now(), self.width())
        self._composer_row.setContentsMargins(side, 0, side, BELOW_COMPOSER)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._set_margins()
        super().resizeEvent(event)
