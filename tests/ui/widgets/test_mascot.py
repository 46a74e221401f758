"""The mascot shows each state, moves only while it must, and takes files politely."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QAccessible,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QPainter,
)
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.ui.widgets.mascot import MascotLook, MascotState, MascotWidget, paint_mascot
from ankita.ui.widgets.mascot_pose import MOTIONS

SIDE = 64


def drawn(state: MascotState, phase: float = 0.0, look: MascotLook = MascotLook.MINT) -> QImage:
    image = QImage(SIDE, SIDE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_mascot(painter, QRectF(0, 0, SIDE, SIDE), look, state, phase, QPointF(0, 0))
    painter.end()
    return image


def files(*paths: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def drag_over(mascot: MascotWidget, data: QMimeData) -> QDragEnterEvent:
    event = QDragEnterEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(mascot, event)
    return event


def drop(mascot: MascotWidget, data: QMimeData) -> QDropEvent:
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(mascot, event)
    return event


@pytest.fixture
def mascot(qtbot: QtBot) -> MascotWidget:
    made = MascotWidget("Mira", reduced_motion=False)
    made.set_drop_check(lambda paths: "Too large." if "huge.bin" in paths[0] else None)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.mark.spec("ISL-4")
def test_every_state_looks_different() -> None:
    pictures = {state: drawn(state) for state in MascotState}

    same = [
        (first, second)
        for first in MascotState
        for second in MascotState
        if first < second and pictures[first] == pictures[second]
    ]
    assert same == []


def test_every_look_has_its_own_colour() -> None:
    colours = {
        drawn(MascotState.IDLE, look=look).pixelColor(SIDE // 2, SIDE // 6).name()
        for look in MascotLook
    }
    assert colours == {"#7ccba2", "#82aeea", "#e3b35f", "#b59be6"}


@pytest.mark.parametrize("phase", [step / 40 for step in range(41)])
@pytest.mark.parametrize("state", list(MOTIONS))
def test_no_motion_leaves_the_box(state: MascotState, phase: float) -> None:
    around = 8
    image = QImage(SIDE + 16, SIDE + 16, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    box = QRectF(around, around, SIDE, SIDE)
    paint_mascot(painter, box, MascotLook.BLUE, state, phase)
    painter.end()

    rim = QImage(image)
    painter.begin(rim)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.fillRect(box, Qt.GlobalColor.transparent)
    painter.end()
    empty = QImage(image.size(), image.format())
    empty.fill(Qt.GlobalColor.transparent)
    assert rim == empty


@pytest.mark.spec("ISL-6")
@pytest.mark.parametrize(
    "state",
    [state for state in MascotState if state is not MascotState.READING],
)
def test_no_timer_runs_once_a_state_is_shown(
    qtbot: QtBot, mascot: MascotWidget, state: MascotState
) -> None:
    assert not mascot.is_animating

    mascot.set_state(state)

    qtbot.waitUntil(lambda: not mascot.is_animating, timeout=3000)
    assert mascot.shown_state is state


@pytest.mark.spec("ISL-6")
def test_chewing_stops_while_nobody_can_see_it(qtbot: QtBot, mascot: MascotWidget) -> None:
    mascot.set_state(MascotState.READING)
    assert mascot.is_animating

    mascot.hide()
    assert not mascot.is_animating

    mascot.show()
    assert mascot.is_animating

    mascot.set_state(MascotState.IDLE)
    qtbot.waitUntil(lambda: not mascot.is_animating, timeout=3000)


@pytest.mark.spec("ISL-4")
def test_a_dropped_file_is_swallowed_and_then_the_reading_shows(
    qtbot: QtBot, mascot: MascotWidget
) -> None:
    entered: list[list[str]] = []
    dropped: list[list[str]] = []
    mascot.drag_entered.connect(entered.append)
    mascot.files_dropped.connect(dropped.append)
    data = files("/home/mira/report one.pdf", "/home/mira/two.txt")

    assert drag_over(mascot, data).isAccepted()
    assert mascot.shown_state is MascotState.LISTENING

    with qtbot.waitSignal(mascot.swallowed, timeout=3000):
        assert drop(mascot, data).isAccepted()
        mascot.set_state(MascotState.READING)
        assert mascot.shown_state is MascotState.SWALLOWING

    expected = [
        QUrl.fromLocalFile(path).toLocalFile()
        for path in ("/home/mira/report one.pdf", "/home/mira/two.txt")
    ]
    assert entered == dropped == [expected]
    assert mascot.shown_state is MascotState.READING


@pytest.mark.spec("ISL-4")
def test_the_mouth_closes_when_the_file_is_carried_away(mascot: MascotWidget) -> None:
    left: list[bool] = []
    mascot.drag_left.connect(lambda: left.append(True))
    mascot.set_state(MascotState.THINKING)
    data = files("/home/mira/a.txt")
    drag_over(mascot, data)

    QApplication.sendEvent(mascot, QDragLeaveEvent())

    assert left == [True]
    assert mascot.shown_state is MascotState.THINKING


@pytest.mark.spec("ISL-4")
def test_a_file_that_cannot_be_taken_is_refused_with_the_reason(mascot: MascotWidget) -> None:
    reasons: list[str] = []
    dropped: list[list[str]] = []
    mascot.drag_refused.connect(reasons.append)
    mascot.files_dropped.connect(dropped.append)
    data = files("/home/mira/huge.bin")

    drag_over(mascot, data)
    move = QDragMoveEvent(
        QPoint(6, 6),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(mascot, move)

    assert reasons == ["Too large."]
    assert not move.isAccepted()
    assert mascot.shown_state is MascotState.FAILED
    assert not drop(mascot, data).isAccepted()
    assert dropped == []
    assert mascot.shown_state is MascotState.IDLE


def test_things_that_are_no_files_are_left_alone(mascot: MascotWidget) -> None:
    words = QMimeData()
    words.setText("hello")
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/a.pdf")])

    assert not drag_over(mascot, words).isAccepted()
    assert not drag_over(mascot, web).isAccepted()
    assert mascot.shown_state is MascotState.IDLE


@pytest.mark.spec("ISL-4")
@pytest.mark.spec("UI-3")
def test_with_reduced_motion_there_is_only_state(mascot: MascotWidget) -> None:
    mascot.set_reduced_motion(True)
    swallowed: list[bool] = []
    mascot.swallowed.connect(lambda: swallowed.append(True))
    data = files("/home/mira/a.txt")

    for state in MascotState:
        mascot.set_state(state)
        assert mascot.shown_state is state
        assert not mascot.is_animating
    swallowed.clear()
    drag_over(mascot, data)
    assert mascot.shown_state is MascotState.LISTENING
    drop(mascot, data)

    assert swallowed == [True]
    assert not mascot.is_animating


def test_a_swallow_that_is_interrupted_still_ends(mascot: MascotWidget) -> None:
    swallowed: list[bool] = []
    mascot.swallowed.connect(lambda: swallowed.append(True))
    mascot.set_state(MascotState.SWALLOWING)
    assert swallowed == []

    mascot.set_state(MascotState.FAILED)

    assert swallowed == [True]


@pytest.mark.spec("UI-3")
def test_a_screen_reader_hears_who_and_what(mascot: MascotWidget) -> None:
    mascot.set_state(MascotState.READING)

    interface = QAccessible.queryAccessibleInterface(mascot)

    assert interface.text(QAccessible.Text.Name) == "Mira, reading"
    assert interface.role() == QAccessible.Role.Button
    assert interface.text(QAccessible.Text.Description) == "Drop a file here."


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_the_keyboard_presses_it(qtbot: QtBot, mascot: MascotWidget, key: Qt.Key) -> None:
    with qtbot.waitSignal(mascot.clicked, timeout=1000):
        qtbot.keyClick(mascot, key)


def test_it_takes_no_focus_when_told_so(qtbot: QtBot) -> None:
    quiet = MascotWidget("Mira", takes_focus=False)
    qtbot.addWidget(quiet)

    assert quiet.focusPolicy() is Qt.FocusPolicy.NoFocus


def test_the_eyes_follow_and_the_picture_changes(mascot: MascotWidget) -> None:
    before = mascot.grab().toImage()

    mascot.set_gaze(QPointF(1, 0.5))

    assert mascot.grab().toImage() != before
