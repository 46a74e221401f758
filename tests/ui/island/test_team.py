"""Several teammates on the island: each with its own face, work, thread and files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from ankita.config import Motion, Settings
from ankita.engine import (
    Activity,
    ApprovalParked,
    ApprovalRequested,
    AttachFile,
    AttachmentChanged,
    AttachmentState,
    AttachmentStatus,
    CreateThread,
    PlanChanged,
    PlanStep,
    QueueChanged,
    QueuedMessage,
    SendMessage,
    StepStatus,
    TeammateChanged,
    TeammateRemoved,
    TeammateState,
    ThreadDeleted,
    ThreadSaved,
)
from ankita.ids import AttachmentId, TeammateId, ThreadId
from ankita.ui.appearance import theme_of
from ankita.ui.island import drop_choice
from ankita.ui.island.content import Form
from ankita.ui.island.placement import COMPACT_HEIGHT
from ankita.ui.theme import SystemWishes, apply
from ankita.ui.widgets.mascot import MascotState
from tests.ui.island.island_lab import (
    DEV,
    MIRA,
    IslandLab,
    OpenIsland,
    carry_away,
    doing,
    drag_over,
    drop,
    files,
    question,
    state,
    thread,
)

pytestmark = [pytest.mark.spec("ISL-2"), pytest.mark.spec("ENG-8")]

RAVI = TeammateState(TeammateId("ravi"), "Ravi", "amber")
NOOR = TeammateState(TeammateId("noor"), "Noor", "violet")
ALL = (MIRA, DEV, RAVI, NOOR)
T1, T2 = ThreadId("t1"), ThreadId("t2")
DEVS = replace(thread("t2"), teammate_id=DEV.id, title="Release")
STEPS = (
    PlanStep("Ask for offers", StepStatus.DONE),
    PlanStep("Comparing the offers", StepStatus.DOING),
)
NAMES = (
    "Wolfeschlegelsteinhausenbergerdorff-Bau",
    "نور الهدى المصري",
    "👩🏽‍🔬 डॉ. प्रिया",
    "W" * 40,
)


def names(lab: IslandLab) -> list[str]:
    return [tile.mascot.accessibleName() for tile in lab.island.content.grid.tiles()]


def small(lab: IslandLab) -> list[str]:
    return [str(owner) for _, owner in lab.island.content.bar.others()]


def test_each_of_four_shows_what_it_does(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(teammates=ALL))
    lab.island.set_expanded(True)
    lab.engine.emit(
        TeammateChanged(doing(Activity.ACTING, "shell: run command", DEV), "Dev · ran a command"),
        TeammateChanged(doing(Activity.READING, "reading a.pdf", RAVI, progress=(3, 7))),
    )
    wanted = ["Mira, idle", "Dev, acting", "Ravi, reading", "Noor, idle"]
    qtbot.waitUntil(lambda: names(lab) == wanted)
    tiles = lab.island.content.grid.tiles()
    assert tiles[2].words() == ("Ravi", "reading")
    assert "reading a.pdf · 3 of 7" in tiles[2].mascot.accessibleDescription()
    assert tiles[2].mascot.toolTip() == "reading a.pdf · 3 of 7"
    assert lab.island.content.lines.lines() == ("Dev · ran a command",)


def test_the_bar_shows_who_else_is_at_work(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(thread(), DEVS, teammates=ALL))
    assert small(lab) == []
    lab.engine.emit(
        TeammateChanged(doing(Activity.ACTING, "shell")),
        TeammateChanged(doing(Activity.THINKING, who=DEV, thread_id=T2)),
    )
    qtbot.waitUntil(lambda: small(lab) == ["dev"])
    assert lab.island.content.bar.words() == "Mira shell"
    mascot, _ = lab.island.content.bar.others()[0]
    assert mascot.accessibleName() == "Dev, thinking"
    qtbot.mouseClick(mascot, Qt.MouseButton.LeftButton)
    assert lab.opened == [T2]
    lab.engine.emit(TeammateChanged(DEV))
    qtbot.waitUntil(lambda: small(lab) == [])


def test_plans_of_working_threads_are_said_and_drawn_as_a_thin_line(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), DEVS, teammates=(MIRA, DEV)))
    content = lab.island.content
    lab.engine.emit(
        PlanChanged(T1, STEPS), TeammateChanged(doing(Activity.ACTING, "shell", thread_id=T1))
    )
    qtbot.waitUntil(content.bar._progress.isVisible)
    assert content.bar._progress.accessibleName() == "Plan: 1 of 2 · Comparing the offers"
    assert lab.island.body().height() == COMPACT_HEIGHT

    lab.island.set_expanded(True)
    rows = content.plans.rows()
    assert [row.words() for row in rows] == ["Mira · 1 of 2 · Comparing the offers"]
    assert rows[0].isVisible()
    lab.engine.emit(TeammateChanged(MIRA))
    qtbot.waitUntil(lambda: not content.plans.isVisible())


@pytest.mark.spec("ENG-12")
def test_what_is_queued_is_counted(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island(state(thread(), DEVS, teammates=(MIRA, DEV)))
    message = QueuedMessage("q1", "and then", "2026-05-04T10:00:00+00:00")
    lab.engine.emit(
        QueueChanged(T2, (message, message)), TeammateChanged(doing(Activity.ACTING, "x", DEV))
    )
    qtbot.waitUntil(lambda: lab.island.content.bar._queued.text() == "2 queued")
    lab.island.set_expanded(True)
    assert [tile.words()[2:] for tile in lab.island.content.grid.tiles()] == [(), ("2 queued",)]
    lab.engine.emit(QueueChanged(T2, ()))
    qtbot.waitUntil(lambda: lab.island.content.grid.tiles()[1].words() == ("Dev", "x"))


@pytest.mark.spec("APR-18")
def test_a_question_that_is_put_off_closes_and_asks_no_more(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), teammates=(MIRA, DEV)))
    lab.engine.emit(ApprovalRequested(question()))
    qtbot.waitUntil(lambda: lab.island.form is Form.ASKING)

    lab.engine.emit(ApprovalParked(question(parked_at="2026-05-04T10:01:00+00:00")))

    qtbot.waitUntil(lambda: lab.island.form is Form.COMPACT)
    assert lab.island.content.bar.mascot.state is MascotState.IDLE


def test_a_click_on_a_mascot_opens_its_latest_thread_or_begins_one(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    older = replace(DEVS, id=ThreadId("t0"), updated_at="2026-01-01T00:00:00+00:00")
    lab = open_island(state(thread(), older, DEVS, teammates=(MIRA, DEV, RAVI)))
    begun: list[str] = []
    lab.island.new_thread_requested.connect(begun.append)
    lab.island.set_expanded(True)
    mira, dev, ravi = (tile.mascot for tile in lab.island.content.grid.tiles())
    qtbot.mouseClick(dev, Qt.MouseButton.LeftButton)
    qtbot.keyClick(mira, Qt.Key.Key_Return)
    qtbot.mouseClick(ravi, Qt.MouseButton.LeftButton)
    assert lab.opened == [T2, T1]
    assert begun == [RAVI.id]


def test_a_removed_teammate_leaves_the_grid_the_bar_and_its_files(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), DEVS, teammates=ALL))
    lab.island.set_expanded(True)
    lab.engine.answers[AttachFile] = AttachmentId("a2")
    drop(lab.island.content.grid.tiles()[1].mascot, files("/f/b.pdf"))
    lab.engine.emit(AttachmentChanged(ready("a2", T2)))
    qtbot.waitUntil(lambda: bool(lab.island.intake.ready))

    lab.engine.emit(ThreadDeleted(T2), TeammateRemoved(DEV.id))

    wanted = ["Mira, idle", "Ravi, idle", "Noor, idle"]
    qtbot.waitUntil(lambda: names(lab) == wanted)
    assert lab.island.intake.ready == ()
    assert not lab.island.content.result.isVisible()
    lab.engine.emit(TeammateRemoved(MIRA.id))
    qtbot.waitUntil(lambda: lab.island.content.bar.face is not None)
    qtbot.waitUntil(lambda: lab.island.content.bar.mascot.accessibleName() == "Ravi, idle")


# --- files: they stay with the teammate they were given to ---------------------------------


def ready(attachment_id: str, thread_id: ThreadId) -> AttachmentState:
    return AttachmentState(
        AttachmentId(attachment_id), thread_id, f"{attachment_id}.pdf", AttachmentStatus.READY
    )


def attached(lab: IslandLab) -> list[tuple[str, str]]:
    return [(c.thread_id, c.path.rsplit("/", 1)[-1]) for c in lab.engine.sent(AttachFile)]


@pytest.mark.spec("ISL-4")
def test_files_for_two_teammates_go_to_each_ones_own_thread(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), DEVS, teammates=(MIRA, DEV)))
    lab.engine.answers[AttachFile] = lambda c: AttachmentId("a1" if c.thread_id == T1 else "a2")
    lab.island.set_expanded(True)
    mira, dev = (tile.mascot for tile in lab.island.content.grid.tiles())

    drop(mira, files("/f/a1.pdf"))
    drop(dev, files("/f/a2.pdf"))
    # The second does not wait for the first one's reader.
    assert attached(lab) == [("t1", "a1.pdf"), ("t2", "a2.pdf")]

    lab.engine.emit(AttachmentChanged(ready("a2", T2)), AttachmentChanged(ready("a1", T1)))
    qtbot.waitUntil(lambda: not lab.island.intake.is_busy)
    intake = lab.island.intake
    assert (intake.teammate_id, intake.thread_id) == (DEV.id, T2)
    assert "For Dev" in [label.text() for label in lab.island.content.result.findChildren(QLabel)]
    intake.ask()
    qtbot.waitUntil(lambda: intake.teammate_id == MIRA.id)
    assert (intake.thread_id, intake.ready) == (T1, (ready("a1", T1),))
    intake.ask()
    qtbot.waitUntil(lambda: intake.ready == ())
    sent = [(c.thread_id, c.text) for c in lab.engine.sent(SendMessage)]
    assert sent == [(T2, "What does it say?"), (T1, "What does it say?")]


@pytest.mark.spec("ISL-4")
def test_all_files_of_one_drop_go_to_one_thread_even_if_another_becomes_newer(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), teammates=(MIRA, DEV)))
    ids = iter(["a1", "a2"])
    lab.engine.answers[AttachFile] = lambda _: AttachmentId(next(ids))
    drop(lab.island.content.bar.mascot, files("/f/a1.pdf", "/f/a2.pdf"))
    newer = thread("t9", at="2027-01-01T00:00:00+00:00")
    lab.engine.emit(ThreadSaved(newer), AttachmentChanged(ready("a1", T1)))
    qtbot.waitUntil(lambda: len(attached(lab)) == 2)
    assert [to for to, _ in attached(lab)] == ["t1", "t1"]


@pytest.mark.spec("ISL-4")
def test_a_first_file_for_the_second_teammate_starts_a_thread_of_its_own(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), teammates=(MIRA, DEV)))
    lab.engine.answers[CreateThread] = ThreadId("new")
    lab.island.set_expanded(True)
    drop(lab.island.content.grid.tiles()[1].mascot, files("/f/a.pdf"))
    qtbot.waitUntil(lambda: attached(lab) == [("new", "a.pdf")])
    assert lab.engine.sent(CreateThread) == [CreateThread(DEV.id)]


@pytest.mark.spec("ISL-4")
def test_the_face_on_the_bar_stays_while_a_file_is_over_it(
    qtbot: QtBot, open_island: OpenIsland, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_choice, "LEFT_MILLISECONDS", 20)
    lab = open_island(state(thread(), DEVS, teammates=(MIRA, DEV, RAVI)))
    bar = lab.island.content.bar
    drag_over(bar.mascot, files("/f/a.pdf"))
    lab.engine.emit(TeammateChanged(doing(Activity.ACTING, "shell", DEV)))
    # Meanwhile the file can be given to any of the others too.
    qtbot.waitUntil(lambda: bar.others() != [] and bar.others()[0][0].state is MascotState.ACTING)
    assert small(lab) == ["dev", "ravi"]
    assert bar.mascot.accessibleName() == "Mira, listening"

    drop(bar.others()[0][0], files("/f/a.pdf"))
    assert attached(lab) == [("t2", "a.pdf")]
    carry_away(bar.mascot)
    qtbot.waitUntil(lambda: bar.mascot.accessibleName() == "Dev, acting", timeout=3000)
    assert small(lab) == []


@pytest.mark.spec("ISL-4")
def test_a_double_click_asks_once_and_only_about_the_files_on_show(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), DEVS, teammates=(MIRA, DEV)))
    lab.engine.answers[AttachFile] = lambda c: AttachmentId("a1" if c.thread_id == T1 else "a2")
    lab.island.set_expanded(True)
    for tile, name in zip(lab.island.content.grid.tiles(), ("a1", "a2"), strict=True):
        drop(tile.mascot, files(f"/f/{name}.pdf"))
    lab.engine.emit(AttachmentChanged(ready("a2", T2)), AttachmentChanged(ready("a1", T1)))
    qtbot.waitUntil(lambda: not lab.island.intake.is_busy)
    result = lab.island.content.result
    qtbot.waitUntil(result._ask.isEnabled)

    result._ask.click()
    result._ask.click()
    qtbot.waitUntil(lambda: lab.island.intake.teammate_id == MIRA.id)
    result._ask.click()
    assert [command.thread_id for command in lab.engine.sent(SendMessage)] == [T2]
    qtbot.waitUntil(result._ask.isEnabled)
    result._ask.click()
    assert [command.thread_id for command in lab.engine.sent(SendMessage)] == [T2, T1]


# --- look --------------------------------------------------------------------------------


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_long_and_foreign_names_stay_on_the_plate(
    qapp: QApplication, open_island: OpenIsland, scale: float
) -> None:
    team = tuple(
        doing(Activity.ACTING, "shell: run command", replace(each, name=name), thread_id=T1)
        for each, name in zip(ALL, NAMES, strict=True)
    )
    first = state(thread(), teammates=team, plans={T1: STEPS})
    lab = open_island(first)
    apply(qapp, theme_of(Settings(text_scale=scale)), lambda _a, _p: SystemWishes())
    for expanded in (False, True):
        lab.island.set_expanded(expanded)
        body = lab.island.body()
        for label in lab.island.findChildren(QLabel):
            if label.isVisible() and label.text():
                end = label.mapTo(lab.island, label.rect().bottomRight())
                assert end.x() <= body.right(), label.text()
                assert label.width() >= label.minimumSizeHint().width(), label.text()
    assert [tile.mascot.accessibleName().split(",")[0] for tile in lab.island.content.grid.tiles()]


@pytest.mark.spec("ISL-6")
def test_with_reduced_motion_no_small_mascot_moves(
    qtbot: QtBot, qapp: QApplication, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), teammates=(MIRA, DEV)))
    apply(qapp, theme_of(Settings(motion=Motion.REDUCED)), lambda _a, _p: SystemWishes())
    lab.engine.emit(
        TeammateChanged(doing(Activity.ACTING, "x")),
        TeammateChanged(doing(Activity.READING, "y", DEV)),
    )
    qtbot.waitUntil(lambda: small(lab) == ["dev"])
    assert not lab.island.content.bar.others()[0][0].is_animating
