"""The card that asks: plain, guarded, and never approved before it was seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import Act, Answer, PendingApproval, RiskTier
from ankita.ui.theme import Theme, ThemeMode, apply
from ankita.ui.widgets.approval_card import GUARD_SECONDS, ApprovalCard, CardSize
from ankita.ui.widgets.approval_words import NO_END, day_words
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import ChoiceChip
from tests.ui.main_window.window_lab import question


class ManualTime:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds

    def pass_guard(self) -> None:
        self.seconds += GUARD_SECONDS


class CardLab:
    def __init__(
        self, qtbot: QtBot, approval: PendingApproval, size: CardSize = CardSize.FULL
    ) -> None:
        self.time = ManualTime()
        self.card = ApprovalCard(approval, "Mira", size=size, now=self.time)
        self.answers: list[tuple[str, str, int]] = []
        self.card.answered.connect(lambda *answer: self.answers.append(answer))
        qtbot.addWidget(self.card)
        self.card.resize(720, 300)
        with qtbot.waitExposed(self.card):
            self.card.show()

    def press(self, words: str) -> None:
        next(b for b in self.buttons() if b.text() == words).click()

    def buttons(self) -> list[ActButton]:
        return [b for b in self.card.findChildren(ActButton) if b.isVisible()]

    def words(self) -> str:
        labels = [each for each in self.card.findChildren(QLabel) if each.isVisible()]
        return "\n".join(label.text().replace("\u200b", "") for label in labels)


@pytest.mark.spec("APR-22")
def test_a_click_within_the_guard_time_answers_nothing(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    lab.press("Send once")
    lab.press("Don't send")
    lab.time.seconds += GUARD_SECONDS * 0.9
    lab.press("Send once")
    assert lab.answers == []
    lab.time.pass_guard()
    lab.press("Send once")
    assert lab.answers == [("q1", Answer.YES_ONCE, NO_END)]


@pytest.mark.spec("APR-22")
def test_the_guard_starts_anew_when_the_card_moves_under_the_pointer(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    lab.time.pass_guard()
    lab.card.move(lab.card.x() + 40, lab.card.y() + 40)
    lab.press("Send once")
    assert lab.answers == []


@pytest.mark.spec("APR-22")
def test_a_second_click_of_a_double_click_answers_nothing_more(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    lab.time.pass_guard()
    lab.press("Send once")
    lab.press("Send once")
    assert len(lab.answers) == 1


@pytest.mark.spec("APR-22")
def test_a_yes_opens_what_is_folded_before_it_counts(qtbot: QtBot) -> None:
    act = Act(
        "shell", "run command", (("command", "echo " + "a " * 300 + "rm -rf ~"),), "Run once", "No"
    )
    lab = CardLab(qtbot, question(act=act))
    lab.time.pass_guard()
    lab.press("Run once")
    assert lab.answers == []
    assert "rm -rf ~" in lab.words()
    lab.card.resize(720, lab.card.heightForWidth(720))
    lab.time.pass_guard()
    lab.press("Run once")
    assert lab.answers == [("q1", Answer.YES_ONCE, NO_END)]


@pytest.mark.spec("APR-22")
def test_a_no_needs_no_reading(qtbot: QtBot) -> None:
    act = replace(question().act, fields=(("body", "word " * 400),))
    lab = CardLab(qtbot, question(act=act))
    lab.time.pass_guard()
    lab.press("Don't send")
    assert lab.answers == [("q1", Answer.NO, NO_END)]


@pytest.mark.spec("APR-22")
def test_a_card_whose_end_is_out_of_view_cannot_be_approved(qtbot: QtBot) -> None:
    time = ManualTime()
    area = QScrollArea()
    area.setWidgetResizable(True)
    page = QWidget()
    column = QVBoxLayout(page)
    fields = tuple((f"field {n}", "value") for n in range(60))
    card = ApprovalCard(question(act=replace(question().act, fields=fields)), "Mira", now=time)
    answers: list[str] = []
    card.answered.connect(lambda _, answer: answers.append(answer))
    column.addWidget(card)
    area.setWidget(page)
    qtbot.addWidget(area)
    area.resize(720, 200)
    with qtbot.waitExposed(area):
        area.show()
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 200)
    time.pass_guard()
    yes = next(b for b in card.findChildren(ActButton) if b.text() == "Send once")
    yes.click()
    assert answers == []
    bar.setValue(bar.maximum())
    time.pass_guard()
    yes.click()
    assert answers == [Answer.YES_ONCE]


@pytest.mark.spec("APR-17")
def test_everything_a_tool_supplies_is_plain_and_visible(qtbot: QtBot) -> None:
    act = Act(
        "<b>gmail</b>",
        "send\u202e email",
        (("t\u200bo", "<a href='x'>y</a>\u2066"),),
        "Send once",
        "No",
    )
    lab = CardLab(qtbot, question(act=act))
    assert "<b>gmail</b>: send⟨U+202E⟩ email" in lab.words()
    assert "<a href='x'>y</a>⟨U+2066⟩" in lab.words()
    labels = lab.card.findChildren(QLabel)
    assert all(each.textFormat() is Qt.TextFormat.PlainText for each in labels)


@pytest.mark.spec("APR-17")
def test_a_word_of_ten_thousand_characters_does_not_push_the_buttons_away(qtbot: QtBot) -> None:
    act = replace(question().act, fields=(("body", "W" * 10_000),))
    lab = CardLab(qtbot, question(act=act))
    lab.time.pass_guard()
    lab.press("Send once")
    assert lab.card.minimumSizeHint().width() <= 720


@pytest.mark.spec("APR-6")
def test_the_card_names_the_act_to_whom_and_why_it_asks(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    for words in ("gmail: send email", "r.mehta@example.org", "gmail always asks"):
        assert words in lab.words()
    assert [b.text() for b in lab.buttons()] == ["Send once", "Don't send", "Not now"]


def ask_once() -> PendingApproval:
    return question(
        tier=RiskTier.ASK_ONCE,
        scope_once="files: write file, until Ankita closes",
        scope_always="files: write file, until you remove it in Approvals",
    )


def choose(lab: CardLab, words: str) -> None:
    """Choose how long a lasting yes holds."""
    chips = lab.card.findChildren(ChoiceChip)
    next(chip for chip in chips if chip.text() == words).click()


def test_a_yes_for_longer_says_what_it_covers(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, ask_once())
    assert "Until Ankita closes, without asking again: files: write file" in lab.words()
    lab.time.pass_guard()
    lab.press("Until Ankita closes")
    assert lab.answers == [("q1", Answer.YES_THIS_RUN, NO_END)]


def test_always_is_a_step_of_its_own_that_shows_its_scope(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, ask_once())
    lab.time.pass_guard()
    lab.press("Always…")
    assert lab.answers == []
    choose(lab, "until I remove it")
    assert "files: write file, until you remove it in Approvals" in lab.words()
    lab.press("Allow until I remove it")
    assert lab.answers == []
    lab.time.pass_guard()
    lab.press("Allow until I remove it")
    assert lab.answers == [("q1", Answer.YES_ALWAYS, NO_END)]


def test_a_compact_card_can_open_its_thread(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question(), CardSize.COMPACT)
    threads: list[str] = []
    lab.card.open_requested.connect(threads.append)
    lab.press("Open")
    assert threads == [question().thread_id]


@pytest.mark.spec("UI-3")
def test_the_card_is_named_for_a_screen_reader(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    assert lab.card.accessibleName() == "Mira asks: gmail: send email"
    assert all(button.accessibleName() for button in lab.buttons())


@pytest.mark.spec("APR-18")
def test_a_small_card_offers_no_lasting_permission(qtbot: QtBot) -> None:
    for size in (CardSize.COMPACT, CardSize.BARE):
        lab = CardLab(qtbot, ask_once(), size)
        words = [button.text() for button in lab.buttons()]
        assert words == ["Until closed", "Send once", "No", "Not now", "Open"]
        assert "Until Ankita closes, without asking again: files: write file" in lab.words()
        refusal = next(b for b in lab.buttons() if b.text() == "No")
        assert refusal.accessibleName() == "Don't send"


def test_the_buttons_of_a_small_card_fit_in_one_row_of_the_island(
    qtbot: QtBot, qapp: QApplication
) -> None:
    apply(qapp, Theme(ThemeMode.DARK))
    lab = CardLab(qtbot, ask_once(), CardSize.BARE)
    lab.card.resize(368 - 28, lab.card.heightForWidth(368 - 28))
    middles = [button.geometry().center().y() for button in lab.buttons()]
    assert max(middles) - min(middles) <= 1


def test_a_short_reason_stands_beside_the_buttons_and_a_long_one_whole_below(qtbot: QtBot) -> None:
    short = CardLab(qtbot, question())
    long_reason = "shell always asks, and this turn has read agreement.pdf, which is not yours"
    verdict = replace(question().verdict, reason=long_reason)
    long = CardLab(qtbot, question(verdict=verdict))
    assert "gmail always asks" in short.words()
    assert long_reason in long.words()
    assert long.card.heightForWidth(720) > short.card.heightForWidth(720)


def test_the_second_step_can_be_taken_back(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, ask_once())
    assert not lab.card.close_confirm()
    lab.time.pass_guard()
    lab.press("Always…")
    assert lab.card.close_confirm()
    assert "Send once" in [button.text() for button in lab.buttons()]
    assert lab.answers == []


@pytest.mark.spec("APR-18")
@pytest.mark.parametrize("size", CardSize)
def test_not_now_is_an_answer_that_needs_no_reading(qtbot: QtBot, size: CardSize) -> None:
    act = replace(question().act, fields=(("body", "word " * 400),))
    lab = CardLab(qtbot, question(act=act), size)
    assert "Not now: it is kept in Approvals; nothing is done." in lab.words()
    lab.time.pass_guard()
    lab.press("Not now")
    assert lab.answers == [("q1", Answer.NOT_NOW, NO_END)]


@pytest.mark.spec("APR-22")
def test_not_now_is_guarded_like_the_others(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, question())
    lab.press("Not now")
    lab.card.answer(Answer.NOT_NOW)
    assert lab.answers == []
    lab.time.pass_guard()
    lab.press("Not now")
    lab.press("Send once")
    assert lab.answers == [("q1", Answer.NOT_NOW, NO_END)]


@pytest.mark.spec("APR-18")
@pytest.mark.parametrize(("words", "days"), [("for 7 days", 7), ("for 30 days", 30)])
def test_a_lasting_yes_can_end_on_a_day(qtbot: QtBot, words: str, days: int) -> None:
    lab = CardLab(qtbot, ask_once())
    lab.time.pass_guard()
    lab.press("Always…")
    choose(lab, words)
    end = day_words(datetime.now().astimezone() + timedelta(days=days))
    assert f"files: write file, until {end}." in lab.words()
    lab.time.pass_guard()
    lab.press(f"Allow {words}")
    assert lab.answers == [("q1", Answer.YES_ALWAYS, days)]


@pytest.mark.spec("APR-18")
def test_the_shortest_lasting_yes_is_chosen_at_first(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, ask_once())
    lab.time.pass_guard()
    lab.press("Always…")
    assert [b.text() for b in lab.buttons()] == ["Allow for 7 days", "Back"]


@pytest.mark.spec("APR-18")
def test_what_was_put_off_is_asked_again_without_not_now(qtbot: QtBot) -> None:
    lab = CardLab(qtbot, replace(ask_once(), parked_at="2026-05-04T10:05:00+00:00"))
    words = [b.text() for b in lab.buttons()]
    assert words == ["Until Ankita closes", "Send once", "Don't send", "Always…"]
    assert "Mira asked · you put it off" in lab.words()


@pytest.mark.spec("APR-19")
def test_an_act_without_a_scope_offers_one_yes_alone(qtbot: QtBot) -> None:
    parts = ("one after the other", "1. git status\n2. rm -rf build")
    act = Act("shell", "run command", (parts,), "Run once", "Don't run")
    lab = CardLab(qtbot, question(act=act))
    assert [b.text() for b in lab.buttons()] == ["Run once", "Don't run", "Not now"]


@pytest.mark.spec("APR-19")
@pytest.mark.parametrize("size", CardSize)
def test_the_parts_of_a_command_are_never_folded(qtbot: QtBot, size: CardSize) -> None:
    lines = "\n".join(f"{n}. echo {'word ' * 20}{n}" for n in range(1, 30))
    act = Act("shell", "run command", (("one after the other", lines),), "Run once", "Don't run")
    lab = CardLab(qtbot, question(act=act), size)
    assert "29. echo" in lab.words()
    assert "show all" not in " ".join(b.text() for b in lab.buttons())


@pytest.mark.spec("APR-18")
def test_the_scope_of_an_exact_command_is_not_made_wider_by_the_card(qtbot: QtBot) -> None:
    exact = "this exact command, “git status”, in /home/mira"
    approval = question(
        scope_once=f"{exact}, until Ankita closes",
        scope_always=f"{exact}, until you remove it in Approvals",
    )
    lab = CardLab(qtbot, approval)
    assert f"Until Ankita closes, without asking again: {exact}" in lab.words()
    lab.time.pass_guard()
    lab.press("Always…")
    assert f"Lets this run without asking: {exact}, until " in lab.words()
