"""Draws what answers in the chat, how it acts, and the servers that could answer instead."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from ankita.engine import AnsweringChanged, OffersChanged, SettingsChanged, TeammateState
from ankita.messages import ModelInfo
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.chat_frame import ChatFrame
from ankita.ui.main_window.model_trial import ModelTrials, mode_words
from ankita.ui.main_window.offer_words import is_unchosen, offers_for


class AnsweringPart(QObject):
    """`teammate` gives the one that is shown now."""

    def __init__(
        self, bridge: EngineBridge, frame: ChatFrame, teammate: Callable[[], TeammateState]
    ) -> None:
        super().__init__(frame)
        self._bridge = bridge
        self._frame = frame
        self._teammate = teammate
        self._trials = ModelTrials(bridge, self)
        self._trials.changed.connect(self.refresh)
        for kind in (AnsweringChanged, SettingsChanged, OffersChanged):
            bridge.listen(kind, lambda _: self.changed())

    def changed(self) -> None:
        """What answers may be another: follow its self-test, then draw."""
        self._trials.follow(self._teammate().id, self._info())
        self.refresh()

    def refresh(self) -> None:
        info = self._info()
        mode = mode_words(info, is_tried=self._trials.is_tried(info))
        self._frame.header.show_answering(info, mode)
        self._frame.empty.show_answering(info)
        self._show_offers()

    def _info(self) -> ModelInfo | None:
        return self._teammate().answering or self._bridge.state.answering

    def _show_offers(self) -> None:
        """As cards where nothing was said yet, as a bar over a thread."""
        state, teammate, frame = self._bridge.state, self._teammate(), self._frame
        offers = offers_for(state, teammate)
        is_empty = frame.is_page(frame.empty)
        frame.offer_cards.show_offers(offers if is_empty else ())
        frame.offer_bar.show_offers(() if is_empty else offers)
        is_looking = state.is_looking_for_servers and is_unchosen(state, teammate)
        frame.empty.show_looking(is_looking)
