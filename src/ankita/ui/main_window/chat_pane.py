"""The chat: sends what the user wants in the shown thread, and draws what is so in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ankita.engine import (
    AttachFile,
    AttachmentChanged,
    AttachmentRemoved,
    ItemAdded,
    OpenThread,
    PinItem,
    PlanChanged,
    QueueChanged,
    RemoveAttachment,
    RetryTurn,
    SendMessage,
    StopTurn,
    TeammateChanged,
    TeammateState,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
    ThreadSummary,
    UnqueueMessage,
)
from ankita.ids import AttachmentId, ItemId, TeammateId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.answering_part import AnsweringPart
from ankita.ui.main_window.chat_frame import ChatFrame
from ankita.ui.main_window.chat_header import BUSY
from ankita.ui.main_window.drafts import Drafts
from ankita.ui.main_window.thread_maker import ThreadMaker
from ankita.ui.main_window.ui_state import UiStateStore
from ankita.ui.replies import Replies
from ankita.ui.view_models.window_models import WindowModels

_V = TypeVar("_V")


class ChatPane(ChatFrame):
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
        super().__init__(bridge, models, store, parent)
        self._bridge = bridge
        self._model = models.transcript
        self._teammates = models.teammates
        self.replies = Replies(bridge, self)
        self.drafts = Drafts(bridge, store, self)
        self._thread_id: ThreadId | None = None
        self._wanted_teammate: TeammateId | None = None
        self._maker = ThreadMaker(self.replies, self._made)
        self._answering = AnsweringPart(bridge, self, self._teammate)
        self._connect()
        self._listen()
        self._show_teammate()
        self._refresh()
        self.composer.set_text(self.drafts.show(None))

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
        self.composer.set_text(self.drafts.show(thread_id))
        self._show_teammate()
        self._refresh()
        self.thread_shown.emit(thread_id or "")

    def new_thread(self, teammate_id: TeammateId | None = None) -> None:
        """An empty page; what is typed there makes the thread, with this teammate.

        None means the teammate that is shown now.
        """
        self._wanted_teammate = teammate_id or self._teammate().id
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

    def _connect(self) -> None:
        self.header.stop_wanted.connect(self.stop_turn)
        self.header.pins_wanted.connect(self.transcript.to_next_pin)
        self.transcript.retry_wanted.connect(self._retry)
        self.transcript.pin_wanted.connect(self._pin)
        self._model.pins_changed.connect(self._show_pins)
        self.empty.starter_chosen.connect(self._use_starter)
        self.empty.settings_wanted.connect(self.settings_wanted)
        self.queued.take_back_wanted.connect(self._take_back)
        self.composer.send_wanted.connect(self._send)
        self.composer.files_given.connect(self.attach)
        self.composer.remove_wanted.connect(self._remove)
        self.composer.edited.connect(lambda text: self.drafts.edited(self._thread_id, text))
        self.drops.dropped.connect(self._take_files)
        for part in (self.queued, self.offer_bar, self.offer_cards):
            part.left.connect(self.composer.edit.setFocus)

    def _listen(self) -> None:
        listen = self._bridge.listen
        listen(ThreadSaved, self._saved)
        listen(ThreadOpened, lambda event: self._if_mine(event.thread_id))
        listen(ItemAdded, lambda event: self._if_mine(event.thread_id))
        listen(AttachmentRemoved, lambda event: self._if_mine(event.thread_id))
        listen(PlanChanged, lambda event: self._if_mine(event.thread_id))
        listen(QueueChanged, lambda event: self._if_mine(event.thread_id))
        listen(AttachmentChanged, lambda event: self._if_mine(event.attachment.thread_id))
        listen(ThreadDeleted, self._deleted)
        listen(TeammateChanged, self._teammate_changed)
        team = self._teammates
        for signal in (team.dataChanged, team.rowsInserted, team.rowsRemoved):
            signal.connect(self._show_teammate)

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
        else:
            self._maker.make(self._teammate().id, then, failed or self._bridge.refused.emit)

    def _made(self, thread_id: ThreadId) -> None:
        text = self.composer.text()
        self.drafts.sent(None)
        self.show_thread(thread_id)
        if text:
            # What was typed while the thread came into being moves into it.
            self.composer.set_text(text)
            self.drafts.edited(thread_id, text)

    def _take_back(self, queued_id: str) -> None:
        if self._thread_id is not None:
            # What was typed since must be there when the engine adds to it.
            self.drafts.flush()
            self._bridge.do(UnqueueMessage(self._thread_id, queued_id))

    def _pin(self, item_id: str, is_pinned: bool) -> None:
        if self._thread_id is not None:
            self._bridge.do(PinItem(self._thread_id, ItemId(item_id), is_pinned))

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
        wanted = self._wanted_teammate if thread is None else thread.teammate_id
        return next((t for t in team if t.id == wanted), team[0])

    def _of_thread(self, lists: Mapping[ThreadId, tuple[_V, ...]]) -> tuple[_V, ...]:
        return () if self._thread_id is None else lists.get(self._thread_id, ())

    def _if_mine(self, thread_id: ThreadId) -> None:
        if thread_id == self._thread_id:
            self._refresh()

    def _saved(self, event: ThreadSaved) -> None:
        if event.thread.id != self._thread_id:
            return
        local = self.composer.text()
        text = self.drafts.changed(event.thread, local)
        if text != local:
            self.composer.set_text(text)
        self._refresh()

    def _deleted(self, event: ThreadDeleted) -> None:
        self.drafts.forget(event.thread_id)
        if event.thread_id == self._thread_id:
            self.show_thread(None)

    def _teammate_changed(self, event: TeammateChanged) -> None:
        if event.teammate.id == self._teammate().id:
            self._answering.changed()

    def _refresh(self) -> None:
        state, thread = self._bridge.state, self._summary()
        self.header.show_thread(thread)
        self.plan.show_plan(self._thread_id, self._of_thread(state.plans))
        self._set_margins()
        self.queued.show_messages(self._of_thread(state.queued))
        self.composer.show_attachments(self._of_thread(state.attachments))
        self.composer.set_working(thread is not None and thread.status in BUSY)
        self.show_page(self._page())
        self._answering.refresh()
        self._show_pins()

    def _page(self) -> QWidget:
        items = self._bridge.state.items
        if self._thread_id is None:
            return self.empty
        if self._thread_id not in items:
            return self.loading
        return self.transcript if items[self._thread_id] else self.empty

    def _show_pins(self) -> None:
        self.header.show_pins(len(self._model.pinned_rows()))

    def _show_teammate(self) -> None:
        teammate = self._teammate()
        self.composer.set_teammate(teammate.name)
        self.transcript.set_teammate_name(teammate.name)
        face = self._teammates.face_of(teammate.id)
        if face is not None:
            self.header.show_face(face)
            self.empty.show_face(face)
