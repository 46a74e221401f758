"""The island's place, form and quiet: where it is, what it says, and that it costs nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.config import Settings
from ankita.engine import Activity, TeammateChanged
from ankita.ui.appearance import theme_of
from ankita.ui.island.content import Form
from ankita.ui.island.place_keeper import CENTRE, SCREEN
from ankita.ui.island.placement import COMPACT_HEIGHT, WIDTH
from ankita.ui.island.window import IS_EXPANDED, IslandWindow
from ankita.ui.theme import SystemWishes, apply
from ankita.ui.widgets.mascot import MascotState, MascotWidget
from tests.ui.island.island_lab import (
    DEV,
    OpenIsland,
    RememberingStore,
    doing,
    question,
    running_timers,
    state,
    thread,
)


def plate(island: IslandWindow) -> tuple[int, int, int, int]:
    """The visible body on the desktop: left, top, width, height."""
    body = island.body().translated(island.pos())
    return body.x(), body.y(), body.width(), body.height()


def move(island: IslandWindow, kind: QEvent.Type, at: QPoint) -> None:
    button = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        kind,
        QPointF(island.mapFromGlobal(at)),
        QPointF(at),
        button,
        Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else button,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(island, event)


@pytest.mark.spec("ISL-1")
def test_it_hangs_at_the_top_of_the_screen_in_the_middle(open_island: OpenIsland) -> None:
    island = open_island().island
    work = island.screen().availableGeometry()

    left, top, width, height = plate(island)

    assert (width, height) == (WIDTH, COMPACT_HEIGHT)
    assert 0 <= top - work.top() <= 8
    assert abs(left + width / 2 - work.center().x()) <= 1


@pytest.mark.spec("ISL-1")
def test_it_stays_on_top_without_a_frame_and_refuses_the_focus(open_island: OpenIsland) -> None:
    island = open_island().island
    flags = island.windowHandle().flags()

    for flag in (
        Qt.WindowType.FramelessWindowHint,
        Qt.WindowType.WindowStaysOnTopHint,
        Qt.WindowType.WindowDoesNotAcceptFocus,
    ):
        assert flags & flag
    assert island.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    assert island.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


@pytest.mark.spec("ISL-1")
def test_a_drag_moves_it_along_the_top_and_is_remembered(open_island: OpenIsland) -> None:
    lab = open_island()
    left, top, _, _ = plate(lab.island)
    grip = QPoint(left + 250, top + 6)

    move(lab.island, QEvent.Type.MouseButtonPress, grip)
    move(lab.island, QEvent.Type.MouseMove, grip + QPoint(90, 60))
    move(lab.island, QEvent.Type.MouseButtonRelease, grip + QPoint(90, 60))

    moved = plate(lab.island)
    assert abs(moved[0] - (left + 90)) <= 1
    assert moved[1] == top
    assert lab.store.values[SCREEN] == lab.island.screen().name()
    again = open_island(store=lab.store)
    assert plate(again.island) == moved


@pytest.mark.spec("ISL-1")
@pytest.mark.parametrize("centre", ["left", None, -4, 7.5, float("nan"), True])
def test_a_remembered_place_that_makes_no_sense_is_no_harm(
    open_island: OpenIsland, centre: object
) -> None:
    store = RememberingStore({SCREEN: 17, CENTRE: centre})

    island = open_island(store=store).island

    left, _, width, _ = plate(island)
    work = island.screen().availableGeometry()
    assert work.left() <= left
    assert left + width <= work.right() + 1


@pytest.mark.spec("ISL-1")
@pytest.mark.spec("ISL-5")
def test_it_expands_to_the_team_and_the_newest_lines_and_remembers_it(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lines = tuple(f"Mira · line {n}" for n in range(6))
    lab = open_island(state(teammates=(doing(Activity.IDLE), DEV), activity_log=lines))
    content = lab.island.content

    chevron = named(lab.island, "Show more")
    qtbot.mouseClick(chevron, Qt.MouseButton.LeftButton)

    assert lab.island.form is Form.EXPANDED
    assert [tile.mascot.accessibleName() for tile in content.grid.tiles()] == [
        "Mira, idle",
        "Dev, idle",
    ]
    assert content.lines.lines() == lines[-3:]
    assert content.lines.isVisible()
    assert lab.store.values[IS_EXPANDED] is True
    assert open_island(store=lab.store).island.form is Form.EXPANDED

    qtbot.mouseClick(named(lab.island, "Show less"), Qt.MouseButton.LeftButton)
    assert lab.island.form is Form.COMPACT
    assert plate(lab.island)[3] == COMPACT_HEIGHT


def named(island: QWidget, name: str) -> QAbstractButton:
    buttons = island.findChildren(QAbstractButton)
    return next(b for b in buttons if b.isVisible() and b.accessibleName() == name)


@pytest.mark.spec("ISL-5")
def test_hiding_and_showing_it_keeps_its_place_and_form(open_island: OpenIsland) -> None:
    lab = open_island()
    lab.island.set_expanded(True)
    before = plate(lab.island)

    for _ in range(20):
        lab.island.hide()
        lab.island.show()

    assert plate(lab.island) == before
    assert lab.island.form is Form.EXPANDED


@pytest.mark.spec("ISL-1")
def test_a_double_click_opens_the_newest_thread(open_island: OpenIsland) -> None:
    lab = open_island(state(thread()))
    left, top, _, _ = plate(lab.island)

    move(lab.island, QEvent.Type.MouseButtonDblClick, QPoint(left + 250, top + 6))

    assert lab.opened == ["t1"]


@pytest.mark.spec("ISL-6")
def test_an_idle_island_has_no_timers(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(activity_log=("Mira · a", "Mira · b")))
    lab.island.set_expanded(True)
    lab.engine.emit(TeammateChanged(doing(Activity.DONE, "read a"), "Mira · read a"))
    mascot = lab.island.content.grid.tiles()[0].mascot
    qtbot.waitUntil(lambda: mascot.shown_state is MascotState.DONE)

    def is_quiet() -> bool:
        faces = lab.island.findChildren(MascotWidget)
        lines = lab.island.content.lines
        return (
            running_timers(lab.island) == []
            and not any(face.is_animating for face in faces)
            and not lines.is_animating
        )

    assert not is_quiet()
    qtbot.waitUntil(is_quiet, timeout=3000)


@pytest.mark.spec("ISL-6")
def test_an_island_that_nothing_happens_to_is_not_painted(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island()
    painted: list[int] = []

    class Watch(QWidget):
        def eventFilter(self, watched: object, event: QEvent) -> bool:  # noqa: N802
            del watched
            if event.type() in (QEvent.Type.Paint, QEvent.Type.Timer):
                painted.append(1)
            return False

    watch = Watch()
    qtbot.addWidget(watch)
    for widget in (lab.island, *lab.island.findChildren(QWidget)):
        widget.installEventFilter(watch)
    qtbot.wait(200)
    painted.clear()

    qtbot.wait(400)  # the time itself is what is tested here
    assert painted == []


@pytest.mark.spec("UI-3")
def test_every_control_has_a_name_and_every_text_is_plain(open_island: OpenIsland) -> None:
    first = state(
        thread(),
        teammates=(doing(Activity.IDLE), DEV),
        approvals=(question(),),
        activity_log=("x",),
    )
    for expanded in (False, True):
        lab = open_island(first)
        lab.island.set_expanded(expanded)
        for control in lab.island.findChildren(QAbstractButton):
            interface = QAccessible.queryAccessibleInterface(control)
            assert interface.text(QAccessible.Text.Name), control
        for label in lab.island.findChildren(QLabel):
            assert label.textFormat() is Qt.TextFormat.PlainText


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_at_double_text_size_nothing_is_cut_off(
    qapp: QApplication, open_island: OpenIsland, scale: float
) -> None:
    lab = open_island(state(approvals=(question(),)))
    apply(qapp, theme_of(Settings(text_scale=scale)), lambda _a, _p: SystemWishes())

    for expanded in (False, True):
        lab.island.set_expanded(expanded)
        body = lab.island.body()
        for part in lab.island.findChildren(QLabel):
            if part.isVisible() and part.text():
                end = part.mapTo(lab.island, part.rect().bottomRight())
                assert end.x() <= body.right(), part.text()
                assert part.width() >= part.minimumSizeHint().width(), part.text()


@pytest.mark.spec("ISL-1")
def test_when_the_screen_gets_narrower_it_stays_on_it(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(store=RememberingStore({CENTRE: 1.0}))
    left, _, width, _ = plate(lab.island)
    work = lab.island.screen().availableGeometry()
    assert left + width <= work.right() + 1
    lab.island.move(5000, 300)

    lab.island.screen().geometryChanged.emit(work)

    qtbot.waitUntil(lambda: plate(lab.island)[0] == left)
