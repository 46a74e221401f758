"""Settings > Teammates: the list, its forms, and what is asked before one is removed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ankita.config import ServerSettings, WireFormat
from ankita.engine import (
    MAX_INSTRUCTIONS,
    Activity,
    ChangeTeammate,
    CheckServer,
    CreateTeammate,
    EngineState,
    RemoveTeammate,
    ServerReport,
    TeammateChanged,
    TeammateRemoved,
    TeammateState,
    ThreadSaved,
    UseServer,
)
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, ThreadId
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.settings_pane import SettingsPane
from ankita.ui.main_window.team_form import TeamForm
from ankita.ui.main_window.team_model import ModelWish, Source
from ankita.ui.main_window.team_removal import removal_words
from ankita.ui.main_window.team_section import ADD_WORDS, FULL_WORDS, TeamSection
from ankita.ui.widgets.mascot_paint import MascotLook
from tests.ui.main_window.window_lab import DEV, LLAMA, MIRA, OpenWindow, WindowLab, state, thread

pytestmark = pytest.mark.spec("ENG-8")

ADDRESS = "http://127.0.0.1:11434/v1"
OWN = ServerSettings(ADDRESS, "qwen3:4b", "model-server")
RAVI = TeammateState(TeammateId("ravi"), "Ravi", "amber")
NOOR = TeammateState(TeammateId("noor"), "Noor", "violet")


def team_of(
    open_window: OpenWindow, first: EngineState | None = None
) -> tuple[WindowLab, TeamSection]:
    lab = open_window(first)
    lab.window.show_pane(Pane.SETTINGS)
    pane = lab.window.settings
    assert isinstance(pane, SettingsPane)
    return lab, pane.team


def new_form(section: TeamSection) -> TeamForm:
    section.add_button.click()
    assert section.new_form is not None
    return section.new_form


def tab_to(qtbot: QtBot, target: QWidget) -> None:
    for _ in range(120):
        if target.hasFocus():
            return
        qtbot.keyClick(QApplication.focusWidget() or target.window(), Qt.Key.Key_Tab)
    raise AssertionError(f"Tab never reached {target.accessibleName()!r}")


def test_each_is_listed_with_what_answers_for_it(open_window: OpenWindow) -> None:
    team = (replace(MIRA, answering=LLAMA), replace(DEV, answering=LLAMA, server=OWN))
    _, section = team_of(open_window, state(teammates=team))
    lines = [(row.title.text(), row.words.text()) for row in section.rows.values()]
    assert lines == [
        ("Mira", "llama3.1:8b · local · as in Settings"),
        ("Dev", "llama3.1:8b · local · its own model"),
    ]
    assert section.rows[DEV.id].edit.accessibleName() == "Edit Dev"
    assert section.rows[DEV.id].remove.accessibleName() == "Remove Dev"


def test_four_are_the_most_and_that_is_said(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, section = team_of(open_window, state(teammates=(MIRA, DEV, RAVI)))
    assert section.add_button.isEnabled()
    lab.engine.emit(TeammateChanged(NOOR))
    qtbot.waitUntil(lambda: not section.add_button.isEnabled())
    assert section.add_row.words.text() == FULL_WORDS
    assert section.add_button.accessibleDescription() == FULL_WORDS
    lab.engine.emit(TeammateRemoved(MIRA.id))
    qtbot.waitUntil(section.add_button.isEnabled)
    assert section.add_row.words.text() == ADD_WORDS
    assert [row.title.text() for row in section.rows.values()] == ["Dev", "Ravi", "Noor"]


@pytest.mark.spec("UI-3")
def test_one_is_added_with_the_keyboard_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[CreateTeammate] = TeammateId("new")
    tab_to(qtbot, section.add_button)
    qtbot.keyClick(section.add_button, Qt.Key.Key_Return)
    form = section.new_form
    assert form is not None
    assert form.name.hasFocus()
    qtbot.keyClicks(form.name, "Ravi")
    tab_to(qtbot, form.looks.buttons[MascotLook.AMBER])
    qtbot.keyClick(form.looks.buttons[MascotLook.AMBER], Qt.Key.Key_Right)
    assert form.looks.look is MascotLook.VIOLET
    tab_to(qtbot, form.instructions)
    qtbot.keyClicks(form.instructions, "Be brief.")
    tab_to(qtbot, form.save)
    qtbot.keyClick(form.save, Qt.Key.Key_Return)
    assert lab.engine.sent(CreateTeammate) == [CreateTeammate("Ravi", "violet", "Be brief.")]
    qtbot.waitUntil(lambda: section.new_form is None and not section.forms)
    assert section.add_button.hasFocus()


@pytest.mark.spec("UI-3")
def test_the_looks_are_radio_buttons_with_names(open_window: OpenWindow) -> None:
    _, section = team_of(open_window)
    looks = new_form(section).looks
    assert looks.look is MascotLook.AMBER  # the first that nobody has
    for look, button in looks.buttons.items():
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.role() is QAccessible.Role.RadioButton
        assert interface.text(QAccessible.Text.Name) == f"Look: {look.value}"


def test_a_refusal_is_shown_in_the_form_and_nothing_is_lost(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[CreateTeammate] = CommandRefusedError(
        "There is a teammate named Mira already."
    )
    form = new_form(section)
    form.name.setText("Mira")
    form.instructions.setPlainText("Be brief.")
    form.save.click()
    qtbot.waitUntil(form.result.isVisible)
    assert form.result.text() == "There is a teammate named Mira already."
    assert (form.name.text(), form.instructions.toPlainText()) == ("Mira", "Be brief.")
    assert form.save.isEnabled()


def test_what_was_typed_is_there_after_the_pane_was_left_and_others_changed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    form = new_form(section)
    form.name.setText("Ravi")
    section.rows[DEV.id].edit.click()
    edited = section.forms[DEV.id]
    edited.instructions.setPlainText("half a sen")
    lab.window.show_pane(Pane.CHAT)
    lab.engine.emit(
        TeammateChanged(replace(DEV, activity=Activity.ACTING, detail="shell")),
        TeammateChanged(replace(MIRA, name="Mirabel")),
    )
    qtbot.waitUntil(lambda: section.rows[MIRA.id].title.text() == "Mirabel")
    lab.window.show_pane(Pane.SETTINGS)
    assert section.new_form is form
    assert form.name.text() == "Ravi"
    section.rows[DEV.id].edit.click()
    assert section.forms[DEV.id] is edited
    assert edited.instructions.toPlainText() == "half a sen"
    assert edited.isVisible()


def test_editing_starts_from_what_is_stored_and_sends_all_of_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    stored = replace(DEV, instructions="Be brief.", server=OWN)
    lab, section = team_of(open_window, state(teammates=(MIRA, stored)))
    section.rows[DEV.id].edit.click()
    form = section.forms[DEV.id]
    assert (form.name.text(), form.looks.look) == ("Dev", MascotLook.BLUE)
    assert form.instructions.toPlainText() == "Be brief."
    assert form.model.wish() == ModelWish(Source.OWN, ADDRESS, "qwen3:4b")
    assert form.model.key.text() == ""
    form.name.setText("Devika")
    form.save.click()
    assert lab.engine.sent(ChangeTeammate) == [
        ChangeTeammate(DEV.id, "Devika", "blue", "Be brief.", OWN)
    ]
    qtbot.waitUntil(lambda: not section.forms)
    assert lab.engine.sent(UseServer) == []


def test_cancel_forgets_the_form_and_sends_nothing(open_window: OpenWindow) -> None:
    lab, section = team_of(open_window)
    section.rows[DEV.id].edit.click()
    form = section.forms[DEV.id]
    form.name.setText("X")
    form.cancel.click()
    assert section.forms == {}
    assert lab.engine.commands == []
    section.rows[DEV.id].edit.click()
    assert section.forms[DEV.id].name.text() == "Dev"


@pytest.mark.spec("PRV-2")
@pytest.mark.spec("UI-3")
def test_escape_closes_a_form_in_which_nothing_was_typed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    form = new_form(section)
    qtbot.keyClick(form.name, Qt.Key.Key_Escape)
    assert section.new_form is None
    assert section.add_button.hasFocus()
    section.rows[DEV.id].edit.click()
    qtbot.keyClick(section.forms[DEV.id].instructions, Qt.Key.Key_Escape)
    assert section.forms == {}
    assert section.rows[DEV.id].edit.hasFocus()
    assert lab.engine.commands == []


@pytest.mark.spec("UI-3")
def test_escape_goes_to_cancel_where_something_was_typed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    _, section = team_of(open_window)
    form = new_form(section)
    qtbot.keyClicks(form.instructions, "half a sen")
    qtbot.keyClick(form.instructions, Qt.Key.Key_Escape)
    assert section.new_form is form
    assert form.cancel.hasFocus()
    assert form.instructions.toPlainText() == "half a sen"


def test_what_was_refused_is_forgotten_when_it_is_changed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[CreateTeammate] = CommandRefusedError("A teammate needs a name.")
    form = new_form(section)
    form.save.click()
    qtbot.waitUntil(form.result.isVisible)
    qtbot.keyClicks(form.name, "R")
    assert form.result.isHidden()


def test_a_model_of_its_own_is_tested_stored_and_given_its_key(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[CheckServer] = ServerReport(("claude", "other"))
    lab.engine.answers[CreateTeammate] = TeammateId("new")
    form = new_form(section)
    form.name.setText("Ravi")
    assert not form.model.own.isVisible()
    form.model.sources[Source.OWN].click()
    assert form.model.own.isVisible()
    form.model.address.setText(ADDRESS)
    form.model.wires[WireFormat.ANTHROPIC].click()
    form.model.key.setText("sk-secret")
    form.model.test.click()
    qtbot.waitUntil(lambda: form.model.model.count() == 2)
    assert lab.engine.sent(CheckServer) == [CheckServer(ADDRESS, "sk-secret", WireFormat.ANTHROPIC)]
    form.model.model.setCurrentIndex(0)
    form.save.click()
    server = ServerSettings(ADDRESS, "claude", wire=WireFormat.ANTHROPIC)
    assert lab.engine.sent(CreateTeammate) == [CreateTeammate("Ravi", "amber", "", server)]
    qtbot.waitUntil(lambda: bool(lab.engine.sent(UseServer)))
    assert lab.engine.sent(UseServer) == [
        UseServer(ADDRESS, "claude", "sk-secret", WireFormat.ANTHROPIC, TeammateId("new"))
    ]
    qtbot.waitUntil(lambda: section.new_form is None)


def test_a_key_that_cannot_be_stored_leaves_a_form_of_the_new_teammate(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[CreateTeammate] = TeammateId("ravi")
    lab.engine.answers[UseServer] = CommandRefusedError("The keychain is locked.")
    form = new_form(section)
    form.name.setText("Ravi")
    form.model.sources[Source.OWN].click()
    form.model.address.setText(ADDRESS)
    form.model.model.setEditText("m")
    form.model.key.setText("sk-secret")
    form.save.click()
    qtbot.waitUntil(form.result.isVisible)
    assert "The keychain is locked." in form.result.text()
    assert section.new_form is None
    assert section.forms[RAVI.id] is form
    assert form.model.key.text() == "sk-secret"
    form.save.click()
    qtbot.waitUntil(lambda: len(lab.engine.sent(ChangeTeammate)) == 1)
    assert len(lab.engine.sent(CreateTeammate)) == 1


def test_going_back_to_the_settings_model_is_one_choice(open_window: OpenWindow) -> None:
    lab, section = team_of(open_window, state(teammates=(MIRA, replace(DEV, server=OWN))))
    section.rows[DEV.id].edit.click()
    form = section.forms[DEV.id]
    form.model.sources[Source.SETTINGS].click()
    form.save.click()
    assert lab.engine.sent(ChangeTeammate)[0].server is None


def test_a_model_file_is_kept_as_it_is(open_window: OpenWindow) -> None:
    own = ServerSettings("", "tiny", file="/models/tiny.gguf")
    lab, section = team_of(open_window, state(teammates=(MIRA, replace(DEV, server=own))))
    section.rows[DEV.id].edit.click()
    form = section.forms[DEV.id]
    assert form.model.sources[Source.FILE].isChecked()
    form.save.click()
    assert lab.engine.sent(ChangeTeammate)[0].server == own


def test_lengths_are_counted_as_the_engine_counts_them(open_window: OpenWindow) -> None:
    _, section = team_of(open_window)
    form = new_form(section)
    assert form._count.text() == f"0 of {MAX_INSTRUCTIONS:,} characters"
    form.instructions.setPlainText("👩" * (MAX_INSTRUCTIONS + 1))
    assert form._count.text().startswith(f"{MAX_INSTRUCTIONS + 1:,} of ")
    assert form._count.property("role") == "danger"
    assert not form._name_count.isVisible()
    form.name.setText("👩" * 41)
    assert form._name_count.isVisible()
    assert form._name_count.text() == "41 of 40 characters"


# --- removal ----------------------------------------------------------------------------


def test_removal_asks_first_and_names_the_threads_that_go(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    devs = [thread(f"d{n}", teammate_id=DEV.id) for n in range(3)]
    lab, section = team_of(open_window, state(thread(), *devs))
    section.rows[DEV.id].remove.click()
    removal = section.removal
    assert removal is not None
    qtbot.waitUntil(removal.keep.hasFocus)
    assert removal.words.text() == removal_words(3, is_working=False)
    lab.engine.emit(ThreadSaved(thread("d9", teammate_id=DEV.id)))
    qtbot.waitUntil(lambda: "4 threads" in removal.words.text())
    assert removal.remove.accessibleName() == "Remove Dev with 4 threads"

    qtbot.keyClick(removal, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: section.removal is None)
    assert lab.engine.commands == []

    section.rows[DEV.id].remove.click()
    assert section.removal is not None
    section.removal.remove.click()
    assert lab.engine.sent(RemoveTeammate) == [RemoveTeammate(DEV.id)]
    row = section.rows[DEV.id]
    assert row.words.text() == "Removing…"
    assert not row.edit.isEnabled()
    lab.engine.emit(TeammateRemoved(DEV.id))
    qtbot.waitUntil(lambda: list(section.rows) == [MIRA.id])
    assert not section.rows[MIRA.id].remove.isVisible()


def test_enter_in_the_question_keeps_the_teammate(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, section = team_of(open_window)
    section.rows[DEV.id].remove.click()
    removal = section.removal
    assert removal is not None
    qtbot.waitUntil(removal.keep.hasFocus)
    qtbot.keyClick(removal.keep, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: section.removal is None)
    assert lab.engine.commands == []


def test_a_refused_removal_says_why_and_the_row_works_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    lab.engine.answers[RemoveTeammate] = CommandRefusedError("One teammate has to stay.")
    section.rows[DEV.id].remove.click()
    assert section.removal is not None
    section.removal.remove.click()
    qtbot.waitUntil(section.result.isVisible)
    assert section.result.text() == "One teammate has to stay."
    assert section.rows[DEV.id].edit.isEnabled()
    assert section.rows[DEV.id].words.text() != "Removing…"


def test_a_teammate_that_goes_meanwhile_takes_its_form_and_question_along(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, section = team_of(open_window)
    section.rows[DEV.id].edit.click()
    section.rows[DEV.id].remove.click()
    lab.engine.emit(TeammateRemoved(DEV.id))
    qtbot.waitUntil(lambda: section.removal is None and not section.forms)
    assert list(section.rows) == [MIRA.id]


@pytest.mark.parametrize(
    ("count", "is_working", "words"),
    [
        (0, False, "It has no threads."),
        (1, False, "Its 1 thread goes with it"),
        (7, True, "It stops what it is doing. Its 7 threads go with it"),
    ],
)
def test_the_question_says_what_is_lost(count: int, is_working: bool, words: str) -> None:
    said = removal_words(count, is_working=is_working)
    assert said.startswith(words)
    assert said.endswith("This can't be undone.")


def test_threads_of_others_are_not_counted(open_window: OpenWindow) -> None:
    _, section = team_of(open_window, state(thread(), thread(ThreadId("d"), teammate_id=DEV.id)))
    section.rows[DEV.id].remove.click()
    assert section.removal is not None
    assert "Its 1 thread goes" in section.removal.words.text()
    section.removal.reject()
