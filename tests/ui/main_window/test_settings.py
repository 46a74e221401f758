"""Settings: every change is a command, reachable by keyboard, and shown as it became."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.config import GrantedFolder, ServerSettings, Settings, ThemeMode
from ankita.engine import (
    ChangeAppearance,
    CheckServer,
    EngineState,
    GivePassphrase,
    GrantFolder,
    KeepKeysForThisRun,
    RemoveKey,
    RevokeFolder,
    ServerReport,
    SettingsChanged,
    UseBuiltInAssistant,
    UseServer,
    VaultChanged,
    VaultState,
)
from ankita.errors import CommandRefusedError
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.settings_pane import SettingsPane
from ankita.ui.widgets.buttons import ActButton
from tests.ui.main_window.window_lab import OpenWindow, WindowLab, state

ADDRESS = "http://127.0.0.1:11434/v1"


def settings_of(
    open_window: OpenWindow, first: EngineState | None = None
) -> tuple[WindowLab, SettingsPane]:
    lab = open_window(first)
    lab.window.show_pane(Pane.SETTINGS)
    pane = lab.window.settings
    assert isinstance(pane, SettingsPane)
    return lab, pane


def tab_to(qtbot: QtBot, target: QWidget) -> None:
    """Reach a control by the Tab key alone."""
    for _ in range(80):
        if target.hasFocus():
            return
        qtbot.keyClick(QApplication.focusWidget() or target.window(), Qt.Key.Key_Tab)
    raise AssertionError(f"Tab never reached {target.accessibleName()!r}")


def words_in(widget: QWidget) -> str:
    labels = [each for each in widget.findChildren(QLabel) if each.isVisible()]
    return "\n".join(label.text().replace("\u200b", "") for label in labels)


@pytest.mark.spec("UI-3")
def test_the_theme_is_changed_with_the_keyboard_alone(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    qtbot.keyClick(lab.window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(lab.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    tab_to(qtbot, pane.look.themes[ThemeMode.SYSTEM])
    qtbot.keyClick(pane.look.themes[ThemeMode.SYSTEM], Qt.Key.Key_Right)
    assert lab.engine.sent(ChangeAppearance) == [ChangeAppearance(theme=ThemeMode.LIGHT)]


@pytest.mark.spec("UI-3")
def test_the_text_grows_with_the_keyboard_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, pane = settings_of(open_window)
    tab_to(qtbot, pane.look.larger)
    qtbot.keyClick(pane.look.larger, Qt.Key.Key_Return)
    assert lab.engine.sent(ChangeAppearance) == [ChangeAppearance(text_scale=1.1)]


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize(("name", "other", "scale"), [("larger", "smaller", 2.0)])
def test_the_keyboard_stays_in_the_row_when_the_text_grows_no_more(
    open_window: OpenWindow, qtbot: QtBot, name: str, other: str, scale: float
) -> None:
    lab, pane = settings_of(open_window)
    button = getattr(pane.look, name)
    tab_to(qtbot, button)
    lab.engine.emit(SettingsChanged(Settings(text_scale=scale)))
    qtbot.waitUntil(lambda: not button.isEnabled())
    assert getattr(pane.look, other).hasFocus()


def test_a_changed_setting_is_shown_and_sent_no_second_time(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.emit(SettingsChanged(Settings(theme=ThemeMode.DARK, text_scale=1.5)))
    qtbot.waitUntil(pane.look.themes[ThemeMode.DARK].isChecked)
    assert pane.look.percent.text() == "150 %"
    assert not lab.engine.sent(ChangeAppearance)


def test_a_server_is_tested_its_models_listed_and_one_used(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[CheckServer] = ServerReport(("llama3.1:8b", "qwen3:4b"))
    form = pane.adding.form
    form.address.setText(ADDRESS)
    form.key.setText("sk-secret")
    form.test.click()
    qtbot.waitUntil(lambda: form.model.count() == 2)
    assert lab.engine.sent(CheckServer) == [CheckServer(ADDRESS, "sk-secret")]
    assert "2 models" in form.result.text()
    form.model.setCurrentIndex(1)
    form.use.click()
    assert lab.engine.sent(UseServer) == [UseServer(ADDRESS, "qwen3:4b", "sk-secret")]
    qtbot.waitUntil(lambda: form.key.text() == "")


def test_a_server_that_does_not_answer_says_what_to_do(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[CheckServer] = ServerReport(
        problem="Nothing answers there.", advice="Check that it runs."
    )
    form = pane.adding.form
    form.address.setText(ADDRESS)
    form.test.click()
    qtbot.waitUntil(lambda: form.result.text() == "Nothing answers there. Check that it runs.")
    assert form.test.isEnabled()


def test_a_server_that_cannot_be_used_keeps_the_form(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[UseServer] = CommandRefusedError("The keychain is locked.")
    form = pane.adding.form
    form.address.setText(ADDRESS)
    form.model.setEditText("m")
    form.key.setText("sk-secret")
    form.use.click()
    qtbot.waitUntil(lambda: form.result.text() == "The keychain is locked.")
    assert form.key.text() == "sk-secret"


@pytest.mark.spec("PRV-8")
def test_a_key_is_never_read_back_into_the_form(open_window: OpenWindow) -> None:
    server = ServerSettings(ADDRESS, "m", "model-server")
    lab, pane = settings_of(open_window, state(settings=Settings(server=server)))
    assert pane.adding.form.key.text() == ""
    assert pane.adding.form.address.text() == ADDRESS
    pane.keys.remove.click()
    pane.answers.use_built_in.click()
    assert lab.engine.sent(RemoveKey) == [RemoveKey()]
    assert lab.engine.sent(UseBuiltInAssistant) == [UseBuiltInAssistant()]


def test_a_missing_keychain_is_told_with_two_ways_out(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    assert not pane.keys.problem.isVisible()
    lab.engine.emit(VaultChanged(VaultState("", "There is no keychain here.", True)))
    qtbot.waitUntil(pane.keys.problem.isVisible)
    assert "There is no keychain here." in words_in(pane.keys)
    pane.keys.passphrase.setText("correct horse")
    pane.keys.open.click()
    assert lab.engine.sent(GivePassphrase) == [GivePassphrase("correct horse")]
    assert pane.keys.passphrase.text() == ""
    pane.keys.this_run.click()
    assert lab.engine.sent(KeepKeysForThisRun) == [KeepKeysForThisRun()]


def test_folders_are_listed_after_the_workspace_granted_and_revoked(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    folders = (GrantedFolder("/home/mira/Flat", True), GrantedFolder("/home/mira/Photos", False))
    lab, pane = settings_of(open_window, state(settings=Settings(folders=folders)))
    words = words_in(pane.folders)
    assert words.index("workspace") < words.index("Flat") < words.index("Photos")
    assert "read and change · /home/mira/Flat" in words
    assert "read only · /home/mira/Photos" in words
    removers = [b for b in pane.folders.findChildren(ActButton) if b.text() == "Remove"]
    assert len(removers) == 2
    removers[0].click()
    assert lab.engine.sent(RevokeFolder) == [RevokeFolder("/home/mira/Flat")]
    pane.folders.add_folder("/home/mira/Music")
    assert lab.engine.sent(GrantFolder) == [GrantFolder("/home/mira/Music", False)]
    changed = replace(Settings(), folders=())
    lab.engine.emit(SettingsChanged(changed))
    qtbot.waitUntil(lambda: "Flat" not in words_in(pane.folders))
