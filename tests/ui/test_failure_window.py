"""The window that stands where the others could not be made (APP-6)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from ankita.doctor.finding import Finding, State
from ankita.errors import ProfileError
from ankita.paths import ProfilePaths, prepare
from ankita.ui.failure_window import LOOKING, FailureWindow, report_of, sentence_of
from ankita.ui.theme import Theme, ThemeMode, apply
from ankita.ui.what_works import works_words

pytestmark = pytest.mark.spec("APP-6")

# Put together so that no test file holds the shape of a real key.
KEY = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"
MILLISECONDS = 30_000


def raised(error: Exception) -> Exception:
    """The error with a traceback."""
    try:
        raise error
    except type(error) as caught:
        return caught


def text_of(window: QWidget) -> str:
    return "\n".join(label.text().replace("​", "") for label in window.findChildren(QLabel))


def opened(qtbot: QtBot, error: Exception, paths: ProfilePaths) -> FailureWindow:
    """The window, after it has looked at what works."""
    window = FailureWindow(raised(error), paths)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: LOOKING not in text_of(window), timeout=MILLISECONDS)
    return window


@pytest.fixture
def paths(tmp_path: Path) -> ProfilePaths:
    made = ProfilePaths(tmp_path / "profile")
    prepare(made)
    return made


def test_it_says_what_failed_and_that_the_terminal_works(qtbot: QtBot, paths: ProfilePaths) -> None:
    window = opened(qtbot, ProfileError("The folder is gone.", advice="Look for it."), paths)
    assert "The folder is gone. Look for it." in text_of(window)
    assert "“ankita chat” in a terminal: your profile can be opened" in text_of(window)
    assert "There is no database yet." in text_of(window)


def test_it_says_when_nothing_else_works_either(qtbot: QtBot, tmp_path: Path) -> None:
    place = tmp_path / "profile"
    place.write_text("not a folder", encoding="utf-8")
    window = opened(qtbot, RuntimeError("boom"), ProfilePaths(place))
    assert "does not work either" in text_of(window)
    assert "is not a folder" in text_of(window)


def test_the_report_is_scrubbed_and_holds_the_findings(qtbot: QtBot, paths: ProfilePaths) -> None:
    window = opened(qtbot, RuntimeError(f"no room for {KEY}"), paths)
    qtbot.mouseClick(window.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied == window.report()
    assert "RuntimeError" in copied
    assert "database" in copied
    assert KEY not in copied
    assert KEY not in text_of(window)
    assert "on the clipboard" in text_of(window)
    assert sys.version.split()[0] in copied


def test_the_keyboard_alone_copies_and_quits(qtbot: QtBot, paths: ProfilePaths) -> None:
    window = opened(qtbot, RuntimeError("boom"), paths)
    QGuiApplication.clipboard().setText("")
    window.activateWindow()
    window.take_keyboard()
    qtbot.waitUntil(window.copy.hasFocus)
    qtbot.keyClick(window.copy, Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == window.report()
    qtbot.keyClick(window.copy, Qt.Key.Key_Tab)
    assert window.leave.hasFocus()
    with qtbot.waitSignal(window.quit_requested):
        qtbot.keyClick(window.leave, Qt.Key.Key_Space)


def test_tab_reaches_the_report_and_leaves_it_again(qtbot: QtBot, paths: ProfilePaths) -> None:
    window = opened(qtbot, RuntimeError("boom"), paths)
    window.activateWindow()
    window.take_keyboard()
    qtbot.waitUntil(window.copy.hasFocus)
    reached = set()
    for _ in range(8):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused.accessibleName())
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert reached >= {"Report", "Copy report", "Quit"}
    assert "" not in reached, "whatever takes the focus has a name"


@pytest.mark.parametrize("mode", [ThemeMode.LIGHT, ThemeMode.DARK])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_nothing_is_cut_off_in_either_look_at_any_text_size(
    qtbot: QtBot, qapp: QApplication, paths: ProfilePaths, mode: ThemeMode, scale: float
) -> None:
    apply(qapp, Theme(mode, text_scale=scale))
    window = opened(qtbot, ProfileError("A sentence of some length. " * 6), paths)
    window.resize(840, 560)
    qtbot.waitUntil(lambda: window.width() == 840)
    labels = [label for label in window.findChildren(QLabel) if label.text()]
    for label in labels:
        assert label.height() >= label.heightForWidth(label.width()), label.text()
    for button in (window.copy, window.leave):
        assert window.rect().contains(button.geometry())
        assert button.width() >= button.sizeHint().width()
    assert window.findChild(QPlainTextEdit) is not None


def test_it_may_be_closed_before_it_has_looked(qtbot: QtBot, paths: ProfilePaths) -> None:
    window = FailureWindow(raised(RuntimeError("boom")), paths)
    qtbot.addWidget(window)
    window.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ProfileError("It is gone.", advice="Look."), "It is gone. Look."),
        (ModuleNotFoundError("No module named 'x'", name="x"), "can't be loaded: x"),
        (RuntimeError(KEY), "(RuntimeError)"),
    ],
)
def test_what_failed_is_a_sentence_without_foreign_words(error: Exception, words: str) -> None:
    assert words in sentence_of(error)
    assert KEY not in sentence_of(error)
    assert KEY not in report_of(error)


def test_what_works_is_what_was_found() -> None:
    fine = Finding("database", State.OK, "The database opens.")
    low = Finding("disk", State.WARN, "Only 3 MB free.", "Free some.")
    full = Finding("disk", State.FAIL, "The disk is full.", "Free some.")
    assert works_words([fine, low]).splitlines()[1:] == [
        "• The database opens.",
        "• Only 3 MB free. Free some.",
    ]
    assert "either" in works_words([full])
    assert "ankita doctor" in works_words([])
