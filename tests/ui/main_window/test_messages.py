"""Messages in a thread: whose they are, what is pinned, and calls that were put off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from ankita.engine import (
    ApprovalParked,
    ApprovalSettled,
    CallStatus,
    ItemAdded,
    ItemChanged,
    PinItem,
    ReplyStatus,
    TeammateChanged,
)
from ankita.errors import CommandRefusedError
from ankita.ids import ItemId
from ankita.ui.main_window.message_widgets import ReplyWidget, UserBubble
from ankita.ui.main_window.pin_mark import PIN_KEYS
from ankita.ui.main_window.transcript_items import ToolWidget
from ankita.ui.main_window.transcript_view import FIRST_ITEMS
from ankita.ui.widgets.markdown_view import MarkdownView
from ankita.ui.widgets.plain_label import PlainLabel
from tests.ui.main_window.window_lab import (
    AT,
    DEV,
    MIRA,
    THREAD,
    OpenWindow,
    WindowLab,
    question,
    reply,
    state,
    thread,
    tool,
    user,
)


def opened(open_window: OpenWindow, qtbot: QtBot, *items: object, **changes: object) -> WindowLab:
    lab = open_window(state(thread(), items={THREAD: items}, **changes))
    lab.window.show_thread(THREAD)
    transcript = lab.window.chat.transcript
    qtbot.waitUntil(lambda: transcript.widget_count == min(len(items), FIRST_ITEMS))
    return lab


def view_of(lab: WindowLab, place: int) -> MarkdownView:
    view = lab.window.chat.transcript.widgets()[place].findChild(MarkdownView)
    assert view is not None
    return view


def marked(lab: WindowLab) -> list[bool]:
    widgets = lab.window.chat.transcript.widgets()
    labels = [[c.text() for c in w.findChildren(PlainLabel) if c.isVisible()] for w in widgets]
    return ["Pinned" in each for each in labels]


@pytest.mark.spec("ENG-6")
def test_a_message_is_pinned_and_unpinned_by_a_key(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window, qtbot, user("remember"), reply("yes"))
    view = view_of(lab, 0)
    assert view.accessibleDescription() == f"{PIN_KEYS} pins it."
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert lab.engine.sent(PinItem) == [PinItem(THREAD, ItemId("u1"), True)]
    lab.engine.emit(ItemChanged(THREAD, replace(user("remember"), is_pinned=True)))
    qtbot.waitUntil(lambda: marked(lab) == [True, False])
    assert PIN_KEYS in view.accessibleDescription()
    qtbot.keyClick(view, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert lab.engine.sent(PinItem)[-1] == PinItem(THREAD, ItemId("u1"), False)
    lab.engine.emit(ItemChanged(THREAD, user("remember")))
    qtbot.waitUntil(lambda: marked(lab) == [False, False])


def menu_of(view: MarkdownView, qtbot: QtBot) -> QMenu:
    view.customContextMenuRequested.emit(view.rect().center())
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


@pytest.mark.spec("ENG-6")
def test_the_menu_of_a_reply_pins_it_and_names_the_key(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, qtbot, user("hi"), reply("answer"))
    menu = menu_of(view_of(lab, 1), qtbot)
    action = menu.actions()[0]
    assert action.text() == "Pin"
    assert action.shortcut().toString() == PIN_KEYS
    action.trigger()
    menu.close()
    assert lab.engine.sent(PinItem) == [PinItem(THREAD, ItemId("r1"), True)]


@pytest.mark.spec("ENG-6")
def test_what_is_still_being_written_cannot_be_pinned(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, qtbot, user("hi"), reply("so far", status=ReplyStatus.STREAMING))
    menu = menu_of(view_of(lab, 1), qtbot)
    assert "Pin" not in [action.text() for action in menu.actions()]
    menu.close()
    view_of(lab, 1).setFocus()
    qtbot.keyClick(view_of(lab, 1), Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert lab.engine.sent(PinItem) == []


@pytest.mark.spec("ENG-6")
def test_a_refused_pin_says_why(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window, qtbot, user("hi"))
    lab.engine.answers[PinItem] = CommandRefusedError("12 messages are pinned here already.")
    view_of(lab, 0).setFocus()
    qtbot.keyClick(view_of(lab, 0), Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: lab.window.notices.words() == ["12 messages are pinned here already."])


@pytest.mark.spec("ENG-6")
def test_the_header_counts_the_pins_and_goes_from_one_to_the_next(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    items = [user(f"message {n}", f"u{n}") for n in range(300)]
    for place in (3, 150):
        items[place] = replace(items[place], is_pinned=True)
    lab = opened(open_window, qtbot, *items)
    chat = lab.window.chat
    assert chat.header.pins.accessibleName() == "2 pinned messages, go to the next"
    for place in (3, 150, 3):
        chat.header.pins.click()
        qtbot.waitUntil(lambda place=place: place in chat.transcript.shown_rows())  # type: ignore[misc]
        focus = QApplication.focusWidget()
        assert isinstance(focus, MarkdownView)
        assert focus.toPlainText() == f"message {place}"
        qtbot.waitUntil(lambda focus=focus: not focus.visibleRegion().isEmpty())  # type: ignore[misc]
    lab.engine.emit(ItemChanged(THREAD, replace(items[3], is_pinned=False)))
    qtbot.waitUntil(lambda: chat.header.pins.accessibleName().startswith("1 pinned message,"))
    lab.engine.emit(ItemChanged(THREAD, replace(items[150], is_pinned=False)))
    qtbot.waitUntil(lambda: not chat.header.pins.isVisible())


@pytest.mark.spec("ENG-8")
def test_answers_carry_the_name_of_the_thread_s_teammate(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(
        state(
            thread(teammate_id=DEV.id),
            items={THREAD: (user("hi"), reply("one"), tool(), reply("two", "r2"))},
        )
    )
    lab.window.show_thread(THREAD)
    transcript, header = lab.window.chat.transcript, lab.window.chat.header
    qtbot.waitUntil(lambda: transcript.widget_count == 4)
    replies = [w for w in transcript.widgets() if isinstance(w, ReplyWidget)]
    qtbot.waitUntil(replies[0].speaker.isVisible)
    assert replies[0].speaker.text() == "Dev"
    assert not replies[1].speaker.isVisible()
    assert [r.view.accessibleName() for r in replies] == ["Dev's reply", "Dev's reply"]
    assert header.name.text() == "Dev"
    assert header.name.isVisible()
    lab.engine.emit(TeammateChanged(replace(DEV, name="Devi")))
    qtbot.waitUntil(lambda: replies[0].speaker.text() == "Devi")
    assert header.name.text() == "Devi"
    lab.engine.emit(ItemAdded(THREAD, user("more", "u2")), ItemAdded(THREAD, reply("x", "r3")))
    qtbot.waitUntil(lambda: transcript.widget_count == 6)
    last = transcript.widgets()[-1]
    assert isinstance(last, ReplyWidget)
    qtbot.waitUntil(last.speaker.isVisible)


@pytest.mark.spec("APR-18")
def test_a_call_that_was_put_off_says_where_it_can_be_allowed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    asked = question()
    asking = tool(status=CallStatus.ASKING)
    lab = opened(open_window, qtbot, user("hi"), asking, approvals=(asked,))
    widget = lab.window.chat.transcript.widgets()[1]
    assert isinstance(widget, ToolWidget)
    assert widget.approval_card is not None
    lab.engine.emit(
        ApprovalParked(replace(asked, parked_at=AT)),
        ItemChanged(THREAD, tool(status=CallStatus.PARKED)),
    )
    words = "Not now · can be allowed in Approvals"
    qtbot.waitUntil(lambda: widget.card._state.full_text() == words)
    assert widget.approval_card is None
    assert widget.card.isVisible()
    lab.engine.emit(ApprovalSettled(asked.id, "no", "the window"))
    qtbot.waitUntil(lambda: widget.card._state.full_text() == "Not now")


def test_the_users_bubble_keeps_its_text_when_it_is_pinned(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, qtbot, user("hi"))
    bubble = lab.window.chat.transcript.widgets()[0]
    assert isinstance(bubble, UserBubble)
    lab.engine.emit(ItemChanged(THREAD, replace(user("hi"), is_pinned=True)))
    qtbot.waitUntil(lambda: marked(lab) == [True])
    assert lab.window.chat.transcript.widgets()[0] is bubble
    assert MIRA.name == lab.window.chat.header.name.text()
