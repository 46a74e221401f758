"""Settings of the web tools: where search asks, and the private hosts they may reach."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ankita.config import Settings
from ankita.engine import ChangeWeb, SettingsChanged
from ankita.errors import CommandRefusedError
from ankita.ui.widgets.buttons import ActButton
from tests.ui.main_window.test_settings import settings_of, tab_to, words_in
from tests.ui.main_window.window_lab import OpenWindow, state

SEARX = "https://search.example.org"


@pytest.mark.spec("TOL-3")
def test_the_search_service_is_named_and_changed_with_the_keyboard(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    search = pane.web.search
    assert "DuckDuckGo" in search.words.text()
    assert not search.button.isEnabled()
    tab_to(qtbot, search.field)
    qtbot.keyClicks(search.field, SEARX)
    qtbot.keyClick(search.field, Qt.Key.Key_Return)
    assert lab.engine.sent(ChangeWeb) == [ChangeWeb(search_url=SEARX)]
    lab.engine.emit(SettingsChanged(Settings(search_url=SEARX)))
    qtbot.waitUntil(lambda: f"{SEARX} answers" in words_in(pane.web))
    search.field.clear()
    search.button.click()
    assert lab.engine.sent(ChangeWeb)[-1] == ChangeWeb(search_url="")


@pytest.mark.spec("TOL-3")
def test_private_hosts_are_listed_added_and_removed(open_window: OpenWindow, qtbot: QtBot) -> None:
    hosts = ("nas.local", "10.0.0.5:8080")
    lab, pane = settings_of(open_window, state(settings=Settings(private_hosts=hosts)))
    removers = [b for b in pane.web.findChildren(ActButton) if b.text() == "Remove"]
    assert len(removers) == 2
    removers[0].click()
    pane.web.hosts.field.setText("wiki.local")
    pane.web.hosts.button.click()
    assert lab.engine.sent(ChangeWeb) == [
        ChangeWeb(private_hosts=("10.0.0.5:8080",)),
        ChangeWeb(private_hosts=(*hosts, "wiki.local")),
    ]
    lab.engine.emit(SettingsChanged(Settings(private_hosts=("wiki.local",))))
    qtbot.waitUntil(lambda: "wiki.local" in words_in(pane.web))
    assert "10.0.0.5" not in words_in(pane.web)


@pytest.mark.spec("TOL-3")
def test_a_host_that_is_none_keeps_the_field_and_says_why(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[ChangeWeb] = CommandRefusedError("That is no host.", advice="Write one.")
    pane.web.hosts.field.setText("a b")
    pane.web.hosts.button.click()
    qtbot.waitUntil(lambda: "That is no host. Write one." in words_in(pane.web))
    assert pane.web.hosts.field.text() == "a b"
