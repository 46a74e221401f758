"""A late subscriber sees the same state as an early one, with no gap and no repeat (ENG-5)."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.engine import (
    ApprovalSettled,
    EngineState,
    Event,
    ItemAdded,
    ItemChanged,
    NoticeDismissed,
    NoticeItem,
    NoticeLevel,
    NoticeRaised,
    NumberedEvent,
    ReplyItem,
    ReplyStatus,
    TeammateChanged,
    TeammateState,
    TextAdded,
    ThreadDeleted,
    ThreadOpened,
    ThreadSaved,
    ThreadSummary,
    apply,
)
from ankita.engine.event_bus import EventBus
from ankita.engine.state import Notice
from ankita.ids import ItemId, RequestId, TeammateId, ThreadId, TurnId

THREADS = st.sampled_from([ThreadId("t1"), ThreadId("t2")])
ITEMS = st.sampled_from([ItemId("i1"), ItemId("i2"), ItemId("i3")])
WORDS = st.text(max_size=8)


def reply(item_id: ItemId, text: str) -> ReplyItem:
    return ReplyItem(item_id, TurnId("turn"), 1, text, ReplyStatus.STREAMING, "now")


def notice(item_id: ItemId, text: str) -> NoticeItem:
    return NoticeItem(item_id, TurnId("turn"), text, NoticeLevel.INFO, "now")


SOME_ITEMS = st.builds(reply, ITEMS, WORDS) | st.builds(notice, ITEMS, WORDS)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        ThreadSaved, st.builds(ThreadSummary, THREADS, st.just(TeammateId("m")), WORDS, WORDS)
    ),
    st.builds(ThreadDeleted, THREADS),
    st.builds(ThreadOpened, THREADS, st.lists(SOME_ITEMS, max_size=2).map(tuple)),
    st.builds(ItemAdded, THREADS, SOME_ITEMS),
    st.builds(ItemChanged, THREADS, SOME_ITEMS),
    st.builds(TextAdded, THREADS, ITEMS, WORDS),
    st.builds(ApprovalSettled, st.just(RequestId("r")), st.just("no"), st.just("window")),
    st.builds(TeammateChanged, st.builds(TeammateState, st.just(TeammateId("m")), WORDS, WORDS)),
    st.builds(NoticeRaised, st.builds(Notice, WORDS, WORDS, st.just(NoticeLevel.INFO))),
    st.builds(NoticeDismissed, WORDS),
)


class Window:
    """Follows the bus from some moment on, as a window does."""

    def __init__(self, bus: EventBus) -> None:
        self.numbers: list[int] = []
        self.state, self.leave = bus.subscribe(self.hear)
        self.first = self.state.sequence

    def hear(self, event: NumberedEvent) -> None:
        self.numbers.append(event.sequence)
        self.state = apply(self.state, event)


@pytest.mark.spec("ENG-5")
@settings(deadline=None)
@given(st.lists(EVENTS, max_size=30), st.integers(0, 30))
def test_a_window_that_opens_late_draws_the_same(events: list[Event], late: int) -> None:
    bus = EventBus(EngineState())
    windows = [Window(bus)]
    for number, event in enumerate(events):
        if number == late:
            windows.append(Window(bus))
        bus.emit(event)
    for window in windows:
        assert window.state == bus.state
        assert window.numbers == list(range(window.first + 1, len(events) + 1))


@pytest.mark.spec("ENG-5")
def test_subscribing_while_another_thread_emits_leaves_no_gap() -> None:
    bus = EventBus(EngineState())

    def emit() -> None:
        for _ in range(2_000):
            bus.emit(NoticeDismissed("x"))

    thread = threading.Thread(target=emit)
    thread.start()
    windows = [Window(bus) for _ in range(50)]
    thread.join()
    for window in windows:
        assert window.state == bus.state
        assert window.numbers == list(range(window.first + 1, bus.state.sequence + 1))


@pytest.mark.spec("ENG-5")
@given(st.integers(0, 5).filter(lambda n: n != 1))
def test_an_event_out_of_order_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="does not follow"):
        apply(EngineState(), NumberedEvent(number, NoticeDismissed("x")))
