"""Each teammate shows the face that belongs to what it does, and endings only for a moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Activity,
    ApprovalParked,
    ApprovalRequested,
    ApprovalSettled,
    EngineState,
    PlanChanged,
    PlanStep,
    QueueChanged,
    QueuedMessage,
    StepStatus,
    TeammateChanged,
    TeammateRemoved,
    ThreadDeleted,
)
from ankita.ids import RequestId, ThreadId
from ankita.ui.bridge import EngineBridge
from ankita.ui.view_models import teammates as module
from ankita.ui.view_models.mascot_mood import READY_WORDS, activity_words, look_of, mood_now
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.widgets.mascot import MascotLook, MascotState
from tests.fakes.engine import ScriptedEngine
from tests.ui.island.island_lab import DEV, MIRA, doing, question, state, thread


@pytest.mark.parametrize(
    ("activity", "is_asked", "flash", "face"),
    [
        (Activity.IDLE, False, None, MascotState.IDLE),
        (Activity.THINKING, False, None, MascotState.THINKING),
        (Activity.READING, False, None, MascotState.READING),
        (Activity.ACTING, False, None, MascotState.ACTING),
        (Activity.ASKING, False, None, MascotState.ASKING),
        (Activity.DONE, False, MascotState.DONE, MascotState.DONE),
        (Activity.DONE, False, None, MascotState.IDLE),
        (Activity.FAILED, False, MascotState.FAILED, MascotState.FAILED),
        (Activity.FAILED, False, None, MascotState.IDLE),
        (Activity.IDLE, False, MascotState.FAILED, MascotState.FAILED),
        (Activity.READING, False, MascotState.DONE, MascotState.READING),
        (Activity.IDLE, True, None, MascotState.ASKING),
        (Activity.FAILED, True, MascotState.FAILED, MascotState.ASKING),
    ],
)
def test_the_face_follows_from_what_is_so(
    activity: Activity, is_asked: bool, flash: MascotState | None, face: MascotState
) -> None:
    assert mood_now(doing(activity), is_asked=is_asked, flash=flash) is face


@pytest.mark.parametrize(
    ("activity", "detail", "progress", "words"),
    [
        (Activity.IDLE, "stopped Rent", None, READY_WORDS),
        (Activity.THINKING, "", None, "thinking"),
        (Activity.READING, "reading a.pdf", (3, 12), "reading a.pdf · 3 of 12"),
        (Activity.READING, "reading a.pdf", (0, 0), "reading a.pdf"),
        (Activity.ACTING, "shell: run command", None, "shell: run command"),
    ],
)
def test_the_words_say_what_it_does(
    activity: Activity, detail: str, progress: tuple[int, int] | None, words: str
) -> None:
    teammate = doing(activity, detail, progress=progress)
    assert activity_words(teammate, mood_now(teammate)) == words


def test_an_unknown_look_is_drawn_all_the_same() -> None:
    assert look_of(doing(Activity.IDLE, look="plaid")) is MascotLook.MINT


Make = Callable[[EngineState], tuple[ScriptedEngine, TeammatesModel]]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    del qtbot
    held: list[object] = []

    def made(first: EngineState) -> tuple[ScriptedEngine, TeammatesModel]:
        engine = ScriptedEngine(first)
        bridge = EngineBridge(engine)  # type: ignore[arg-type]
        model = TeammatesModel(bridge, bridge)
        held.extend((bridge, QAbstractItemModelTester(model)))
        return engine, model

    return made


def moods(model: TeammatesModel) -> list[MascotState]:
    return [face.mood for face in model.faces()]


@pytest.mark.spec("ISL-4")
@pytest.mark.spec("ISL-6")
def test_an_ending_flashes_up_and_is_over_after_a_moment(
    qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FLASH_MILLISECONDS", 30)
    engine, model = make(state())

    engine.emit(TeammateChanged(doing(Activity.DONE, "read a.pdf")))
    qtbot.waitUntil(lambda: moods(model) == [MascotState.DONE])
    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE])
    assert model.faces()[0].words == READY_WORDS


def test_an_ending_from_before_is_not_shown_again(make: Make) -> None:
    _, model = make(state(teammates=(doing(Activity.FAILED, "could not"),)))

    assert moods(model) == [MascotState.IDLE]


@pytest.mark.spec("ISL-3")
def test_a_question_shows_on_the_face_of_who_asks(qtbot: QtBot, make: Make) -> None:
    engine, model = make(state(teammates=(MIRA, DEV)))

    engine.emit(ApprovalRequested(question(teammate_id=DEV.id)))
    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE, MascotState.ASKING])
    foremost = model.foremost()
    assert foremost is not None
    assert foremost.teammate.name == "Dev"

    engine.emit(ApprovalSettled(RequestId("q1"), "no", "window"))
    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE, MascotState.IDLE])


def test_a_new_teammate_appears(qtbot: QtBot, make: Make) -> None:
    engine, model = make(state())

    engine.emit(TeammateChanged(doing(Activity.THINKING, who=DEV)))

    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE, MascotState.THINKING])


def test_the_newest_thread_is_the_one_that_changed_last(make: Make) -> None:
    _, model = make(state(thread("old"), thread("new", at="2026-06-01T00:00:00+00:00")))

    assert model.newest_thread(MIRA.id) == ThreadId("new")
    assert model.newest_thread(DEV.id) is None


@pytest.mark.spec("ENG-8")
def test_a_removed_teammate_is_gone_and_the_others_stay(qtbot: QtBot, make: Make) -> None:
    engine, model = make(state(teammates=(MIRA, DEV)))
    model.flash(MIRA.id, MascotState.FAILED)

    engine.emit(TeammateRemoved(MIRA.id))

    qtbot.waitUntil(lambda: [face.teammate.name for face in model.faces()] == ["Dev"])
    assert model.face_of(MIRA.id) is None
    model.flash(MIRA.id, MascotState.DONE)
    assert moods(model) == [MascotState.IDLE]


@pytest.mark.spec("APR-18")
def test_a_question_that_was_put_off_is_no_longer_asked(qtbot: QtBot, make: Make) -> None:
    engine, model = make(state())
    engine.emit(ApprovalRequested(question()))
    qtbot.waitUntil(lambda: moods(model) == [MascotState.ASKING])

    engine.emit(ApprovalParked(question(parked_at="2026-05-04T10:01:00+00:00")))

    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE])


@pytest.mark.spec("ENG-8")
def test_who_works_is_shown_before_who_has_just_finished(qtbot: QtBot, make: Make) -> None:
    engine, model = make(state(teammates=(MIRA, DEV)))
    engine.emit(
        TeammateChanged(doing(Activity.DONE, "read a.pdf")),
        TeammateChanged(doing(Activity.ACTING, "shell", DEV)),
    )
    qtbot.waitUntil(lambda: moods(model) == [MascotState.DONE, MascotState.ACTING])
    foremost = model.foremost()
    assert foremost is not None
    assert foremost.teammate.name == "Dev"


def test_a_new_name_is_no_new_ending(
    qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FLASH_MILLISECONDS", 30)
    engine, model = make(state())
    done = doing(Activity.DONE, "read a.pdf")
    engine.emit(TeammateChanged(done))
    qtbot.waitUntil(lambda: moods(model) == [MascotState.DONE])
    qtbot.waitUntil(lambda: moods(model) == [MascotState.IDLE])

    engine.emit(TeammateChanged(replace(done, name="Mirabel")))

    qtbot.waitUntil(lambda: model.faces()[0].teammate.name == "Mirabel")
    assert moods(model) == [MascotState.IDLE]


@pytest.mark.spec("ISL-2")
@pytest.mark.spec("ENG-12")
def test_the_plan_of_the_working_thread_and_what_is_queued_are_known(
    qtbot: QtBot, make: Make
) -> None:
    engine, model = make(state(thread("t1"), thread("t2")))
    steps = (PlanStep("look", StepStatus.DONE), PlanStep("write", StepStatus.DOING))
    waiting = QueuedMessage("q", "and then", "2026-05-04T10:00:00+00:00")
    engine.emit(
        PlanChanged(ThreadId("t1"), steps),
        QueueChanged(ThreadId("t1"), (waiting,)),
        QueueChanged(ThreadId("t2"), (waiting,)),
    )
    qtbot.waitUntil(lambda: model.faces()[0].queued == 2)
    assert model.faces()[0].plan is None

    engine.emit(TeammateChanged(doing(Activity.ACTING, "x", thread_id=ThreadId("t1"))))
    qtbot.waitUntil(lambda: model.faces()[0].plan is not None)
    plan = model.faces()[0].plan
    assert plan is not None
    assert plan.words == "1 of 2 · write"

    engine.emit(ThreadDeleted(ThreadId("t1")))
    qtbot.waitUntil(lambda: (model.faces()[0].plan, model.faces()[0].queued) == (None, 1))
