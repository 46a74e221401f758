"""The models that both windows share behave as Qt expects while the engine's events arrive."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ankita.engine import (
    ApprovalRequested,
    ApprovalSettled,
    CallStatus,
    DecisionRecorded,
    GateLoaded,
    GateState,
    ItemAdded,
    ItemChanged,
    TextAdded,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
)
from ankita.ids import ItemId
from ankita.ui.bridge import EngineBridge
from ankita.ui.view_models.window_models import WindowModels, make_models
from tests.fakes.engine import ScriptedEngine
from tests.ui.main_window.test_approvals import decision
from tests.ui.main_window.window_lab import THREAD, question, reply, state, thread, tool, user

ModelsAndEngine = tuple[WindowModels, ScriptedEngine, EngineBridge]


@pytest.fixture
def made(qapp: object) -> ModelsAndEngine:
    del qapp
    engine = ScriptedEngine(state(thread(), items={THREAD: ()}))
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    return make_models(bridge, bridge), engine, bridge


def test_the_models_keep_qt_s_rules_through_a_whole_turn(
    made: ModelsAndEngine, qtbot: QtBot
) -> None:
    models, engine, _bridge = made
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    testers = [
        QAbstractItemModelTester(model, mode)
        for model in (models.threads, models.transcript, models.approvals, models.decisions)
    ]
    models.transcript.show(THREAD)
    engine.emit(
        ThreadSaved(thread(updated_at="2026-05-05T10:00:00+00:00")),
        ThreadSaved(thread("t2", updated_at="2026-05-06T10:00:00+00:00")),
        ThreadSaved(thread(updated_at="2026-05-07T10:00:00+00:00")),
        ItemAdded(THREAD, user("hi")),
        ItemAdded(THREAD, reply("")),
        TextAdded(THREAD, ItemId("r1"), "hello"),
        ItemChanged(THREAD, reply("hello.")),
        ItemAdded(THREAD, tool(status=CallStatus.ASKING)),
        ApprovalRequested(question()),
        ApprovalRequested(question("q2")),
        ApprovalSettled(question().id, "yes", "window"),
        DecisionRecorded(decision(1), {}),
        DecisionRecorded(decision(2), {}),
        GateLoaded(GateState(record=(decision(1),), record_length=1)),
        ThreadOpened(THREAD, (user("hi"),)),
    )
    qtbot.waitUntil(lambda: models.transcript.rowCount() == 1)
    assert [a.id for a in models.approvals.all()] == ["q2"]
    engine.emit(ThreadDeleted(THREAD))
    qtbot.waitUntil(lambda: models.threads.rowCount() == 1)
    assert models.transcript.rowCount() == 0
    assert models.decisions.rowCount() == 1
    del testers


def test_a_thread_that_changes_moves_to_the_top(made: ModelsAndEngine, qtbot: QtBot) -> None:
    models, engine, _bridge = made
    engine.emit(ThreadSaved(thread("t2", updated_at="2026-05-06T10:00:00+00:00")))
    qtbot.waitUntil(lambda: models.threads.rowCount() == 2)
    assert models.threads.at(0).id == "t2"
    engine.emit(ThreadSaved(thread(updated_at="2026-05-07T10:00:00+00:00")))
    qtbot.waitUntil(lambda: models.threads.at(0).id == THREAD)


@pytest.mark.spec("UI-2")
def test_growth_is_told_apart_from_change(made: ModelsAndEngine, qtbot: QtBot) -> None:
    models, engine, _bridge = made
    models.transcript.show(THREAD)
    told: list[Callable[[], None] | tuple[int, str] | str] = []
    models.transcript.grew.connect(lambda row, text: told.append((row, text)))
    models.transcript.dataChanged.connect(lambda *_: told.append("changed"))
    engine.emit(
        ItemAdded(THREAD, reply("")),
        TextAdded(THREAD, ItemId("r1"), "a"),
        ItemChanged(THREAD, reply("ab")),
    )
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [(0, "a"), "changed"]
