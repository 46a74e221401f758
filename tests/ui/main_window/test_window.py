"""The window as a whole: its frame, its keys, its names, its life."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Activity,
    ApprovalRequested,
    CallStatus,
    DismissNotice,
    GateState,
    Notice,
    NoticeDismissed,
    NoticeItem,
    NoticeLevel,
    NoticeRaised,
    RuleState,
    TeammateChanged,
    VaultState,
)
from ankita.ids import ItemId
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.widgets.mascot import MascotState
from tests.ui.main_window.window_lab import (
    AT,
    MIRA,
    THREAD,
    TURN,
    OpenWindow,
    question,
    reply,
    state,
    thread,
    tool,
    user,
)


@pytest.mark.spec("UI-1")
def test_the_rail_has_a_button_for_each_pane_that_exists_and_no_other(
    open_window: OpenWindow,
) -> None:
    lab = open_window()
    names = [lab.window.rail.button(pane).accessibleName() for pane in Pane]
    assert names == ["Chat", "Approvals", "Settings"]


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize(
    ("key", "pane"),
    [(Qt.Key.Key_2, Pane.APPROVALS), (Qt.Key.Key_3, Pane.SETTINGS), (Qt.Key.Key_1, Pane.CHAT)],
)
def test_ctrl_and_a_number_open_a_pane(
    open_window: OpenWindow, qtbot: QtBot, key: Qt.Key, pane: Pane
) -> None:
    lab = open_window()
    qtbot.keyClick(lab.window, key, Qt.KeyboardModifier.ControlModifier)
    assert lab.window.pane is pane
    assert lab.window.rail.button(pane).isChecked()


@pytest.mark.spec("UI-3")
def test_keys_reach_a_new_thread_the_composer_and_every_region(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread(), items={THREAD: (user("hi"),)}))
    lab.window.show_thread(THREAD)
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(lab.window, Qt.Key.Key_N, control)
    assert lab.window.chat.thread_id is None
    lab.window.show_thread(THREAD)
    regions: set[QWidget | None] = set()
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget() or lab.window, Qt.Key.Key_F6)
        regions.add(QApplication.focusWidget())
    chat = lab.window.chat
    assert regions == {
        lab.window.rail.button(Pane.CHAT),
        lab.window.threads.view,
        chat.transcript,
        chat.composer.edit,
    }
    qtbot.keyClick(lab.window, Qt.Key.Key_3, control)
    qtbot.keyClick(lab.window, Qt.Key.Key_L, control)
    assert chat.composer.edit.hasFocus()


def test_ctrl_q_asks_to_quit(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window()
    with qtbot.waitSignal(lab.window.quit_requested):
        qtbot.keyClick(lab.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def test_closing_hides_the_window_and_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window()
    with qtbot.waitSignal(lab.shell.hidden):
        event = QCloseEvent()
        QApplication.sendEvent(lab.shell, event)
    assert not event.isAccepted()
    assert not lab.window.isVisible()
    lab.shell.bring_to_front()
    assert lab.window.isVisible()


@pytest.mark.spec("UI-5")
def test_the_place_of_the_window_survives_a_restart(open_window: OpenWindow) -> None:
    store = MemoryUiState()
    lab = open_window(store=store)
    lab.shell.resize(840, 620)  # as wide as the small screen of the tests allows
    lab.shell.close()
    again = open_window(store=store)
    assert (again.shell.width(), again.shell.height()) == (840, 620)


def test_panes_are_built_on_their_first_visit(open_window: OpenWindow) -> None:
    lab = open_window()
    assert lab.window.approvals is None
    assert lab.window.settings is None
    lab.window.show_pane(Pane.SETTINGS)
    assert lab.window.settings is not None


def test_a_notice_is_shown_until_it_is_dismissed(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window()
    notice = Notice("n1", "The settings file was damaged and kept aside.", NoticeLevel.WARNING)
    lab.engine.emit(NoticeRaised(notice))
    qtbot.waitUntil(lambda: lab.window.notices.words() == [notice.text])
    lab.window.notices._lines["n1"].close_button.click()
    assert lab.engine.sent(DismissNotice) == [DismissNotice("n1")]
    lab.engine.emit(NoticeDismissed("n1"))
    qtbot.waitUntil(lambda: lab.window.notices.words() == [])
    assert not lab.window.notices.isVisible()


class StrayWindows(QObject):
    """Remembers every window that is shown besides the main one."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[QObject] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(watched)
        return False


def test_nothing_flashes_up_as_a_window_of_its_own(open_window: OpenWindow, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert app is not None
    stray = StrayWindows()
    app.installEventFilter(stray)
    try:
        lab = open_window(busy_state())
        lab.window.show_thread(THREAD)
        lab.engine.emit(ApprovalRequested(question(call_id="c2", scope_once="x", scope_always="y")))
        qtbot.waitUntil(lambda: lab.models.approvals.rowCount() == 1)
        for pane in Pane:
            lab.window.show_pane(pane)
    finally:
        app.removeEventFilter(stray)
    assert stray.seen == [lab.shell]


def busy_state() -> object:
    items = (
        user("hi"),
        reply("**hello**"),
        tool("c1", output="one\ntwo\n" * 20),
        tool("c2", CallStatus.ASKING),
        NoticeItem(ItemId("n"), TURN, "It failed.", NoticeLevel.ERROR, AT, can_retry=True),
    )
    rule = RuleState("native", "write_file", 0, "files: write file", AT, "tool")
    return state(
        thread(),
        items={THREAD: items},
        gate=GateState(rules=(rule,), closed_reason="damaged"),
        notices=(Notice("n1", "kept aside", NoticeLevel.WARNING),),
        vault=VaultState("", "There is no keychain.", needs_passphrase=True),
    )


def controls(window: QWidget) -> list[QWidget]:
    """What a person can use: whatever takes the focus by a key or a click."""
    return [
        each
        for each in window.findChildren(QWidget)
        if each.isVisible()
        and each.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and not each.objectName().startswith("qt_")
    ]


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("pane", list(Pane))
def test_no_interactive_control_is_without_a_name(
    open_window: OpenWindow, qtbot: QtBot, pane: Pane
) -> None:
    lab = open_window(busy_state())  # type: ignore[arg-type]
    lab.window.show_thread(THREAD)
    lab.engine.emit(ApprovalRequested(question(call_id="c2", scope_once="x", scope_always="y")))
    qtbot.waitUntil(lambda: lab.window.chat.transcript.widget_count == 5)
    lab.window.show_pane(pane)
    found = controls(lab.window)
    assert len(found) > 5
    unnamed = [
        each for each in found if not (each.accessibleName() or isinstance(each, QLabel))
    ]  # a label is named by its text
    assert unnamed == []


@pytest.mark.spec("ISL-2")
def test_the_window_shows_for_a_moment_that_something_was_finished(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread(), items={THREAD: (user("x"),)}))
    lab.window.show_thread(THREAD)
    lab.engine.emit(TeammateChanged(replace(MIRA, activity=Activity.DONE)))
    rail, header = lab.window.rail.mascot, lab.window.chat.header.mascot
    qtbot.waitUntil(lambda: rail.state is MascotState.DONE)
    assert header.state is MascotState.DONE
    lab.engine.emit(TeammateChanged(replace(MIRA, activity=Activity.IDLE)))
    qtbot.waitUntil(lambda: rail.state is MascotState.IDLE)
    assert header.state is MascotState.IDLE
