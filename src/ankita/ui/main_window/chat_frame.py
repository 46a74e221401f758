"""The parts of the chat and where they stand: header, plan, thread, what waits, composer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.chat_header import ChatHeader
from ankita.ui.main_window.composer import Composer
from ankita.ui.main_window.empty_chat import EmptyChat
from ankita.ui.main_window.file_drops import FileDrops
from ankita.ui.main_window.measures import BELOW_COMPOSER, composer_margin
from ankita.ui.main_window.offers import OfferCommands, Offers
from ankita.ui.main_window.plan_card import PlanCard
from ankita.ui.main_window.queued_rows import QueuedRows
from ankita.ui.main_window.transcript_view import TranscriptView
from ankita.ui.main_window.ui_state import UiStateStore
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.plain_label import PlainLabel
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

AROUND_PLAN = 8


class ChatFrame(Surface):
    """Holds the parts; what they show and ask for is not its matter."""

    def __init__(
        self,
        bridge: EngineBridge,
        models: WindowModels,
        store: UiStateStore,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(SurfaceKind.PAGE, parent)
        self.setAccessibleName("Chat")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._build_top(bridge, store)
        self._build_pages(models)
        self._build_bottom()
        self.drops = FileDrops(self)
        self._set_margins()

    def show_page(self, page: QWidget) -> None:
        """Show the empty page, the one that says it is loading, or the transcript."""
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)

    def is_page(self, page: QWidget) -> bool:
        return self._stack.currentWidget() is page

    def _build_top(self, bridge: EngineBridge, store: UiStateStore) -> None:
        self.header = ChatHeader()
        self._column.addWidget(self.header)
        commands = OfferCommands(bridge, self)
        self.offer_cards = Offers(commands)
        self.offer_bar = Offers(commands, slim=True)
        self._column.addWidget(self.offer_bar)
        self.plan = PlanCard(store)
        self._plan_row = QHBoxLayout()
        self._plan_row.addWidget(self.plan)
        self._column.addLayout(self._plan_row)

    def _build_pages(self, models: WindowModels) -> None:
        self.transcript = TranscriptView(models.transcript, models.approvals)
        self.empty = EmptyChat(self.offer_cards)
        self.loading = PlainLabel("Opening the thread…", role="muted")
        self.loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        for page in (self.empty, self.transcript, self.loading):
            self._stack.addWidget(page)
        self._column.addWidget(self._stack, 1)

    def _build_bottom(self) -> None:
        self.queued = QueuedRows()
        self.composer = Composer()
        below = QVBoxLayout()
        below.setSpacing(6)
        below.addWidget(self.queued)
        below.addWidget(self.composer)
        self._composer_row = QHBoxLayout()
        self._composer_row.addLayout(below)
        self._column.addLayout(self._composer_row)

    def _set_margins(self) -> None:
        side = composer_margin(appearance_now(), self.width())
        self._composer_row.setContentsMargins(side, 0, side, BELOW_COMPOSER)
        # An empty row would still take its margins.
        around = 0 if self.plan.isHidden() else AROUND_PLAN
        self._plan_row.setContentsMargins(side, around, side, around)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._set_margins()
        super().resizeEvent(event)
