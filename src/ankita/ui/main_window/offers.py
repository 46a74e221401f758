"""The found model servers as views that the chat shows, kept in line with the state."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.engine import DeclineServer, ServerOffer, UseServer
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.offer_view import OfferView
from ankita.ui.main_window.offer_words import offer_line
from ankita.ui.replies import Replies
from ankita.ui.widgets.surfaces import Card, Surface, SurfaceKind


class OfferCommands(QObject):
    """Hands over what an offer's view asks for; a refusal is shown where it was asked."""

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._replies = Replies(bridge, self)

    def serve(self, view: OfferView) -> None:
        view.use_wanted.connect(lambda command: self._ask(view, command))
        view.decline_wanted.connect(lambda address: self._ask(view, DeclineServer(address)))

    def _ask(self, view: OfferView, command: UseServer | DeclineServer) -> None:
        view.show_waiting(True)
        self._replies.ask(
            command, lambda _: self._answered(view, ""), lambda words: self._answered(view, words)
        )

    def _answered(self, view: OfferView, words: str) -> None:
        if shiboken6.isValid(view):  # an accepted offer is gone from the state, and its view
            view.show_waiting(False)
            view.show_error(words)


class Offers(QWidget):
    """All offers as cards, or with `slim` the first as a bar; hidden while there are none."""

    left = Signal()
    """The view with the keyboard is gone."""

    def __init__(
        self, commands: OfferCommands, *, slim: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Model servers on this computer")
        self._commands = commands
        self._slim = slim
        self._views: dict[str, tuple[QWidget, OfferView]] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0 if slim else 10)
        self.hide()

    def views(self) -> tuple[OfferView, ...]:
        return tuple(view for _, view in self._views.values())

    def show_offers(self, offers: tuple[ServerOffer, ...]) -> None:
        """Bring the views into line with the state; what was typed into one stays."""
        shown = offers[:1] if self._slim else offers
        wanted = {offer.base_url for offer in shown}
        for gone in [key for key in self._views if key not in wanted]:
            self._remove(self._views.pop(gone)[0])
        for offer in shown:
            if offer.base_url in self._views:
                self._views[offer.base_url][1].show_offer(offer)
            else:
                self._add(offer)
        self.setVisible(bool(self._views))

    def _add(self, offer: ServerOffer) -> None:
        view = OfferView(offer, slim=self._slim)
        self._commands.serve(view)
        frame = _bar(view) if self._slim else _card(view)
        self._views[offer.base_url] = (frame, view)
        self._column.addWidget(frame)

    def _remove(self, frame: QWidget) -> None:
        focus = self.window().focusWidget()
        had_focus = focus is not None and frame.isAncestorOf(focus)
        self._column.removeWidget(frame)
        frame.hide()
        frame.deleteLater()
        if had_focus:
            self.left.emit()


def _card(view: OfferView) -> QWidget:
    card = Card(offer_line(view.offer))
    card.column.addWidget(view)
    return card


def _bar(view: OfferView) -> QWidget:
    bar = Surface(SurfaceKind.HEADER)
    bar.setAccessibleName(offer_line(view.offer))
    row = QVBoxLayout(bar)
    row.setContentsMargins(20, 8, 20, 8)
    row.addWidget(view)
    return bar
