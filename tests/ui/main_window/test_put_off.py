"""What was put off waits in Approvals, counts as nobody's wait, and is answered later."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Answer,
    ApprovalParked,
    ApprovalSettled,
    DecideApproval,
    GateState,
    RemoveRule,
    RuleState,
)
from ankita.ui.main_window.approvals_pane import ApprovalsPane
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.record_list import decision_tag
from ankita.ui.main_window.rule_words import rule_scope, rule_tag, rule_title
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.reading_order import tab_stops
from tests.ui.main_window.test_approvals import approvals_pane, button, decision, words_in
from tests.ui.main_window.window_lab import AT, THREAD, OpenWindow, WindowLab, question, state
from tests.ui.main_window.window_lab import thread as a_thread

PARKED = replace(question(), parked_at=AT)


def put_off(open_window: OpenWindow) -> tuple[WindowLab, ApprovalsPane, ApprovalCard]:
    lab = open_window(state(a_thread(), approvals=(PARKED,)))
    pane = approvals_pane(lab)
    (card,) = pane.put_off_cards()
    return lab, pane, card


@pytest.mark.spec("APR-18")
def test_not_now_moves_a_question_to_what_is_put_off(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = open_window(state(approvals=(question(),)))
    pane = approvals_pane(lab)
    (card,) = pane.cards()
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Not now").click()
    assert lab.engine.sent(DecideApproval) == [
        DecideApproval(question().id, Answer.NOT_NOW, "window")
    ]
    lab.engine.emit(ApprovalParked(PARKED))
    qtbot.waitUntil(lambda: pane.cards() == [])
    assert [c.approval for c in pane.put_off_cards()] == [PARKED]
    assert pane.line.text() == "Nothing waiting · 1 put off · why anything happened"
    assert lab.window.rail.button(Pane.APPROVALS).accessibleName() == "Approvals"


@pytest.mark.spec("APR-18")
@pytest.mark.parametrize(
    ("words", "answer"), [("Send once", Answer.YES_ONCE), ("Don't send", Answer.NO)]
)
def test_what_was_put_off_is_answered_later(
    open_window: OpenWindow, qtbot: QtBot, words: str, answer: Answer
) -> None:
    lab, pane, card = put_off(open_window)
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, words).click()
    assert lab.engine.sent(DecideApproval) == [DecideApproval(PARKED.id, answer, "window")]
    lab.engine.emit(ApprovalSettled(PARKED.id, "yes", "window"))
    qtbot.waitUntil(lambda: pane.put_off_cards() == [])
    assert "put off" not in pane.line.text()


@pytest.mark.spec("APR-22")
def test_a_late_yes_is_guarded_as_well(open_window: OpenWindow) -> None:
    lab, _, card = put_off(open_window)
    card.restart_guard()
    button(card, "Send once").click()
    assert lab.engine.sent(DecideApproval) == []


@pytest.mark.spec("APR-18")
def test_what_was_put_off_leads_to_its_thread(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, _, card = put_off(open_window)
    button(card, "Open thread").click()
    qtbot.waitUntil(lambda: lab.window.pane is Pane.CHAT)
    assert lab.window.chat.thread_id == THREAD


@pytest.mark.spec("UI-3")
def test_what_was_put_off_is_answered_with_the_keyboard_alone(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane, card = put_off(open_window)
    later = button(card, "Send once")
    assert later in tab_stops(pane)
    for _ in range(40):
        if later.hasFocus():
            break
        qtbot.keyClick(QApplication.focusWidget() or lab.window, Qt.Key.Key_Tab)
    assert later.hasFocus()
    qtbot.waitUntil(lambda: not card.is_guarded)
    qtbot.keyClick(later, Qt.Key.Key_Return)
    assert [c.answer for c in lab.engine.sent(DecideApproval)] == [Answer.YES_ONCE]


@pytest.mark.spec("APR-18")
def test_the_days_of_a_lasting_yes_reach_the_engine(open_window: OpenWindow, qtbot: QtBot) -> None:
    asked = question(scope_once="x, until Ankita closes", scope_always="x")
    lab = open_window(state(approvals=(asked,)))
    (card,) = approvals_pane(lab).cards()
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Always…").click()
    chips = {chip.text(): chip for chip in card.findChildren(ChoiceChip)}
    chips["for 30 days"].click()
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Allow for 30 days").click()
    chips["until I remove it"].click()
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Allow until I remove it").click()
    assert lab.engine.sent(DecideApproval) == [
        DecideApproval(asked.id, Answer.YES_ALWAYS, "window", 30),
        DecideApproval(asked.id, Answer.YES_ALWAYS, "window", None),
    ]


EXACT = "this exact command, “ls”, in /home/mira"
COMMAND = RuleState(
    "native",
    f"run_command#{'a' * 64}",
    0,
    f"{EXACT}, until 3 January 2027",
    AT,
    "tool",
    ends_at="2027-01-03T12:00:00+00:00",
)


@pytest.mark.spec("APR-18")
def test_a_permission_says_when_it_ends_and_can_be_undone(open_window: OpenWindow) -> None:
    lab = open_window(state(gate=GateState(rules=(COMMAND,))))
    pane = approvals_pane(lab)
    words = words_in(pane)
    assert "native: run_command" in words
    assert "aaaa" not in words
    assert EXACT in words
    assert "until 3 Jan 2027" in words
    button(pane, "Remove").click()
    assert lab.engine.sent(RemoveRule) == [RemoveRule("tool", "native", COMMAND.tool)]


@pytest.mark.spec("APR-18")
@pytest.mark.parametrize(
    ("changes", "title", "tag"),
    [
        ({"tool": "write_file", "ends_at": ""}, "native: write_file", "no asking"),
        ({"tool": "a%23b#action=close", "ends_at": ""}, "native: a#b (action=close)", "no asking"),
        ({"kind": "run"}, "native: run_command", "until closed"),
        ({"kind": "blocked", "server": ""}, "run_command", "denied"),
        ({"ends_at": "never"}, "native: run_command", "no asking"),
    ],
)
def test_a_rule_is_named_and_tagged(changes: dict[str, str], title: str, tag: str) -> None:
    rule = replace(COMMAND, **changes)  # type: ignore[arg-type]
    assert (rule_title(rule), rule_tag(rule)[0]) == (title, tag)


def test_a_scope_keeps_its_end_where_no_tag_says_it() -> None:
    rule = replace(COMMAND, ends_at="", scope="x, until you remove it in Approvals")
    assert rule_scope(rule) == "x, until you remove it in Approvals"
    assert (
        rule_scope(replace(COMMAND, scope="“a, until b”, until 3 January 2027")) == "“a, until b”"
    )


@pytest.mark.spec("APR-10")
def test_the_record_tells_a_not_now_from_a_no() -> None:
    assert decision_tag(decision(outcome="parked", answered_by="window")) == "put off"
