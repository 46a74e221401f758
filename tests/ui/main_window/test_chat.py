"""The chat pane: sending, drafts, files, streaming, notices, keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import (
    AnsweringChanged,
    AttachFile,
    AttachmentChanged,
    AttachmentState,
    AttachmentStatus,
    CallStatus,
    CreateThread,
    DeleteThread,
    ItemAdded,
    ItemChanged,
    NoticeItem,
    NoticeLevel,
    OpenThread,
    RemoveAttachment,
    ReplyStatus,
    RetryTurn,
    SaveDraft,
    SendMessage,
    StopTurn,
    TextAdded,
    ThreadOpened,
    ThreadSaved,
    ThreadStatus,
)
from ankita.errors import CommandRefusedError
from ankita.ids import AttachmentId, ItemId, ThreadId, TurnId
from ankita.ui.main_window.attachment_row import AttachmentRow
from ankita.ui.main_window.item_column import FOCUS_DISTANCE
from ankita.ui.main_window.message_widgets import ReplyWidget, UserBubble
from ankita.ui.main_window.transcript_items import ToolWidget
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.markdown_view import MarkdownView
from ankita.ui.widgets.reading_order import tab_stops
from tests.ui.main_window.window_lab import (
    AT,
    BUSY,
    DEV,
    LLAMA,
    MIRA,
    THREAD,
    TURN,
    OpenWindow,
    WindowLab,
    reply,
    state,
    thread,
    tool,
    user,
)


def shown(lab: WindowLab) -> list[QWidget]:
    return list(lab.window.chat.transcript.widgets())


def opened(open_window: OpenWindow, *items: object, **summary: object) -> WindowLab:
    lab = open_window(state(thread(**summary), items={THREAD: items}))
    lab.window.show_thread(THREAD)
    return lab


def test_sending_submits_the_message_and_empties_the_composer(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    composer = lab.window.chat.composer
    qtbot.keyClicks(composer.edit, "hello")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert lab.engine.sent(SendMessage) == [SendMessage(THREAD, "hello")]
    assert composer.text() == ""


def test_shift_enter_starts_a_line_and_sends_nothing(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window)
    edit = lab.window.chat.composer.edit
    qtbot.keyClicks(edit, "one")
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(edit, "two")
    assert lab.window.chat.composer.text() == "one\ntwo"
    assert not lab.engine.sent(SendMessage)


def test_the_first_message_makes_its_thread(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window()
    lab.engine.answers[CreateThread] = ThreadId("new")
    composer = lab.window.chat.composer
    qtbot.keyClicks(composer.edit, "hello")
    composer.send_button.click()
    qtbot.waitUntil(lambda: bool(lab.engine.sent(SendMessage)))
    assert lab.engine.sent(CreateThread) == [CreateThread(MIRA.id)]
    assert lab.engine.sent(SendMessage) == [SendMessage(ThreadId("new"), "hello")]
    assert lab.window.chat.thread_id == "new"


def test_a_refused_message_comes_back_with_the_reason(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    lab.engine.answers[SendMessage] = CommandRefusedError("The disk is full.")
    composer = lab.window.chat.composer
    composer.set_text("precious words")
    composer.send_button.click()
    qtbot.waitUntil(lambda: composer.text() == "precious words")
    assert lab.window.notices.words() == ["The disk is full."]


@pytest.mark.spec("UI-5")
def test_a_draft_is_stored_a_moment_after_the_last_key(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    qtbot.keyClicks(lab.window.chat.composer.edit, "dear")
    qtbot.waitUntil(lambda: bool(lab.engine.sent(SaveDraft)))
    assert lab.engine.sent(SaveDraft) == [SaveDraft(THREAD, "dear")]


@pytest.mark.spec("UI-5")
def test_switching_threads_stores_one_draft_and_restores_the_other(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    other = thread("t2", draft="half a sentence")
    lab = open_window(state(thread(), other, items={THREAD: (), ThreadId("t2"): ()}))
    lab.window.show_thread(THREAD)
    qtbot.keyClicks(lab.window.chat.composer.edit, "mine")
    lab.window.show_thread("t2")
    assert lab.engine.sent(SaveDraft) == [SaveDraft(THREAD, "mine")]
    assert lab.window.chat.composer.text() == "half a sentence"


@pytest.mark.spec("UI-5")
def test_the_chosen_thread_and_an_unsent_first_draft_survive_a_restart(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    store = MemoryUiState()
    first = open_window(state(thread(), items={THREAD: ()}), store)
    qtbot.keyClicks(first.window.chat.composer.edit, "not sent yet")
    first.window.save()
    again = open_window(state(), store)
    assert again.window.chat.composer.text() == "not sent yet"
    again.window.chat.composer.set_text("")
    first.window.show_thread(THREAD)
    third = open_window(state(), store)
    third.window.chat.composer.set_text("")
    third.engine.emit(ThreadSaved(thread()))
    qtbot.waitUntil(lambda: third.window.chat.thread_id == THREAD)


def drop(target: QWidget, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, button, key = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(9, 9), action, data, button, key))
    QApplication.sendEvent(target, QDropEvent(QPointF(9, 9), action, data, button, key))


@pytest.mark.spec("UI-5")
def test_files_dropped_anywhere_on_the_chat_are_attached(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    lab = opened(open_window)
    one, two = tmp_path / "a.pdf", tmp_path / "b.txt"
    drop(lab.window.chat, one, two)
    assert lab.engine.sent(AttachFile) == [
        AttachFile(THREAD, str(one)),
        AttachFile(THREAD, str(two)),
    ]


@pytest.mark.spec("UI-5")
def test_pasted_files_are_attached_and_not_written_into_the_text(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    lab = opened(open_window)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.pdf"))])
    lab.window.chat.composer.edit.insertFromMimeData(data)
    assert lab.engine.sent(AttachFile) == [AttachFile(THREAD, str(tmp_path / "a.pdf"))]
    assert lab.window.chat.composer.text() == ""


def attachment(status: AttachmentStatus, **changes: object) -> AttachmentState:
    return AttachmentState(
        AttachmentId("a1"),
        THREAD,
        "agreement.pdf",
        status,
        **changes,  # type: ignore[arg-type]
    )


@pytest.mark.spec("UI-6")
def test_send_waits_while_a_file_is_read_and_its_progress_is_said(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    composer = lab.window.chat.composer
    composer.set_text("what is this?")
    reading = attachment(AttachmentStatus.READING, done=3, total=12)
    lab.engine.emit(AttachmentChanged(reading))
    qtbot.waitUntil(lambda: not composer.send_button.isEnabled())
    names = [child.accessibleName() for child in composer.findChildren(QWidget)]
    assert "agreement.pdf, reading 3 of 12" in names
    lab.engine.emit(AttachmentChanged(attachment(AttachmentStatus.READY, kind="PDF", pages=12)))
    qtbot.waitUntil(composer.send_button.isEnabled)


def test_a_failed_file_says_why_and_can_be_taken_out(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window)
    failed = attachment(AttachmentStatus.FAILED, reason="It has no text.")
    lab.engine.emit(AttachmentChanged(failed))
    composer = lab.window.chat.composer

    def names() -> list[str]:
        return [child.accessibleName() for child in composer.findChildren(QWidget)]

    qtbot.waitUntil(lambda: "agreement.pdf, It has no text." in names())
    remove = next(
        c for c in composer.findChildren(QWidget) if c.accessibleName() == "Remove agreement.pdf"
    )
    qtbot.mouseClick(remove, Qt.MouseButton.LeftButton)
    assert lab.engine.sent(RemoveAttachment) == [RemoveAttachment(THREAD, AttachmentId("a1"))]


@pytest.mark.spec("UI-3")
def test_escape_stops_the_turn_that_runs(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window, status=BUSY)
    qtbot.keyClick(lab.window.chat.composer.edit, Qt.Key.Key_Escape)
    assert lab.engine.sent(StopTurn) == [StopTurn(THREAD)]


def test_the_window_always_says_what_answers(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(state(answering=None))
    chip = lab.window.chat.header.answering
    assert chip.text() == "looking what answers"
    lab.engine.emit(AnsweringChanged(LLAMA))
    qtbot.waitUntil(lambda: chip.text() == "llama3.1:8b · local")
    assert chip.isVisible()


def test_a_starter_fills_the_draft_and_sends_nothing(open_window: OpenWindow) -> None:
    lab = open_window()
    starters = [b for b in lab.window.chat.empty.findChildren(ActButton) if b.isVisible()]
    next(b for b in starters if b.text() == "List files").click()
    assert lab.window.chat.composer.text() == "list files"
    assert lab.engine.commands == []


def test_an_unopened_thread_is_loaded_and_says_so_meanwhile(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread()))
    lab.window.show_thread(THREAD)
    assert lab.engine.sent(OpenThread) == [OpenThread(THREAD)]
    assert lab.window.chat.loading.isVisible()
    lab.engine.emit(ThreadOpened(THREAD, (user("hi"),)))
    qtbot.waitUntil(lambda: lab.window.chat.transcript.isVisible())


@pytest.mark.spec("UI-2")
def test_streamed_text_is_appended_to_the_same_reply(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = opened(open_window, user("hi"), reply("", status=ReplyStatus.STREAMING))
    widget = shown(lab)[-1]
    assert isinstance(widget, ReplyWidget)
    for piece in ("Two ", "months' ", "**notice**."):
        lab.engine.emit(TextAdded(THREAD, ItemId("r1"), piece))
    qtbot.waitUntil(lambda: widget.view.text() == "Two months' **notice**.")
    lab.engine.emit(ItemChanged(THREAD, reply("Two months' **notice**.")))
    qtbot.waitUntil(widget.view.is_complete)
    assert shown(lab)[-1] is widget
    assert widget.view.toPlainText().strip() == "Two months' notice."


@pytest.mark.spec("UI-4")
def test_the_output_of_a_running_tool_streams_into_its_card(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, user("hi"), tool(status=CallStatus.RUNNING))
    card = shown(lab)[-1]
    assert isinstance(card, ToolWidget)
    lab.engine.emit(TextAdded(THREAD, ItemId("c1"), "line one\n"))
    lab.engine.emit(TextAdded(THREAD, ItemId("c1"), "line two\n"))
    qtbot.waitUntil(lambda: "line two" in card.card.output_text())
    assert "line one" in card.card.output_text()


def test_a_failed_turn_can_be_tried_again(open_window: OpenWindow) -> None:
    notice = NoticeItem(
        ItemId("n"), TURN, "The server did not answer.", NoticeLevel.ERROR, AT, can_retry=True
    )
    lab = opened(open_window, user("hi"), notice)
    buttons = lab.window.chat.transcript.findChildren(ActButton)
    next(b for b in buttons if b.text() == "Try again" and b.isVisible()).click()
    assert lab.engine.sent(RetryTurn) == [RetryTurn(THREAD)]


@pytest.mark.spec("ENG-9")
def test_only_the_newest_turn_offers_to_be_tried_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    notice = NoticeItem(ItemId("n"), TURN, "It failed.", NoticeLevel.ERROR, AT, can_retry=True)
    lab = opened(open_window, user("hi"), notice)

    def offered() -> list[ActButton]:
        buttons = lab.window.chat.transcript.findChildren(ActButton)
        return [b for b in buttons if b.text() == "Try again" and b.isVisible()]

    assert len(offered()) == 1
    later = replace(user("another thing", "u2"), turn_id=TurnId("later"))
    lab.engine.emit(ItemAdded(THREAD, later))
    qtbot.waitUntil(lambda: offered() == [])


@pytest.mark.spec("UI-2")
def test_a_long_thread_has_widgets_only_for_what_is_near(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    items = tuple(user(f"message {n}", f"u{n}") for n in range(10_000))
    lab = opened(open_window, *items)
    view = lab.window.chat.transcript
    qtbot.waitUntil(lambda: view.widget_count >= 40)
    assert view.shown_rows().stop == 10_000
    bar = view.verticalScrollBar()
    for _ in range(12):
        before = view.shown_rows().start
        bar.setValue(0)
        qtbot.waitUntil(lambda before=before: view.shown_rows().start < before)  # type: ignore[misc]
    qtbot.waitUntil(lambda: view.widget_count <= 160)
    view.to_oldest()
    qtbot.waitUntil(lambda: view.shown_rows().start == 0)
    assert not view.is_at_end()
    view.to_latest()
    qtbot.waitUntil(lambda: view.shown_rows().stop == 10_000)


@pytest.mark.spec("UI-2")
def test_what_is_read_stays_in_place_while_new_text_arrives(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, *(user(f"message {n}\n" * 4, f"u{n}") for n in range(60)))
    view = lab.window.chat.transcript
    bar = view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 2_000 and view.widget_count == 40)
    bar.setValue(bar.maximum() - 900)
    read = next(w for w in shown(lab) if w.geometry().bottom() >= bar.value())
    place = read.mapTo(view, QPoint(0, 0)).y()
    lab.engine.emit(ItemAdded(THREAD, user("new\n" * 30, "new")))
    most = bar.maximum()
    qtbot.waitUntil(lambda: bar.maximum() > most and view.shown_rows().stop == 61)
    # The range may change once more while what is new is being laid out.
    qtbot.waitUntil(lambda: read.mapTo(view, QPoint(0, 0)).y() == place)
    assert view._jump.isVisible()
    view._jump.click()
    assert bar.value() == bar.maximum()


def test_deleting_a_thread_is_asked_in_the_window_first(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    qtbot.keyClick(lab.window.threads.view, Qt.Key.Key_Delete)
    assert not lab.engine.sent(DeleteThread)
    confirm = lab.window.threads._confirm
    assert confirm is not None
    confirm.delete.click()
    assert lab.engine.sent(DeleteThread) == [DeleteThread(THREAD)]


def test_escape_keeps_the_thread_that_was_to_be_deleted(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    qtbot.keyClick(lab.window.threads.view, Qt.Key.Key_Delete)
    qtbot.keyClick(lab.window.chat.composer.edit, Qt.Key.Key_Escape)
    assert lab.window.threads._confirm is None
    assert not lab.engine.sent(DeleteThread)


@pytest.mark.spec("UI-1")
def test_threads_are_grouped_by_teammate_the_newest_first(open_window: OpenWindow) -> None:
    lab = open_window(
        state(
            thread(
                "a", teammate_id=DEV.id, title="Dev new", updated_at="2026-05-09T10:00:00+00:00"
            ),
            thread("b", title="Mira old", updated_at="2026-05-01T10:00:00+00:00"),
            thread("c", title="Mira new", updated_at="2026-05-02T10:00:00+00:00"),
        )
    )
    model = lab.window.threads.view.model()
    titles = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert titles == ["Mira new", "Mira old", "Dev new"]


@pytest.mark.spec("APR-17")
def test_hostile_text_is_shown_as_it_is_and_fits_the_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    evil = "<a href='x'>click</a> \u202egnp.exe " + "W" * 10_000
    lab = opened(
        open_window,
        user(evil),
        tool("c1", target=evil, title="files: <b>read</b>", output=evil, why=evil),
        NoticeItem(ItemId("n"), TURN, evil, NoticeLevel.ERROR, AT, can_retry=True),
        title=evil,
        status=ThreadStatus.WORKING,
        detail=evil,
    )
    view = lab.window.chat.transcript
    qtbot.waitUntil(lambda: view.widget_count == 3)
    bubble = shown(lab)[0]
    assert isinstance(bubble, UserBubble)
    qtbot.waitUntil(lambda: bubble.width() > 300)
    text = bubble._text.toPlainText()
    assert "<a href='x'>" in text
    assert "\u202e" not in text
    assert "⟨U+202E⟩" in text
    assert lab.window.width() <= 1200
    assert all(w.geometry().right() <= view.viewport().width() for w in shown(lab))


@pytest.mark.spec("UI-5")
def test_many_files_scroll_and_leave_the_message_its_place(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    lab.shell.resize(840, 560)
    composer = lab.window.chat.composer
    for number in range(12):
        held = attachment(AttachmentStatus.READY, kind="PDF", pages=12)
        named = replace(held, id=AttachmentId(f"a{number}"), name=f"a long name {number}.pdf")
        lab.engine.emit(AttachmentChanged(named))
    files = composer.findChild(AttachmentRow)
    assert files is not None
    qtbot.waitUntil(lambda: files.verticalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: composer.edit.y() >= files.y() + files.height())
    assert composer.edit.height() >= composer.edit.fontMetrics().height()
    assert not composer.send_button.visibleRegion().isEmpty()


def test_a_reason_that_names_the_file_is_said_once_and_whole(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window)
    lab.shell.resize(840, 560)
    reason = "agreement.pdf is damaged: " + "it is no PDF file. " * 8
    lab.engine.emit(AttachmentChanged(attachment(AttachmentStatus.FAILED, reason=reason)))
    composer = lab.window.chat.composer

    def words() -> list[QLabel]:
        return [each for each in composer.findChildren(QLabel) if each.isVisible()]

    qtbot.waitUntil(lambda: any("is damaged" in label.text() for label in words()))
    assert "agreement.pdf" not in [label.text() for label in words()]
    said = next(label for label in words() if "is damaged" in label.text())
    qtbot.waitUntil(lambda: said.height() >= said.heightForWidth(said.width()))


@pytest.mark.spec("UI-3")
def test_tab_goes_down_the_thread_also_where_earlier_items_came_later(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    items = [reply(f"answer {number}", f"r{number}") for number in range(5)]
    lab = opened(open_window, *items)
    transcript = lab.window.chat.transcript

    def texts() -> list[str]:
        return [s.text() for s in tab_stops(transcript) if isinstance(s, MarkdownView)]

    # A widget that was just made is shown with the next turn of the loop.
    qtbot.waitUntil(lambda: len(texts()) == len(items))
    first, *others = [stop for stop in tab_stops(transcript) if isinstance(stop, MarkdownView)]
    first.setFocus()
    read = [first.text()]
    for _ in others:
        focus = QApplication.focusWidget()
        assert focus is not None
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert isinstance(now, MarkdownView)
        read.append(now.text())
    assert read == [f"answer {number}" for number in range(5)]


@pytest.mark.spec("UI-3")
def test_text_with_the_keyboard_is_marked_by_a_bar_beside_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = opened(open_window, user("hello"), reply("answer"))
    transcript = lab.window.chat.transcript
    qtbot.waitUntil(lambda: transcript.widget_count == 2)
    view = shown(lab)[1].findChild(MarkdownView)
    assert view is not None

    def marked() -> bool:
        spot = view.mapTo(transcript, QPoint(1 - FOCUS_DISTANCE, view.height() // 2))
        colour = transcript.grab().toImage().pixelColor(spot)
        return colour.name() == appearance_now().palette.accent

    assert not marked()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(marked)
