"""The bridge: events of another thread arrive on the window's, in order and complete."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from ankita.engine import (
    Command,
    DismissNotice,
    EngineState,
    NoticeDismissed,
    NoticeLevel,
    NoticeRaised,
)
from ankita.engine.event_bus import EventBus
from ankita.engine.state import Notice
from ankita.errors import CommandRefusedError
from ankita.ui.bridge import EngineBridge


class BusEngine:
    """The part of an engine that the bridge uses, over a real bus."""

    def __init__(self) -> None:
        self.bus = EventBus(EngineState())
        self.subscribe = self.bus.subscribe
        self.answers: list[Future[Any]] = []

    def submit(self, _command: Command) -> Future[Any]:
        self.answers.append(Future())
        return self.answers[-1]


def notice(number: int) -> NoticeRaised:
    return NoticeRaised(Notice(str(number), f"notice {number}", NoticeLevel.INFO))


@pytest.mark.spec("ENG-5")
def test_a_thousand_events_from_another_thread_arrive_in_order(qtbot: QtBot) -> None:
    engine = BusEngine()
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    heard: list[tuple[str, bool]] = []
    main = threading.get_ident()
    bridge.listen(
        NoticeRaised,
        lambda e: heard.append((e.notice.id, threading.get_ident() == main)),
    )
    sender = threading.Thread(target=lambda: [engine.bus.emit(notice(n)) for n in range(1000)])
    sender.start()
    qtbot.waitUntil(lambda: len(heard) == 1000)
    sender.join()
    assert heard == [(str(n), True) for n in range(1000)]
    assert bridge.state == engine.bus.state


def test_a_listener_sees_the_state_with_its_event_already_in_it(qtbot: QtBot) -> None:
    engine = BusEngine()
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    seen: list[int] = []
    bridge.listen(NoticeRaised, lambda _: seen.append(len(bridge.state.notices)))
    engine.bus.emit(notice(1))
    engine.bus.emit(notice(2))
    qtbot.waitUntil(lambda: seen == [1, 2])


def test_a_listener_that_left_hears_nothing_more(qtbot: QtBot) -> None:
    engine = BusEngine()
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    heard: list[object] = []
    leave = bridge.listen(NoticeRaised, heard.append)
    leave()
    engine.bus.emit(notice(1))
    engine.bus.emit(NoticeDismissed("1"))
    qtbot.waitUntil(lambda: bridge.state.sequence == 2)
    assert heard == []


def test_a_refusal_that_nobody_waits_for_is_told(qtbot: QtBot) -> None:
    engine = BusEngine()
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    bridge.do(DismissNotice("x"))
    with qtbot.waitSignal(bridge.refused) as told:
        engine.answers[0].set_exception(CommandRefusedError("No.", advice="Wait."))
    assert told.args == ["No. Wait."]


def test_a_closed_bridge_follows_nothing(qtbot: QtBot) -> None:
    engine = BusEngine()
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    bridge.close()
    engine.bus.emit(notice(1))
    qtbot.wait(1)
    assert bridge.state.sequence == 0
