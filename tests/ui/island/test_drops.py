"""A file dropped on a mascot is eaten, read, and what came of it is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.config import Motion, Settings
from ankita.engine import (
    Activity,
    AttachFile,
    AttachmentChanged,
    AttachmentState,
    AttachmentStatus,
    CreateThread,
    SendMessage,
    TeammateChanged,
)
from ankita.errors import CommandRefusedError
from ankita.ids import AttachmentId, ThreadId
from ankita.ui.appearance import theme_of
from ankita.ui.island.result_row import failed_words, ready_words
from ankita.ui.theme import SystemWishes, apply
from ankita.ui.widgets.buttons import ActButton
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

READY = AttachmentState(
    AttachmentId("a1"), ThreadId("t1"), "agreement.pdf", AttachmentStatus.READY, "PDF", 12
)


def paths(lab: IslandLab) -> list[tuple[str, str]]:
    return [(c.thread_id, c.path.rsplit("/", 1)[-1]) for c in lab.engine.sent(AttachFile)]


def pressed(qtbot: QtBot, lab: IslandLab, words: str) -> None:
    found = [b for b in lab.island.findChildren(ActButton) if b.isVisible() and b.text() == words]
    assert len(found) == 1
    qtbot.mouseClick(found[0], Qt.MouseButton.LeftButton)


@pytest.mark.spec("ISL-4")
def test_the_mouth_opens_while_a_file_is_held_over_it_and_closes_again(
    open_island: OpenIsland,
) -> None:
    lab = open_island(state(thread()))
    mascot = lab.island.content.bar.mascot

    assert drag_over(mascot, files("/f/agreement.pdf")).isAccepted()
    assert mascot.shown_state is MascotState.LISTENING

    carry_away(mascot)
    assert mascot.shown_state is MascotState.IDLE
    assert paths(lab) == []


@pytest.mark.spec("ISL-4")
def test_a_drop_is_swallowed_chewed_while_it_is_read_and_then_told(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))
    lab.engine.answers[AttachFile] = AttachmentId("a1")
    mascot = lab.island.content.bar.mascot

    event = drop(mascot, files("/f/agreement.pdf"))

    assert event.isAccepted()
    assert event.dropAction() is Qt.DropAction.CopyAction
    assert mascot.shown_state is MascotState.SWALLOWING
    assert paths(lab) == [("t1", "agreement.pdf")]

    reading = doing(Activity.READING, "reading agreement.pdf", progress=(3, 12))
    lab.engine.emit(TeammateChanged(reading))
    qtbot.waitUntil(lambda: mascot.shown_state is MascotState.READING, timeout=3000)
    assert lab.island.content.bar.words() == "Mira reading agreement.pdf · 3 of 12"
    assert mascot.is_animating

    lab.engine.emit(
        AttachmentChanged(READY), TeammateChanged(doing(Activity.DONE, "read agreement.pdf"))
    )
    qtbot.waitUntil(lambda: lab.island.content.result.isVisible())
    assert mascot.shown_state is MascotState.DONE
    assert ready_words(lab.island.intake.ready) == "agreement.pdf · 12 pages"
    pressed(qtbot, lab, "Open")
    assert lab.opened == ["t1"]
    pressed(qtbot, lab, "What does it say?")
    assert lab.engine.sent(SendMessage) == [SendMessage(ThreadId("t1"), "What does it say?")]
    qtbot.waitUntil(lambda: not lab.island.content.result.isVisible())


@pytest.mark.spec("ISL-4")
def test_a_file_that_is_refused_gives_the_reason_and_a_failed_face(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))
    lab.engine.answers[AttachFile] = CommandRefusedError("d.mp4 is a video.")
    mascot = lab.island.content.bar.mascot

    drop(mascot, files("/f/d.mp4"))

    qtbot.waitUntil(lambda: lab.island.content.result.isVisible())
    assert failed_words(lab.island.intake.failed) == "d.mp4 is a video."
    assert mascot.state is MascotState.FAILED
    qtbot.waitUntil(lambda: mascot.shown_state is MascotState.FAILED, timeout=3000)


@pytest.mark.spec("ISL-4")
def test_a_file_that_turns_out_to_be_unreadable_gives_the_reason(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))
    lab.engine.answers[AttachFile] = AttachmentId("a1")
    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf"))

    broken = replace(READY, status=AttachmentStatus.FAILED, reason="It has a password.")
    lab.engine.emit(AttachmentChanged(broken))

    qtbot.waitUntil(lambda: lab.island.content.result.isVisible())
    assert failed_words(lab.island.intake.failed) == "agreement.pdf: It has a password."


@pytest.mark.spec("ISL-4")
def test_several_files_go_one_after_another_and_all_are_told(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))
    ids = iter(["a1", "a2"])

    def answer(command: AttachFile) -> object:
        if command.path.endswith("d.mp4"):
            return CommandRefusedError("d.mp4 is a video.")
        return AttachmentId(next(ids))

    lab.engine.answers[AttachFile] = answer
    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf", "/f/d.mp4", "/f/b.docx"))
    assert [name for _, name in paths(lab)] == ["agreement.pdf"]

    lab.engine.emit(AttachmentChanged(READY))
    qtbot.waitUntil(lambda: len(paths(lab)) == 3)
    second = replace(READY, id=AttachmentId("a2"), name="b.docx", pages=None)
    lab.engine.emit(AttachmentChanged(second))

    qtbot.waitUntil(lambda: not lab.island.intake.is_busy)
    assert ready_words(lab.island.intake.ready) == "2 files · agreement.pdf, b.docx"
    assert failed_words(lab.island.intake.failed) == "d.mp4 is a video."


@pytest.mark.spec("ISL-4")
def test_a_file_read_before_its_id_came_back_is_told_too(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))

    def answer(_: AttachFile) -> AttachmentId:
        lab.engine.emit(AttachmentChanged(READY))
        return AttachmentId("a1")

    lab.engine.answers[AttachFile] = answer
    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf"))

    qtbot.waitUntil(lambda: not lab.island.intake.is_busy)
    assert lab.island.intake.ready == (READY,)


def test_a_first_file_starts_a_thread(qtbot: QtBot, open_island: OpenIsland) -> None:
    lab = open_island()
    lab.engine.answers[CreateThread] = ThreadId("new")

    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf"))

    qtbot.waitUntil(lambda: paths(lab) == [("new", "agreement.pdf")])
    assert lab.engine.sent(CreateThread) == [CreateThread(MIRA.id)]


def test_a_file_goes_to_the_newest_thread(open_island: OpenIsland) -> None:
    newer = thread("t2", at="2026-05-05T10:00:00+00:00")
    lab = open_island(state(newer, thread()))

    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf"))

    assert paths(lab) == [("t2", "agreement.pdf")]


@pytest.mark.spec("ISL-4")
def test_a_file_dropped_beside_the_mascots_is_for_the_nearest(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), teammates=(MIRA, DEV)))
    lab.engine.answers[CreateThread] = ThreadId("new")
    lab.island.set_expanded(True)
    mira, dev = (tile.mascot for tile in lab.island.content.grid.tiles())
    qtbot.waitUntil(lambda: dev.x() + dev.parentWidget().x() > mira.x())
    data = files("/f/a.txt")

    assert drag_over(lab.island, data).isAccepted()
    listening = [m for m in (mira, dev) if m.shown_state is MascotState.LISTENING]
    assert len(listening) == 1
    drop(lab.island, data)

    assert listening[0].shown_state is MascotState.SWALLOWING
    assert len(lab.engine.sent(AttachFile)) + len(lab.engine.sent(CreateThread)) == 1


@pytest.mark.spec("ISL-4")
def test_what_is_no_file_is_not_taken(open_island: OpenIsland) -> None:
    lab = open_island(state(thread()))
    words = QMimeData()
    words.setText("hello")

    for target in (lab.island, lab.island.content.bar.mascot):
        assert not drag_over(target, words).isAccepted()
        assert not drop(target, words).isAccepted()
    assert lab.engine.commands == []
    assert lab.island.content.bar.mascot.shown_state is MascotState.IDLE


@pytest.mark.spec("ISL-4")
def test_with_reduced_motion_a_drop_shows_only_states(
    qtbot: QtBot, qapp: QApplication, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread()))
    lab.engine.answers[AttachFile] = AttachmentId("a1")
    apply(qapp, theme_of(Settings(motion=Motion.REDUCED)), lambda _a, _p: SystemWishes())
    mascot = lab.island.content.bar.mascot

    drag_over(mascot, files("/f/agreement.pdf"))
    assert mascot.shown_state is MascotState.LISTENING
    assert not mascot.is_animating
    drop(mascot, files("/f/agreement.pdf"))
    lab.engine.emit(TeammateChanged(doing(Activity.READING, "reading agreement.pdf")))
    qtbot.waitUntil(lambda: mascot.shown_state is MascotState.READING)
    assert not mascot.is_animating


@pytest.mark.spec("ISL-4")
def test_a_message_that_is_refused_says_why_and_keeps_the_file(
    qtbot: QtBot, open_island: OpenIsland
) -> None:
    lab = open_island(state(thread(), approvals=(question(),)))
    lab.engine.answers[AttachFile] = AttachmentId("a1")
    lab.engine.answers[SendMessage] = CommandRefusedError("Mira is still working in that thread.")
    drop(lab.island.content.bar.mascot, files("/f/agreement.pdf"))
    lab.engine.emit(AttachmentChanged(READY))
    qtbot.waitUntil(lambda: lab.island.content.result.isVisible())

    pressed(qtbot, lab, "What does it say?")

    qtbot.waitUntil(lambda: bool(lab.island.intake.failed))
    assert failed_words(lab.island.intake.failed) == "Mira is still working in that thread."
    assert lab.island.intake.ready == (READY,)
