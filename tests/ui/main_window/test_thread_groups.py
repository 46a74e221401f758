"""The thread list with several teammates: groups, new threads with each, and removal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.engine import (
    CreateThread,
    EngineState,
    TeammateChanged,
    TeammateRemoved,
    ThreadDeleted,
    ThreadSaved,
)
from ankita.ids import TeammateId, ThreadId
from ankita.ui.main_window.teammate_menu import TeammateMenu
from ankita.ui.main_window.thread_list import ThreadList
from ankita.ui.widgets.mascot import MascotState
from tests.ui.main_window.window_lab import (
    DEV,
    MIRA,
    THREAD,
    OpenWindow,
    WindowLab,
    state,
    thread,
    user,
)

pytestmark = pytest.mark.spec("ENG-8")

T2, T3 = ThreadId("t2"), ThreadId("t3")


def three() -> EngineState:
    return state(
        thread(),
        thread(T2, teammate_id=DEV.id, title="Release"),
        thread(T3, title="Groceries", updated_at="2026-05-01T10:00:00+00:00"),
        items={THREAD: (user("hi"),), T2: (user("ho"),)},
    )


def rows(threads: ThreadList) -> list[tuple[str, bool]]:
    model = threads._model
    indexes = [model.index(row, 0) for row in range(model.rowCount())]
    return [(model.summary(index).id, model.starts_group(index)) for index in indexes]


def menu_of(qtbot: QtBot, lab: WindowLab) -> TeammateMenu:
    def is_open() -> bool:
        return any(menu.isVisible() for menu in lab.window.threads.findChildren(TeammateMenu))

    qtbot.waitUntil(is_open)
    return next(m for m in lab.window.threads.findChildren(TeammateMenu) if m.isVisible())


def test_threads_stand_in_groups_by_teammate(open_window: OpenWindow) -> None:
    lab = open_window(three())
    assert rows(lab.window.threads) == [("t1", True), ("t3", False), ("t2", True)]
    words = lab.window.threads._model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words.endswith(", Dev")


def test_with_one_teammate_there_are_no_groups(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(state(thread(), teammates=(MIRA,)))
    view, model = lab.window.threads.view, lab.window.threads._model
    assert rows(lab.window.threads) == [("t1", False)]
    before = view.visualRect(model.index(0, 0)).height()

    lab.engine.emit(TeammateChanged(DEV))

    qtbot.waitUntil(lambda: rows(lab.window.threads) == [("t1", True)])
    qtbot.waitUntil(lambda: view.visualRect(model.index(0, 0)).height() > before)


def test_a_thread_of_a_new_teammate_comes_after_the_others(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread(), teammates=(MIRA,)))
    lab.engine.emit(
        TeammateChanged(DEV), ThreadSaved(thread(T2, teammate_id=DEV.id, updated_at="2027-01-01"))
    )
    qtbot.waitUntil(lambda: rows(lab.window.threads) == [("t1", True), ("t2", True)])


def test_groups_follow_the_order_of_the_teammates_whenever_those_become_known(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    ada = replace(DEV, id=TeammateId("ada"), name="Ada")
    lab = open_window(state(thread(), teammates=(MIRA,)))
    lab.engine.emit(
        ThreadSaved(thread(T2, teammate_id=DEV.id)),
        ThreadSaved(thread(T3, teammate_id=ada.id)),
        TeammateChanged(DEV),
        TeammateChanged(ada),
    )
    wanted = [("t1", True), ("t2", True), ("t3", True)]
    qtbot.waitUntil(lambda: rows(lab.window.threads) == wanted)


@pytest.mark.spec("UI-3")
def test_a_new_thread_with_each_by_keyboard_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(three())
    lab.window.show_thread(THREAD)
    lab.engine.answers[CreateThread] = ThreadId("new")
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(lab.window, Qt.Key.Key_N, both)
    menu = menu_of(qtbot, lab)
    assert [action.text() for action in menu.actions()] == [
        "New thread with Mira",
        "New thread with Dev",
    ]
    assert menu.activeAction() is menu.actions()[0]
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: lab.window.chat.thread_id is None)
    assert lab.window.chat.header.mascot.accessibleName().startswith("Dev")
    assert lab.window.chat.composer.edit.hasFocus()
    qtbot.keyClicks(lab.window.chat.composer.edit, "hello")
    qtbot.keyClick(lab.window.chat.composer.edit, Qt.Key.Key_Return)
    assert lab.engine.sent(CreateThread) == [CreateThread(DEV.id)]


def test_the_button_asks_with_whom(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(three())
    qtbot.mouseClick(lab.window.threads.new_button, Qt.MouseButton.LeftButton)
    menu = menu_of(qtbot, lab)
    menu.actions()[1].trigger()
    menu.close()
    assert lab.window.chat.header.mascot.accessibleName().startswith("Dev")


def test_with_one_teammate_the_button_begins_at_once(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(state(thread(), teammates=(MIRA,), items={THREAD: (user("hi"),)}))
    lab.window.show_thread(THREAD)
    qtbot.mouseClick(lab.window.threads.new_button, Qt.MouseButton.LeftButton)
    assert lab.window.chat.thread_id is None
    assert not lab.window.threads.findChildren(TeammateMenu)


def test_a_plain_new_thread_is_with_whom_the_chat_was(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(three())
    lab.window.show_thread(T2)
    qtbot.keyClick(lab.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert lab.window.chat.thread_id is None
    assert lab.window.chat.header.mascot.accessibleName().startswith("Dev")


def test_the_open_thread_of_a_removed_teammate_is_left(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(three())
    lab.window.show_thread(T2)
    lab.engine.emit(ThreadDeleted(T2), TeammateRemoved(DEV.id))

    qtbot.waitUntil(lambda: rows(lab.window.threads) == [("t1", False), ("t3", False)])
    assert lab.window.chat.thread_id is None
    assert lab.window.chat.header.mascot.accessibleName().startswith("Mira")
    assert lab.window.chat.composer.isEnabled()
    assert not lab.window.threads.view.selectedIndexes()


def test_an_empty_page_with_a_teammate_that_is_removed_becomes_another_ones(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread()))
    lab.window.begin_thread(DEV.id)
    assert lab.window.chat.header.mascot.accessibleName().startswith("Dev")
    lab.engine.emit(TeammateRemoved(DEV.id))
    qtbot.waitUntil(lambda: lab.window.chat.header.mascot.accessibleName().startswith("Mira"))


def test_the_rail_follows_when_the_first_teammate_goes(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state())
    assert lab.window.rail.mascot.accessibleName() == "Mira, idle"
    lab.engine.emit(TeammateRemoved(MIRA.id))
    qtbot.waitUntil(lambda: lab.window.rail.mascot.accessibleName() == "Dev, idle")
    assert lab.window.rail.mascot.state is MascotState.IDLE


@pytest.mark.parametrize("name", ["W" * 40, "نور الهدى المصري", "👩🏽‍🔬 डॉ. प्रिया", "R & D <b>"])
def test_any_name_can_be_drawn_and_chosen(open_window: OpenWindow, qtbot: QtBot, name: str) -> None:
    team = (MIRA, replace(DEV, name=name))
    lab = open_window(replace(three(), teammates=team))
    lab.window.threads.view.grab()
    lab.window.threads.ask_with_whom()
    menu = menu_of(qtbot, lab)
    assert menu.actions()[1].text().replace("&&", "&") == f"New thread with {name}"
    menu.close()
    assert QApplication.activePopupWidget() is None
