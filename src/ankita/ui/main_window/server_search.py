"""Settings: looks for model servers on this computer, and lists what was found."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.engine import LookForServers, OffersChanged, SettingsChanged
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.offers import OfferCommands, Offers
from ankita.ui.main_window.panel_rows import PanelRow
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton

REST_WORDS = "Such as Ollama or LM Studio. They are only asked what they are."
NONE_FOUND = "Found none that is new. Start one, such as Ollama or LM Studio, and look again."


def search_words(*, is_looking: bool, has_looked: bool, offers: int) -> str:
    """How the search stands, in a sentence."""
    if is_looking:
        return "Looking…"
    if offers:
        return "Found one." if offers == 1 else f"Found {offers}."
    return NONE_FOUND if has_looked else REST_WORDS


def declined_words(addresses: tuple[str, ...]) -> str:
    """Which servers are not offered any more; empty without one."""
    if not addresses:
        return ""
    places = ", ".join(urlsplit(address).netloc or address for address in addresses)
    return f"Not offered again: {places}. One answers again once it is used by its address."


class ServerSearch(QWidget):
    """A row with the button, and the offers below it."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__()
        self._bridge = bridge
        self._replies = replies
        self._has_looked = False
        self.look = ActButton("Look", small=True)
        self.look.setAccessibleName("Look for servers on this computer")
        self.look.clicked.connect(self._look)
        self.row = PanelRow("Servers on this computer", " ", [self.look], first=True)
        self._commands = OfferCommands(bridge, self)
        self.offers = Offers(self._commands)
        self.offers.left.connect(self.look.setFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.row)
        self._holder = QWidget()
        inner = QVBoxLayout(self._holder)
        inner.setContentsMargins(16, 0, 16, 12)
        inner.addWidget(self.offers)
        column.addWidget(self._holder)
        bridge.listen(OffersChanged, lambda _: self._refresh())
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    def _look(self) -> None:
        self._replies.ask(LookForServers(), lambda _: self._looked(), self._failed)

    def _looked(self) -> None:
        self._has_looked = True
        self._refresh()
        announce(self.row, self.row.words.text())

    def _failed(self, words: str) -> None:
        self._refresh()
        self.row.words.set_role("danger")
        self.row.set_words(words)
        announce(self.row, words)

    def _refresh(self) -> None:
        state = self._bridge.state
        is_looking = state.is_looking_for_servers
        words = search_words(
            is_looking=is_looking, has_looked=self._has_looked, offers=len(state.offers)
        )
        declined = declined_words(state.settings.declined_servers)
        self.row.words.set_role("small")
        self.row.set_words(" ".join(part for part in (words, declined) if part))
        self.look.setEnabled(not is_looking)
        self.look.setText("Looking…" if is_looking else "Look")
        self.offers.show_offers(state.offers)
        self._holder.setVisible(bool(state.offers))
