"""Found model servers in the chat: what is offered, what is sent on a yes, how a model acts."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from ankita.config import ServerSettings, Settings, ToolMode, WireFormat
from ankita.engine import (
    AnsweringChanged,
    DeclineServer,
    OfferedModel,
    OffersChanged,
    ServerOffer,
    SettingsChanged,
    TeammateChanged,
    TryModel,
    UseServer,
)
from ankita.errors import CommandRefusedError
from ankita.messages import ModelInfo
from ankita.ui.main_window.empty_chat import LOOKING_WORDS
from ankita.ui.main_window.model_trial import TRYING, mode_words
from ankita.ui.main_window.offer_words import UNTIL_THEN, offer_line
from ankita.ui.widgets.plain_label import PlainLabel
from ankita.ui.widgets.reading_order import tab_stops
from tests.ui.main_window.window_lab import (
    BUILT_IN,
    LLAMA,
    MIRA,
    THREAD,
    OpenWindow,
    WindowLab,
    state,
    thread,
    user,
)

pytestmark = pytest.mark.spec("PRV-2")

OLLAMA = ServerOffer(
    "http://127.0.0.1:11434/v1",
    "Ollama",
    models=tuple(OfferedModel(name) for name in ("llama3.1:8b", "qwen", "phi")),
)
LOCKED = ServerOffer(
    "http://127.0.0.1:8080",
    "llama.cpp",
    wire=WireFormat.ANTHROPIC,
    models=(OfferedModel("m", has_tools=False),),
    needs_key=True,
    note="It wants a key.",
)
EMPTY = ServerOffer("http://127.0.0.1:1234", "LM Studio", note="It has no model yet.")


def offered(open_window: OpenWindow, *offers: ServerOffer, **changes: object) -> WindowLab:
    return open_window(state(thread(), offers=offers, **changes))


def words(lab: WindowLab) -> list[str]:
    labels = lab.window.chat.findChildren(PlainLabel)
    return [label.text() for label in labels if label.isVisible()]


@pytest.mark.parametrize(
    ("offer", "line"),
    [
        (OLLAMA, "Ollama runs on this computer (127.0.0.1:11434) with 3 models."),
        (LOCKED, "llama.cpp runs on this computer (127.0.0.1:8080) with 1 model."),
        (EMPTY, "LM Studio runs on this computer (127.0.0.1:1234)."),
    ],
)
def test_an_offer_says_what_runs_where(offer: ServerOffer, line: str) -> None:
    assert offer_line(offer) == line


def test_an_empty_chat_offers_what_was_found_and_asks_nothing_of_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = offered(open_window)
    assert lab.window.chat.offer_cards.views() == ()
    lab.engine.emit(OffersChanged((OLLAMA, LOCKED)))
    qtbot.waitUntil(lambda: len(lab.window.chat.offer_cards.views()) == 2)
    qtbot.waitUntil(lambda: offer_line(LOCKED) in words(lab))
    assert words(lab).count(UNTIL_THEN) == 2
    assert "It wants a key." in words(lab)
    assert not lab.window.chat.offer_bar.isVisible()
    assert lab.engine.commands == []


def test_use_it_hands_over_the_chosen_model(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = offered(open_window, OLLAMA)
    view = lab.window.chat.offer_cards.views()[0]
    lab.engine.held[UseServer] = Future()
    qtbot.keyClick(view.models, Qt.Key.Key_Down)
    view.use.setFocus()
    assert view.use.accessibleName() == "Use it: Ollama"
    qtbot.keyClick(view.use, Qt.Key.Key_Return)
    assert lab.engine.sent(UseServer) == [UseServer(OLLAMA.base_url, "qwen")]
    qtbot.keyClick(view.use, Qt.Key.Key_Return)
    view.decline.click()
    assert len(lab.engine.commands) == 1
    lab.engine.emit(OffersChanged(()))
    lab.engine.held[UseServer].set_result(None)
    qtbot.waitUntil(lambda: lab.window.chat.offer_cards.views() == ())
    qtbot.waitUntil(lambda: not lab.window.chat.offer_cards.isVisible())
    assert lab.window.chat.composer.edit.hasFocus()


def test_a_server_that_wants_a_key_gets_it_from_a_field_that_hides_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = offered(open_window, LOCKED)
    view = lab.window.chat.offer_cards.views()[0]
    assert view.key.echoMode() is QLineEdit.EchoMode.Password
    assert view.key.isVisible()
    assert not view.use.isEnabled()
    assert view.models.itemText(0) == "m · no tools"
    qtbot.keyClicks(view.key, "sk-1 ")
    lab.engine.emit(OffersChanged((LOCKED, OLLAMA)))
    qtbot.waitUntil(lambda: len(lab.window.chat.offer_cards.views()) == 2)
    qtbot.keyClick(view.key, Qt.Key.Key_Return)
    wanted = UseServer(LOCKED.base_url, "m", "sk-1", WireFormat.ANTHROPIC)
    assert lab.engine.sent(UseServer) == [wanted]


def test_a_refusal_is_said_where_it_was_asked(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = offered(open_window, OLLAMA)
    lab.engine.answers[UseServer] = CommandRefusedError("The keychain is locked.")
    view = lab.window.chat.offer_cards.views()[0]
    view.use.click()
    qtbot.waitUntil(lambda: "The keychain is locked." in words(lab))
    assert view.use.isEnabled()
    assert lab.window.notices.words() == []


def test_a_server_without_a_model_cannot_be_used_only_declined(open_window: OpenWindow) -> None:
    lab = offered(open_window, EMPTY)
    view = lab.window.chat.offer_cards.views()[0]
    assert not view.use.isEnabled()
    assert not view.models.isVisible()
    view.decline.click()
    assert lab.engine.sent(DeclineServer) == [DeclineServer(EMPTY.base_url)]


def test_a_thread_offers_the_first_in_a_bar_with_its_controls_in_reach(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = offered(open_window, OLLAMA, LOCKED, items={THREAD: (user("hi"),)})
    lab.window.show_thread(THREAD)
    chat = lab.window.chat
    assert chat.offer_cards.views() == ()
    (view,) = chat.offer_bar.views()
    qtbot.waitUntil(view.use.isVisible)
    reached = tab_stops(chat)
    assert all(control in reached for control in (view.models, view.use, view.decline))
    view.use.setFocus()
    lab.engine.emit(OffersChanged(()))
    qtbot.waitUntil(lambda: chat.composer.edit.hasFocus())


@pytest.mark.parametrize("whose", ["everyone's", "the teammate's"])
def test_nothing_is_offered_once_something_is_chosen(
    open_window: OpenWindow, qtbot: QtBot, whose: str
) -> None:
    lab = offered(open_window, OLLAMA)
    own = ServerSettings("http://127.0.0.1:9", "m")
    if whose == "everyone's":
        lab.engine.emit(SettingsChanged(Settings(server=own)))
    else:
        lab.engine.emit(TeammateChanged(replace(MIRA, server=own)))
    qtbot.waitUntil(lambda: lab.window.chat.offer_cards.views() == ())


def test_looking_is_said_in_the_empty_chat_only(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = offered(open_window, items={THREAD: (user("hi"),)})
    lab.engine.emit(OffersChanged((), is_looking=True))
    qtbot.waitUntil(lambda: LOOKING_WORDS in words(lab))
    lab.window.show_thread(THREAD)
    assert LOOKING_WORDS not in words(lab)
    lab.window.chat.new_thread()
    lab.engine.emit(OffersChanged(()))
    qtbot.waitUntil(lambda: LOOKING_WORDS not in words(lab))


def test_a_new_model_is_said_to_be_tried_until_its_test_has_ended(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = offered(open_window)
    lab.engine.held[TryModel] = Future()
    lab.engine.emit(AnsweringChanged(LLAMA))
    header = lab.window.chat.header
    qtbot.waitUntil(lambda: header.mode.text() == TRYING and header.mode.isVisible())
    assert header.answering.text() == LLAMA.label
    lab.engine.emit(AnsweringChanged(replace(LLAMA, tool_mode=ToolMode.CHAT_ONLY)))
    lab.engine.held[TryModel].set_result(ToolMode.CHAT_ONLY)
    qtbot.waitUntil(lambda: header.mode.text() == "chat only")
    assert "can't use tools" in header.mode.toolTip()
    assert header.answering.accessibleName() == f"Answers: {LLAMA.label}, chat only"
    assert "can't use tools" in header.answering.accessibleDescription()
    assert lab.engine.sent(TryModel) == [TryModel(MIRA.id)]


def test_a_test_that_failed_is_not_said_to_go_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = offered(open_window)
    lab.engine.held[TryModel] = Future()
    lab.engine.emit(AnsweringChanged(LLAMA))
    header = lab.window.chat.header
    qtbot.waitUntil(lambda: header.mode.text() == TRYING)
    lab.engine.held[TryModel].set_exception(CommandRefusedError("It did not answer."))
    qtbot.waitUntil(lambda: header.mode.text() == "")
    assert not header.mode.isVisible()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (ToolMode.NATIVE, ""),
        (ToolMode.JSON_ACTION, "acts through JSON"),
        (ToolMode.CHAT_ONLY, "chat only"),
        (ToolMode.UNKNOWN, ""),
    ],
)
def test_how_a_model_acts_is_said_only_where_it_lacks_something(mode: ToolMode, said: str) -> None:
    assert mode_words(replace(LLAMA, tool_mode=mode), is_tried=False)[0] == said
    assert mode_words(replace(BUILT_IN, tool_mode=mode), is_tried=True) == ("", "")


def test_the_header_says_what_answers_for_the_thread_s_own_teammate(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    own = ModelInfo("qwen · local", "qwen", is_local=True, tool_mode=ToolMode.NATIVE)
    lab = offered(open_window, items={THREAD: (user("hi"),)})
    lab.window.show_thread(THREAD)
    lab.engine.emit(TeammateChanged(replace(MIRA, answering=own)))
    qtbot.waitUntil(lambda: lab.window.chat.header.answering.text() == "qwen · local")
