"""The island over a scripted engine, with short ways to make what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Act,
    Activity,
    EngineState,
    PendingApproval,
    RiskTier,
    Rule,
    TeammateState,
    ThreadSummary,
    Verdict,
)
from ankita.ids import CallId, RequestId, TeammateId, ThreadId, TurnId
from ankita.ui.bridge import EngineBridge
from ankita.ui.island.window import IslandWindow
from ankita.ui.view_models.window_models import WindowModels, make_models
from tests.fakes.engine import ScriptedEngine

MIRA = TeammateState(TeammateId("mira"), "Mira", "mint")
DEV = TeammateState(TeammateId("dev"), "Dev", "blue")
THREAD = ThreadId("t1")


def doing(activity: Activity, detail: str = "", who: TeammateState = MIRA, **more: Any) -> Any:
    return replace(who, activity=activity, detail=detail, **more)


def thread(thread_id: str = THREAD, at: str = "2026-05-04T10:00:00+00:00") -> ThreadSummary:
    return ThreadSummary(ThreadId(thread_id), MIRA.id, "Rent agreement", at)


def question(request_id: str = "q1", **changes: Any) -> PendingApproval:
    approval = PendingApproval(
        id=RequestId(request_id),
        thread_id=THREAD,
        turn_id=TurnId("turn"),
        call_id=CallId("c1"),
        teammate_id=MIRA.id,
        act=Act("gmail", "send email", (("to", "r.mehta@example.org"),), "Send once", "Don't send"),
        verdict=Verdict(RiskTier.ALWAYS_ASK, Rule.APP_DEFAULT, "gmail always asks"),
        created_at="2026-05-04T10:00:00+00:00",
    )
    return replace(approval, **changes)


def state(*threads: ThreadSummary, **changes: Any) -> EngineState:
    made = EngineState(threads={each.id: each for each in threads}, teammates=(MIRA,))
    return replace(made, **changes)


@dataclass
class RememberingStore:
    """Keeps what the island wants to know after a restart."""

    values: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        return self.values.get(key)

    def set(self, key: str, value: Any) -> None:
        self.values[key] = value


@dataclass
class IslandLab:
    """A shown island, the engine behind it, and what it remembers over a restart."""

    island: IslandWindow
    engine: ScriptedEngine
    bridge: EngineBridge
    models: WindowModels
    store: RememberingStore
    opened: list[object]


OpenIsland = Callable[..., IslandLab]


@contextmanager
def island_lab(
    qtbot: QtBot, first: EngineState | None = None, store: RememberingStore | None = None
) -> Iterator[IslandLab]:
    engine = ScriptedEngine(first or state())
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    kept = store or RememberingStore()
    models = make_models(bridge, bridge)
    island = IslandWindow(bridge, models, kept)
    lab = IslandLab(island, engine, bridge, models, kept, [])
    island.open_requested.connect(lab.opened.append)
    island.show()
    qtbot.waitExposed(island)
    try:
        yield lab
    finally:
        bridge.close()
        island.hide()
        island.deleteLater()


def files(*paths: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def drag_over(widget: QWidget, data: QMimeData) -> QDragEnterEvent:
    event = QDragEnterEvent(
        widget.rect().center(),
        Qt.DropAction.CopyAction | Qt.DropAction.MoveAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)
    return event


def carry_away(widget: QWidget) -> None:
    QApplication.sendEvent(widget, QDragLeaveEvent())


def drop(widget: QWidget, data: QMimeData) -> QDropEvent:
    """Carry files over the widget and let them go; Qt drops only where it saw them enter."""
    drag_over(widget, data)
    event = QDropEvent(
        QPointF(widget.rect().center()),
        Qt.DropAction.MoveAction | Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)
    return event


def running_timers(widget: QWidget) -> list[QTimer]:
    """Timers that will go on: one that fires once costs nothing afterwards."""
    return [
        timer
        for timer in widget.findChildren(QTimer)
        if timer.isActive() and not timer.isSingleShot()
    ]
