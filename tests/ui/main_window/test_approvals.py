"""A question in the window: in the thread, in Approvals, answered once for both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Answer,
    ApprovalRequested,
    ApprovalSettled,
    CallStatus,
    DecideApproval,
    DecisionRecorded,
    DecisionState,
    GateState,
    RemoveRule,
    RepairRules,
    RiskTier,
    RulesChanged,
    RuleState,
    ServerCounters,
    StopTurn,
    ThreadStatus,
)
from ankita.ui.main_window.approvals_pane import ApprovalsPane
from ankita.ui.main_window.panel_rows import ScrollColumn
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.record_list import decision_tag, decision_words
from ankita.ui.main_window.transcript_items import ToolWidget
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.buttons import ActButton
from tests.ui.main_window.window_lab import (
    AT,
    MIRA,
    THREAD,
    OpenWindow,
    WindowLab,
    question,
    state,
    thread,
    tool,
    user,
)


def asked(open_window: OpenWindow, qtbot: QtBot) -> WindowLab:
    """A window whose thread waits for one answer."""
    items = (user("mail him"), tool(status=CallStatus.ASKING))
    lab = open_window(state(thread(), items={THREAD: items}))
    lab.window.show_thread(THREAD)
    lab.engine.emit(ApprovalRequested(question()))
    qtbot.waitUntil(lambda: inline_card(lab) is not None)
    return lab


def inline_card(lab: WindowLab) -> ApprovalCard | None:
    widgets = lab.window.chat.transcript.findChildren(ToolWidget)
    return next((w.approval_card for w in widgets if w.approval_card is not None), None)


def approvals_pane(lab: WindowLab) -> ApprovalsPane:
    lab.window.show_pane(Pane.APPROVALS)
    pane = lab.window.approvals
    assert isinstance(pane, ApprovalsPane)
    return pane


def words_in(widget: QWidget) -> str:
    labels = widget.findChildren(QLabel)
    return "\n".join(label.text().replace("\u200b", "") for label in labels)


def button(widget: QWidget, words: str) -> ActButton:
    return next(b for b in widget.findChildren(ActButton) if b.text().replace("&&", "&") == words)


@pytest.mark.spec("APR-11")
def test_one_answer_removes_the_question_in_the_thread_and_in_approvals(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = asked(open_window, qtbot)
    pane = approvals_pane(lab)
    assert len(pane.cards()) == 1
    lab.window.show_pane(Pane.CHAT)
    card = inline_card(lab)
    assert card is not None
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Send once").click()
    decided = DecideApproval(question().id, Answer.YES_ONCE, "window")
    assert lab.engine.sent(DecideApproval) == [decided]
    lab.engine.emit(ApprovalSettled(question().id, "yes", "window"))
    qtbot.waitUntil(lambda: inline_card(lab) is None)
    assert pane.cards() == []
    assert "Nothing waits for your answer." in words_in(pane)


@pytest.mark.spec("APR-11")
def test_a_pane_that_opens_late_lists_what_waits(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = asked(open_window, qtbot)
    assert lab.window.approvals is None
    assert [card.approval for card in approvals_pane(lab).cards()] == [question()]


@pytest.mark.spec("UI-1")
def test_the_rail_counts_what_waits(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab = asked(open_window, qtbot)
    assert lab.window.rail.button(Pane.APPROVALS).accessibleName() == "Approvals, 1 waiting"


@pytest.mark.spec("APR-22")
def test_a_question_that_appears_leaves_the_focus_where_it_is(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread(), items={THREAD: (user("x"), tool(status=CallStatus.ASKING))}))
    lab.window.show_thread(THREAD)
    edit = lab.window.chat.composer.edit
    edit.setFocus()
    lab.window.activateWindow()
    qtbot.waitUntil(edit.hasFocus)
    lab.engine.emit(ApprovalRequested(question()))
    qtbot.waitUntil(lambda: inline_card(lab) is not None)
    assert edit.hasFocus()
    approvals_pane(lab)
    focus = lab.window.focusWidget()
    assert not isinstance(focus, ActButton)


def decision(number: int = 1, **changes: object) -> DecisionState:
    made = DecisionState(
        sequence=number,
        at=AT,
        teammate_id=MIRA.id,
        thread_id=THREAD,
        title="files: read file",
        target="a.txt",
        server="native",
        tier=0,
        rule="heuristic",
        reason="it only reads",
        answered_by="",
        outcome="allowed",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.spec("APR-10")
@pytest.mark.parametrize(
    ("made", "tag", "words"),
    [
        (decision(), "auto", "allowed · heuristic: it only reads"),
        (
            decision(reason="allowed: it only reads"),
            "auto",
            "allowed · heuristic: it only reads",
        ),
        (
            decision(tier=1, reason="the name says write"),
            "once",
            "allowed until Ankita closes · heuristic: the name says write",
        ),
        (
            decision(outcome="refused", answered_by="island"),
            "asked",
            "you said no on the island · nothing ran",
        ),
        (
            decision(outcome="refused", answered_by="the turn was stopped"),
            "asked",
            "not answered: the turn was stopped · nothing ran",
        ),
        (
            decision(outcome="denied", rule="blocklist", reason="on your blocklist"),
            "denied",
            "denied · on your blocklist",
        ),
    ],
)
def test_a_decision_says_how_it_was_made(made: DecisionState, tag: str, words: str) -> None:
    assert (decision_tag(made), decision_words(made)) == (tag, words)


@pytest.mark.spec("APR-10")
def test_what_a_removed_teammate_did_is_told_without_its_id(open_window: OpenWindow) -> None:
    pane = approvals_pane(open_window())
    assert pane._name_of(MIRA.id) == MIRA.name
    assert pane._name_of("2d4260147578420b") == "a removed teammate"


@pytest.mark.spec("APR-10")
def test_the_record_shows_new_decisions_and_says_whether_it_is_intact(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window()
    pane = approvals_pane(lab)
    counters = {"native": ServerCounters(allowed=1)}
    lab.engine.emit(DecisionRecorded(decision(), counters))
    qtbot.waitUntil(lambda: "chain intact, 1 entry" in words_in(pane))
    assert pane.record.model().rowCount() == 1
    assert "1 allowed · 0 asked · 0 denied" in words_in(pane)


@pytest.mark.spec("APR-10")
def test_a_broken_record_says_where(open_window: OpenWindow) -> None:
    lab = open_window(state(gate=GateState(record_length=20, chain_broken_at=17)))
    assert "chain broken at entry 17" in words_in(approvals_pane(lab))


RULE = RuleState("native", "write_file", 0, "files: write file, until you remove it", AT, "tool")


def test_a_standing_permission_is_listed_and_can_be_removed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    blocked = RuleState("linear", "transfer", 3, "", AT, "blocked")
    lab = open_window(state(gate=GateState(rules=(RULE, blocked))))
    pane = approvals_pane(lab)
    removers = [b for b in pane.findChildren(ActButton) if b.text() == "Remove"]
    assert len(removers) == 1
    removers[0].click()
    assert lab.engine.sent(RemoveRule) == [RemoveRule("tool", "native", "write_file")]
    lab.engine.emit(RulesChanged(()))
    qtbot.waitUntil(
        lambda: (
            "write_file"
            not in "\n".join(
                label.text() for label in pane.findChildren(QLabel) if label.isVisible()
            )
        )
    )


@pytest.mark.spec("APR-13")
def test_a_closed_gate_says_why_and_offers_the_repair(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(gate=GateState(closed_reason="the rules file is damaged")))
    pane = approvals_pane(lab)
    assert "The rules file is damaged" in words_in(pane)
    button(pane, "Repair").click()
    assert lab.engine.sent(RepairRules) == [RepairRules()]
    lab.engine.emit(RulesChanged(()))
    qtbot.waitUntil(
        lambda: (
            not any(
                label.text() == "Everything asks" and label.isVisible()
                for label in pane.findChildren(QLabel)
            )
        )
    )


def test_an_answer_that_the_engine_refuses_is_told(open_window: OpenWindow, qtbot: QtBot) -> None:
    from ankita.errors import CommandRefusedError

    lab = asked(open_window, qtbot)
    lab.engine.answers[DecideApproval] = CommandRefusedError("The island answered first.")
    card = inline_card(lab)
    assert card is not None
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Don't send").click()
    qtbot.waitUntil(lambda: lab.window.notices.words() == ["The island answered first."])


def test_a_question_outside_the_thread_shows_in_approvals_alone(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab = open_window(state(thread(), items={THREAD: (user("x"),)}))
    lab.window.show_thread(THREAD)
    lab.engine.emit(ApprovalRequested(question(tier=RiskTier.ASK_ONCE)))
    qtbot.waitUntil(lambda: lab.models.approvals.rowCount() == 1)
    assert inline_card(lab) is None
    assert len(approvals_pane(lab).cards()) == 1


@pytest.mark.spec("UI-3")
def test_escape_takes_back_a_lasting_permission_and_stops_nothing(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    asked_once = question(scope_once="x", scope_always="y")
    items = (user("mail him"), tool(status=CallStatus.ASKING))
    lab = open_window(
        state(thread(status=ThreadStatus.ASKING), items={THREAD: items}, approvals=(asked_once,))
    )
    lab.window.show_thread(THREAD)
    qtbot.waitUntil(lambda: inline_card(lab) is not None)
    card = inline_card(lab)
    assert card is not None
    qtbot.waitUntil(lambda: not card.is_guarded)
    button(card, "Always…").click()
    assert button(card, "Back").isVisible()

    qtbot.keyClick(lab.window.chat.composer.edit, Qt.Key.Key_Escape)

    assert not button(card, "Back").isVisible()
    assert lab.engine.sent(StopTurn) == []
    assert lab.engine.sent(DecideApproval) == []


@pytest.mark.spec("UI-1")
def test_in_a_narrow_window_approvals_is_one_page_that_scrolls(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    waiting = tuple(question(f"q{number}", f"c{number}") for number in range(5))
    lab = open_window(state(approvals=waiting))
    pane = approvals_pane(lab)
    lab.shell.resize(1200, 600)
    page, questions = pane.findChildren(ScrollColumn)[:2]
    qtbot.waitUntil(lambda: questions.verticalScrollBar().maximum() > 0)
    assert page.verticalScrollBar().maximum() == 0

    lab.shell.resize(840, 600)

    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: questions.verticalScrollBar().maximum() == 0)
