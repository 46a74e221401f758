"""The island stays small over a window that shows the question itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import Answer, ApprovalRequested, DecideApproval
from ankita.ui.island.content import Form
from ankita.ui.island.shell import RADIUS, inner_of, shape_of
from ankita.ui.question_windows import mark_shows_questions, shows_questions
from tests.ui.island.island_lab import IslandLab, OpenIsland, question, state
from tests.ui.island.test_questions import ask, button, wait_for_guard


@pytest.fixture
def main_window(qtbot: QtBot) -> Iterator[QWidget]:
    """Stands for the main window: shown, active, and with a place for questions."""
    window = QWidget()
    mark_shows_questions(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    window.hide()
    window.deleteLater()


def leave(qtbot: QtBot, lab: IslandLab, main_window: QWidget) -> None:
    main_window.hide()
    qtbot.waitUntil(lambda: lab.island.form is not Form.COMPACT)


@pytest.mark.spec("ISL-3")
@pytest.mark.usefixtures("main_window")
def test_over_a_window_in_use_it_stays_compact_and_says_who_asks_for_what(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    low = lab.island.height()

    ask(qtbot, lab)

    assert lab.island.form is Form.COMPACT
    assert lab.island.height() == low
    assert lab.island.content.bar.words() == "Mira asks · gmail: send email"
    assert lab.island.content.bar.mascot.state.value == "asking"


@pytest.mark.spec("ISL-3")
def test_a_question_that_waits_opens_it_when_the_window_is_left(
    qtbot: QtBot, open_island: OpenIsland, main_window: QWidget
) -> None:
    lab = open_island(state(approvals=(question(),)))
    assert lab.island.form is Form.COMPACT

    main_window.hide()
    qtbot.waitUntil(lambda: lab.island.form is Form.ASKING)
    wait_for_guard(qtbot, lab)
    button(lab.island, "Send once").click()
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [Answer.YES_ONCE]


@pytest.mark.spec("ISL-3")
def test_it_closes_again_when_the_user_comes_back_to_the_window(
    qtbot: QtBot, open_island: OpenIsland, main_window: QWidget
) -> None:
    lab = open_island(state(approvals=(question(),)))
    leave(qtbot, lab, main_window)

    main_window.show()
    main_window.activateWindow()

    qtbot.waitUntil(lambda: lab.island.form is Form.COMPACT)


def test_what_was_put_away_opens_again_only_after_the_window_was_used(
    qtbot: QtBot, open_island: OpenIsland, main_window: QWidget
) -> None:
    lab = open_island(state(approvals=(question(),)))
    leave(qtbot, lab, main_window)
    qtbot.keyClick(lab.island, Qt.Key.Key_Escape)
    assert lab.island.form is Form.COMPACT

    with qtbot.waitActive(main_window):
        main_window.show()
        main_window.activateWindow()
    leave(qtbot, lab, main_window)
    assert lab.island.form is Form.ASKING


def test_a_click_on_it_opens_what_was_put_away(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(approvals=(question(),)))
    qtbot.keyClick(lab.island, Qt.Key.Key_Escape)
    assert lab.island.form is Form.COMPACT

    spot = lab.island.body().topLeft() + QPoint(lab.island.body().width() // 2, 3)
    qtbot.mouseClick(lab.island, Qt.MouseButton.LeftButton, pos=spot)

    assert lab.island.form is Form.ASKING


@pytest.mark.spec("APR-22")
def test_no_key_answers_a_question_that_is_not_on_show(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(approvals=(question(),)))
    wait_for_guard(qtbot, lab)
    qtbot.keyClick(lab.island, Qt.Key.Key_Escape)
    wait_for_guard(qtbot, lab)

    qtbot.keyClick(lab.island, Qt.Key.Key_Y)
    qtbot.keyClick(lab.island, Qt.Key.Key_N)

    assert lab.engine.sent(DecideApproval) == []


@pytest.mark.usefixtures("main_window")
def test_an_expanded_island_keeps_its_card_over_the_window(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    lab.island.set_expanded(True)
    lab.engine.emit(ApprovalRequested(question()))
    qtbot.waitUntil(lambda: lab.island.content.question.isVisible())
    assert button(lab.island, "Send once").isVisible()


def test_a_dialog_of_the_window_counts_as_the_window(qtbot: QtBot, main_window: QWidget) -> None:
    dialog = QDialog(main_window)
    stranger = QWidget()
    qtbot.addWidget(stranger)
    assert shows_questions(dialog)
    assert not shows_questions(stranger)
    assert not shows_questions(None)


def test_what_is_repainted_alone_never_reaches_a_rounded_corner() -> None:
    body = QRect(14, 8, 368, 56)
    assert not inner_of(body).isEmpty()
    assert shape_of(body).contains(inner_of(body).adjusted(1, 1, -1, -1))
    assert not inner_of(body).contains(QPoint(body.left(), body.top() + round(RADIUS) - 1))
