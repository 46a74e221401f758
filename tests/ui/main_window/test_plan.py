"""The thread's plan over the thread: how far it is, its steps, and what a screen reader hears."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ankita.engine import PlanChanged, PlanStep, StepStatus
from ankita.ui.main_window import plan_card
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.view_models.plan_progress import progress_of
from ankita.ui.widgets.reading_order import tab_stops
from tests.ui.main_window.window_lab import THREAD, OpenWindow, WindowLab, state, thread, user

pytestmark = pytest.mark.spec("TOL-4")


def steps(*words: str) -> tuple[PlanStep, ...]:
    """ "done Read" and so on."""
    pairs = (each.split(" ", 1) for each in words)
    return tuple(PlanStep(text, StepStatus(status)) for status, text in pairs)


FIRST = steps("done Read", "dropped Ask", "doing Compare", "todo Write", "todo Mail")


def planned(open_window: OpenWindow, store: MemoryUiState | None = None) -> WindowLab:
    first = state(thread(), thread("t2"), items={THREAD: (user("hi"),)}, plans={THREAD: FIRST})
    lab = open_window(first, store)
    lab.window.show_thread(THREAD)
    return lab


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (FIRST, "2 of 5 · Compare"),
        (steps("todo Read", "todo Write"), "0 of 2 · Next: Read"),
        (steps("done Read", "dropped Write"), "2 of 2 · All done"),
        (steps("doing a\u202eb"), "0 of 1 · a⟨U+202E⟩b"),
    ],
)
def test_the_line_says_how_far_it_is(plan: tuple[PlanStep, ...], words: str) -> None:
    progress = progress_of(plan)
    assert progress is not None
    assert progress.words == words


def test_the_plan_shows_its_progress_and_follows_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = planned(open_window)
    card = lab.window.chat.plan
    assert card.isVisible()
    assert not card.is_open
    assert card.line() == "2 of 5 · Compare"
    assert (card._progress.value(), card._progress.maximum()) == (2, 5)
    lab.engine.emit(PlanChanged(THREAD, steps("done Read", "doing Write")))
    qtbot.waitUntil(lambda: card.line() == "1 of 2 · Write")
    lab.engine.emit(PlanChanged(THREAD, ()))
    qtbot.waitUntil(lambda: not card.isVisible())


def test_it_opens_with_the_keyboard_and_stays_open_over_a_restart(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    store = MemoryUiState()
    lab = planned(open_window, store)
    card = lab.window.chat.plan
    assert card.fold in tab_stops(lab.window.chat)
    assert card.fold.accessibleName() == "Show all steps"
    card.fold.setFocus()
    qtbot.keyClick(card.fold, Qt.Key.Key_Space)
    assert card.is_open
    assert card.fold.accessibleName() == "Hide the steps"
    qtbot.waitUntil(lambda: card.rows()[-1].isVisible() and card._scroll.height() > 60)
    names = [row.label.accessibleName() for row in card.rows()]
    assert names == [
        "Read, done",
        "Ask, dropped",
        "Compare, doing now",
        "Write, to do",
        "Mail, to do",
    ]
    assert card.rows()[1].label.font().strikeOut()
    assert planned(open_window, store).window.chat.plan.is_open


def test_a_long_plan_leaves_the_thread_its_room_and_scrolls_with_the_keyboard(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    store = MemoryUiState()
    store.set(plan_card.PLAN_OPEN, True)
    lab = planned(open_window, store)
    card = lab.window.chat.plan
    many = steps(*(f"todo {'a long step ' * 12}{n}" for n in range(30)))
    lab.engine.emit(PlanChanged(THREAD, many))
    qtbot.waitUntil(lambda: len(card.rows()) == 30 and card._scroll.scrolls())
    qtbot.waitUntil(lambda: card._scroll in tab_stops(lab.window.chat))
    assert card._scroll.height() <= plan_card.MOST_HEIGHT


def test_only_another_step_at_work_is_announced(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(plan_card, "announce", lambda _, words: said.append(words))
    lab = planned(open_window)
    card = lab.window.chat.plan
    lab.engine.emit(PlanChanged(THREAD, (*FIRST, *steps("todo Sleep"))))
    qtbot.waitUntil(lambda: card.line().startswith("2 of 6"))
    assert said == []
    lab.engine.emit(PlanChanged(THREAD, steps("done Read", "doing Write")))
    qtbot.waitUntil(lambda: said == ["Plan: Write"])
    lab.window.show_thread("t2")
    lab.window.show_thread(THREAD)
    assert said == ["Plan: Write"]
