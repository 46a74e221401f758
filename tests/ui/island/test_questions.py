"""A question shows on the island by itself and can be answered there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Act,
    Answer,
    ApprovalParked,
    ApprovalRequested,
    ApprovalSettled,
    DecideApproval,
)
from ankita.ids import RequestId, TeammateId
from ankita.ui.island.content import Form
from ankita.ui.island.window import IslandWindow
from ankita.ui.widgets.approval_card import GUARD_SECONDS
from ankita.ui.widgets.buttons import ActButton
from tests.ui.island.island_lab import DEV, MIRA, IslandLab, OpenIsland, question, state

LONG_ENOUGH = int(GUARD_SECONDS * 1000) * 10


def button(island: IslandWindow, words: str) -> ActButton:
    found = [b for b in island.findChildren(ActButton) if b.isVisible() and b.text() == words]
    assert len(found) == 1, [b.text() for b in island.findChildren(ActButton) if b.isVisible()]
    return found[0]


def wait_for_guard(qtbot: QtBot, lab: IslandLab) -> None:
    card = lab.island.content.question.card
    assert card is not None
    qtbot.waitUntil(lambda: not card.is_guarded, timeout=LONG_ENOUGH)


def ask(qtbot: QtBot, lab: IslandLab, request_id: str = "q1") -> None:
    before = lab.models.approvals.rowCount()
    lab.engine.emit(ApprovalRequested(question(request_id)))
    qtbot.waitUntil(lambda: lab.models.approvals.rowCount() == before + 1)


def settle(qtbot: QtBot, lab: IslandLab, request_id: str = "q1") -> None:
    before = lab.models.approvals.rowCount()
    lab.engine.emit(ApprovalSettled(RequestId(request_id), "yes", "window"))
    qtbot.waitUntil(lambda: lab.models.approvals.rowCount() == before - 1)


@pytest.mark.spec("ISL-3")
def test_a_question_opens_the_island_and_a_click_answers_it(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    low = lab.island.height()

    ask(qtbot, lab)

    assert lab.island.form is Form.ASKING
    assert lab.island.height() > low
    assert lab.island.content.bar.words() == "Mira asks gmail: send email"
    wait_for_guard(qtbot, lab)
    qtbot.mouseClick(button(lab.island, "Send once"), Qt.MouseButton.LeftButton)
    assert lab.engine.sent(DecideApproval) == [
        DecideApproval(RequestId("q1"), Answer.YES_ONCE, "island")
    ]

    settle(qtbot, lab)
    assert lab.island.form is Form.COMPACT
    assert lab.island.height() == low


@pytest.mark.spec("ISL-3")
def test_a_question_from_before_the_island_is_there(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(approvals=(question(from_before=True),)))

    assert lab.island.form is Form.ASKING
    wait_for_guard(qtbot, lab)
    qtbot.mouseClick(button(lab.island, "Don't send"), Qt.MouseButton.LeftButton)
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [Answer.NO]


@pytest.mark.spec("ISL-3")
@pytest.mark.parametrize(
    ("key", "answer"),
    [
        (Qt.Key.Key_Y, Answer.YES_ONCE),
        (Qt.Key.Key_N, Answer.NO),
        (Qt.Key.Key_L, Answer.NOT_NOW),
    ],
)
def test_the_keyboard_answers_it(
    qtbot: QtBot, open_island: OpenIsland, key: Qt.Key, answer: Answer
) -> None:
    lab = open_island(state(approvals=(question(),)))
    wait_for_guard(qtbot, lab)

    qtbot.keyClick(lab.island, key, Qt.KeyboardModifier.ControlModifier)
    assert lab.engine.sent(DecideApproval) == []

    qtbot.keyClick(lab.island, key)
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [answer]


@pytest.mark.spec("ISL-3")
def test_an_answer_elsewhere_takes_it_off_the_island(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(approvals=(question("q1"), question("q2"))))
    assert "1 of 2" in shown_texts(lab.island)

    settle(qtbot, lab, "q1")

    card = lab.island.content.question.card
    assert card is not None
    assert card.approval.id == "q2"
    assert "1 of 2" not in shown_texts(lab.island)
    assert lab.island.form is Form.ASKING


def shown_texts(island: IslandWindow) -> list[str]:
    return [label.text() for label in island.findChildren(QLabel) if label.isVisible()]


@pytest.mark.spec("ISL-3")
def test_an_island_that_was_open_stays_open_after_the_answer(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    lab.island.set_expanded(True)

    ask(qtbot, lab)
    assert lab.island.form is Form.EXPANDED
    assert button(lab.island, "Send once").isVisible()
    settle(qtbot, lab)

    assert lab.island.form is Form.EXPANDED


def test_a_question_that_was_put_away_comes_back_with_the_next_one(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(approvals=(question("q1"),)))

    qtbot.keyClick(lab.island, Qt.Key.Key_Escape)
    assert lab.island.form is Form.COMPACT
    assert lab.engine.sent(DecideApproval) == []

    ask(qtbot, lab, "q2")
    assert lab.island.form is Form.ASKING


@pytest.mark.spec("APR-22")
def test_no_click_answers_a_card_that_has_just_appeared(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    ask(qtbot, lab)

    qtbot.mouseClick(button(lab.island, "Send once"), Qt.MouseButton.LeftButton)
    qtbot.keyClick(lab.island, Qt.Key.Key_Y)

    assert lab.engine.sent(DecideApproval) == []


@pytest.mark.spec("APR-22")
def test_a_long_act_cannot_be_allowed_before_its_end_was_seen(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    body = "word " * 900
    act = Act("gmail", "send email", (("body", body),), "Send once", "Don't send")
    lab = open_island(state(approvals=(question(act=act),)))
    wait_for_guard(qtbot, lab)

    qtbot.keyClick(lab.island, Qt.Key.Key_Y)  # opens the folded text
    wait_for_guard(qtbot, lab)
    qtbot.keyClick(lab.island, Qt.Key.Key_Y)  # its end is still below the edge
    assert lab.engine.sent(DecideApproval) == []

    for _ in range(30):
        qtbot.keyClick(lab.island, Qt.Key.Key_PageDown)
    wait_for_guard(qtbot, lab)
    qtbot.keyClick(lab.island, Qt.Key.Key_Y)
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [Answer.YES_ONCE]


@pytest.mark.spec("ISL-3")
def test_the_card_opens_its_thread_in_the_main_window(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(approvals=(question(),)))

    qtbot.mouseClick(button(lab.island, "Open"), Qt.MouseButton.LeftButton)

    assert lab.opened == ["t1"]


@pytest.mark.spec("APR-17")
def test_what_a_tool_says_stays_plain_text(open_island: OpenIsland) -> None:
    act = Act("<b>gmail</b>", "send\u202eemail", (("to", "<a href='x'>me</a>"),), "Yes", "No")
    lab = open_island(state(approvals=(question(act=act),)))

    labels = [label for label in lab.island.findChildren(QLabel) if label.isVisible()]
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    assert any("⟨U+202E⟩" in label.text() for label in labels)
    assert any("<b>gmail</b>" in label.text() for label in labels)


def test_the_card_says_which_teammate_asks(open_island: OpenIsland) -> None:
    asked = question(teammate_id=TeammateId("dev"))
    lab = open_island(state(teammates=(MIRA, DEV), approvals=(asked,)))

    assert lab.island.content.bar.words().startswith("Dev asks")


@pytest.mark.spec("APR-18")
def test_what_is_put_off_makes_room_for_the_next_question(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(approvals=(question("q1"), question("q2"))))
    assert "1 of 2" in shown_texts(lab.island)
    wait_for_guard(qtbot, lab)
    qtbot.mouseClick(button(lab.island, "Not now"), Qt.MouseButton.LeftButton)
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [Answer.NOT_NOW]

    parked = question("q1", parked_at="2026-05-04T10:01:00+00:00")
    lab.engine.emit(ApprovalParked(parked))
    qtbot.waitUntil(lambda: lab.island.content.asked == question("q2"))
    assert "1 of 2" not in shown_texts(lab.island)
    assert lab.island.form is Form.ASKING

    lab.engine.emit(ApprovalParked(question("q2", parked_at="2026-05-04T10:01:00+00:00")))
    qtbot.waitUntil(lambda: lab.island.form is Form.COMPACT)
