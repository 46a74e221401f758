"""Settings: the ways to add a model: found on this computer, by address, or as a file."""

from __future__ import annotations

from ankita.engine import SettingsChanged
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.model_files import ModelFilesPart
from ankita.ui.main_window.panel_rows import Panel
from ankita.ui.main_window.server_form import ServerForm
from ankita.ui.main_window.server_search import ServerSearch
from ankita.ui.replies import Replies


class AddModelSection(Panel):
    """The form is filled once with the server in use, so that it can be changed."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("Add a model")
        self._bridge = bridge
        self.search = ServerSearch(bridge, replies)
        self.form = ServerForm(replies)
        self.files = ModelFilesPart(bridge, replies)
        for part in (self.search, self.form, self.files):
            self.add(part)
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    def _refresh(self) -> None:
        server = self._bridge.state.settings.server
        if server is not None and not server.file:
            self.form.offer(server)
