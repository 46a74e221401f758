"""Settings: where web search asks, and which private hosts the web tools may reach."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ankita.engine import ChangeWeb, SettingsChanged
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

DEFAULT_SEARCH = "DuckDuckGo answers, without a key. Or give the address of a SearXNG server."
HOSTS_WORDS = (
    "Pages in private networks and on this computer are closed to web tools, except for these."
)


def search_words(search_url: str) -> str:
    """What is asked for a search now, and how to change it."""
    if not search_url:
        return DEFAULT_SEARCH
    return visible_text(f"{search_url} answers, a SearXNG server. Empty it for DuckDuckGo.")


class FieldRow(Surface):
    """A title, a sentence, one field with its button, and why it was refused."""

    def __init__(self, title: str, words: str, act: str, *, first: bool = False) -> None:
        super().__init__(SurfaceKind.ROW if first else SurfaceKind.DIVIDED)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addWidget(PlainLabel(title, role="strong"))
        self.words = PlainLabel(words, role="small")
        column.addWidget(self.words)
        line = QHBoxLayout()
        line.setSpacing(8)
        self.field = QLineEdit()
        self.field.setAccessibleName(title)
        self.button = ActButton(act, small=True)
        self.button.setAccessibleName(f"{act}: {title}")
        self.field.returnPressed.connect(self.button.click)
        line.addWidget(self.field, 1)
        line.addWidget(self.button)
        column.addLayout(line)
        self._result = PlainLabel("", role="danger")
        self._result.hide()
        column.addWidget(self._result)

    def say(self, words: str) -> None:
        """Why it was refused; empty takes the words away."""
        shown = visible_text(words)
        self._result.setText(shown)
        self._result.setVisible(bool(shown))
        if shown:
            announce(self._result, shown)


class WebSection(Panel):
    """Every change is a command; a refusal stands below the field it is about."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("Web")
        self._bridge = bridge
        self._replies = replies
        self.search = FieldRow("Search", DEFAULT_SEARCH, "Save", first=True)
        self.search.field.setPlaceholderText("empty for DuckDuckGo")
        self.search.field.textChanged.connect(self._refresh_save)
        self.search.button.clicked.connect(self._save_search)
        self.add(self.search)
        self.hosts = FieldRow("Private hosts", HOSTS_WORDS, "Add")
        self.hosts.field.setPlaceholderText("nas.local or 10.0.0.5:8080")
        self.hosts.field.textChanged.connect(self._refresh_save)
        self.hosts.button.clicked.connect(self._add_host)
        self.add(self.hosts)
        holder = QWidget()
        self._host_rows = QVBoxLayout(holder)
        self._host_rows.setContentsMargins(0, 0, 0, 0)
        self._host_rows.setSpacing(0)
        self.add(holder)
        self._stored: str | None = None
        self._listed: tuple[str, ...] | None = None
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    # --- search -----------------------------------------------------------------------

    def _save_search(self) -> None:
        self.search.say("")
        if self.search.button.isEnabled():
            wanted = self.search.field.text().strip()
            self._replies.ask(ChangeWeb(search_url=wanted), lambda _: None, self.search.say)

    # --- hosts ------------------------------------------------------------------------

    def _add_host(self) -> None:
        self.hosts.say("")
        wanted = self.hosts.field.text().strip()
        if wanted:
            self._change_hosts((*self._bridge.state.settings.private_hosts, wanted))

    def _change_hosts(self, hosts: tuple[str, ...]) -> None:
        self._replies.ask(ChangeWeb(private_hosts=hosts), self._hosts_changed, self.hosts.say)

    def _hosts_changed(self, _: object) -> None:
        self.hosts.field.clear()
        self.hosts.say("")

    def _remove_host(self, host: str) -> None:
        left = tuple(h for h in self._bridge.state.settings.private_hosts if h != host)
        self._change_hosts(left)
        self.hosts.field.setFocus()

    # --- following the state ----------------------------------------------------------

    def _refresh(self) -> None:
        settings = self._bridge.state.settings
        if settings.search_url != self._stored:
            was_known = self._stored is not None
            self._stored = settings.search_url
            self.search.field.setText(settings.search_url)
            self.search.words.setText(search_words(settings.search_url))
            if was_known:
                announce(self.search, self.search.words.text())
        self._refresh_save()
        if settings.private_hosts != self._listed:
            self._listed = settings.private_hosts
            self._list_hosts(settings.private_hosts)

    def _refresh_save(self) -> None:
        wanted = self.search.field.text().strip()
        self.search.button.setEnabled(wanted != self._bridge.state.settings.search_url)
        self.hosts.button.setEnabled(bool(self.hosts.field.text().strip()))

    def _list_hosts(self, hosts: tuple[str, ...]) -> None:
        while (item := self._host_rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for host in hosts:
            remove = ActButton("Remove", small=True)
            remove.setAccessibleName(f"Remove the private host {visible_text(host)}")
            remove.clicked.connect(partial(self._remove_host, host))
            self._host_rows.addWidget(PanelRow(host, controls=[remove], role="body"))
