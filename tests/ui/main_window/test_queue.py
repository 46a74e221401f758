"""What is sent while a turn runs: it waits in sight, and can be taken back into the composer."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.engine import (
    QueueChanged,
    QueuedMessage,
    SaveDraft,
    SendMessage,
    StopTurn,
    ThreadSaved,
    UnqueueMessage,
)
from ankita.ui.main_window.composer import QUEUE_WORDS
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.few_lines import FewLinesLabel
from ankita.ui.widgets.plain_label import ElidedLabel
from ankita.ui.widgets.reading_order import tab_stops
from tests.ui.main_window.window_lab import AT, BUSY, THREAD, OpenWindow, WindowLab, state, thread

pytestmark = pytest.mark.spec("ENG-12")


def busy(open_window: OpenWindow, *waiting: QueuedMessage, draft: str = "") -> WindowLab:
    first = state(
        thread(status=BUSY, step=4, draft=draft), items={THREAD: ()}, queued={THREAD: waiting}
    )
    lab = open_window(first)
    lab.window.show_thread(THREAD)
    return lab


def message(text: str, queued_id: str = "q1", *files: str) -> QueuedMessage:
    return QueuedMessage(queued_id, text, AT, files)


def test_enter_sends_while_a_turn_runs_and_it_is_said_when_it_goes_in(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window)
    composer = lab.window.chat.composer
    assert QUEUE_WORDS in [label.text() for label in composer.findChildren(ElidedLabel)]
    qtbot.keyClicks(composer.edit, "next")
    assert composer.send_button.text() == "Send"
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert lab.engine.sent(SendMessage) == [SendMessage(THREAD, "next")]
    assert composer.text() == ""
    lab.engine.emit(ThreadSaved(thread()))
    labels = composer.findChildren(ElidedLabel)
    qtbot.waitUntil(lambda: QUEUE_WORDS not in [label.text() for label in labels])


def test_there_is_one_stop_button_while_a_turn_runs(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = busy(open_window)
    buttons = lab.window.chat.findChildren(ActButton)
    stops = [b for b in buttons if b.text() == "Stop" and b.isVisible()]
    assert stops == [lab.window.chat.header.stop]
    qtbot.mouseClick(stops[0], Qt.MouseButton.LeftButton)
    assert lab.engine.sent(StopTurn) == [StopTurn(THREAD)]


def test_waiting_messages_stand_above_the_composer_with_their_files(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window)
    chat = lab.window.chat
    assert not chat.queued.isVisible()
    long = message("please look at the notice period too " * 20)
    lab.engine.emit(QueueChanged(THREAD, (long, message("", "q2", "a.pdf", "b.txt"))))
    qtbot.waitUntil(lambda: chat.queued.isVisible() and len(chat.queued.rows()) == 2)
    first, second = chat.queued.rows()
    qtbot.waitUntil(lambda: first.label.width() > 200)
    lines = first.label.shown_lines(first.label.width())
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert second.accessibleName() == "Waits: With a.pdf and b.txt"

    def stands_above() -> bool:
        bottom = chat.queued.mapTo(chat, chat.queued.rect().bottomLeft()).y()
        return bottom <= chat.composer.mapTo(chat, chat.composer.rect().topLeft()).y()

    qtbot.waitUntil(stands_above)
    lab.engine.emit(QueueChanged(THREAD, ()))
    qtbot.waitUntil(lambda: not chat.queued.isVisible())


def test_a_message_is_taken_back_with_the_keyboard_alone(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window, message("one"), message("two", "q2"))
    chat = lab.window.chat
    qtbot.waitUntil(chat.queued.isVisible)
    backs = [row.take_back for row in chat.queued.rows()]
    assert [b.accessibleName() for b in backs] == ["Take back: one", "Take back: two"]
    assert [stop for stop in tab_stops(chat) if stop in backs] == backs
    backs[0].setFocus()
    qtbot.keyClick(backs[0], Qt.Key.Key_Return)
    assert lab.engine.sent(UnqueueMessage) == [UnqueueMessage(THREAD, "q1")]
    lab.engine.emit(
        ThreadSaved(thread(status=BUSY, draft="one")),
        QueueChanged(THREAD, (message("two", "q2"),)),
    )
    qtbot.waitUntil(lambda: chat.composer.text() == "one")
    qtbot.waitUntil(lambda: QApplication.focusWidget() is backs[1])
    lab.engine.emit(QueueChanged(THREAD, ()))
    qtbot.waitUntil(lambda: QApplication.focusWidget() is chat.composer.edit)


def test_what_was_typed_is_stored_before_a_message_is_taken_back(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window, message("one"))
    chat = lab.window.chat
    qtbot.keyClicks(chat.composer.edit, "mine")
    chat.queued.rows()[0].take_back.click()
    assert [type(c) for c in lab.engine.commands[-2:]] == [SaveDraft, UnqueueMessage]


def test_a_returned_message_joins_what_is_being_typed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window, draft="half")
    composer = lab.window.chat.composer
    qtbot.keyClicks(composer.edit, " a sentence")
    lab.engine.emit(ThreadSaved(thread(draft="half\n\nreturned")))
    qtbot.waitUntil(lambda: composer.text() == "half a sentence\n\nreturned")
    qtbot.waitUntil(
        lambda: SaveDraft(THREAD, "half a sentence\n\nreturned") in lab.engine.sent(SaveDraft)
    )


def test_the_echo_of_an_own_draft_does_not_touch_what_was_typed_since(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window)
    # The engine answers after it has told the windows.
    lab.engine.held[SaveDraft] = Future()
    composer = lab.window.chat.composer
    qtbot.keyClicks(composer.edit, "dear")
    qtbot.waitUntil(lambda: bool(lab.engine.sent(SaveDraft)))
    qtbot.keyClicks(composer.edit, " Mira")
    lab.engine.emit(ThreadSaved(thread(draft="dear", title="Later")))
    qtbot.waitUntil(lambda: lab.window.chat.header._title.text() == "Later")
    assert composer.text() == "dear Mira"


def test_a_draft_that_was_emptied_elsewhere_is_empty_here(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = busy(open_window, draft="sent on the island")
    composer = lab.window.chat.composer
    assert composer.text() == "sent on the island"
    lab.engine.emit(ThreadSaved(thread(draft="")))
    qtbot.waitUntil(lambda: composer.text() == "")


def test_another_thread_shows_its_own_queue(open_window: OpenWindow) -> None:
    other = replace(thread("t2"), title="Other")
    lab = open_window(
        state(thread(), other, items={THREAD: (), other.id: ()}, queued={THREAD: (message("x"),)})
    )
    lab.window.show_thread(THREAD)
    assert len(lab.window.chat.queued.rows()) == 1
    lab.window.show_thread("t2")
    assert lab.window.chat.queued.rows() == ()


def test_a_short_text_is_shown_whole_and_a_word_without_end_is_broken(qtbot: QtBot) -> None:
    label = FewLinesLabel("short")
    qtbot.addWidget(label)
    assert label.shown_lines(300) == ["short"]
    label.setText("W" * 500)
    lines = label.shown_lines(200)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(label.fontMetrics().horizontalAdvance(line) <= 201 for line in lines)
