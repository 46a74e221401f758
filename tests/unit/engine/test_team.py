"""What a teammate shows while it does several things at once (ENG-8)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.engine.event_bus import EventBus
from ankita.engine.events import ApprovalParked, ApprovalRequested
from ankita.engine.state import Activity, EngineState, PendingApproval, TeammateState
from ankita.engine.team import MIRA, Team
from ankita.ids import CallId, RequestId, ThreadId, TurnId
from ankita.security.acts import Act
from ankita.security.policy import Rule, Verdict
from ankita.security.tiers import RiskTier

pytestmark = pytest.mark.spec("ENG-8")

ONE, OTHER = ThreadId("one"), ThreadId("other")
ENDINGS = (Activity.IDLE, Activity.DONE, Activity.FAILED)


def team() -> tuple[Team, EventBus]:
    bus = EventBus(EngineState(teammates=(MIRA,)))
    return Team(bus), bus


def mira(bus: EventBus) -> TeammateState:
    return bus.state.teammates[0]


def question(thread_id: ThreadId) -> PendingApproval:
    return PendingApproval(
        RequestId("q"),
        thread_id,
        TurnId("t"),
        CallId("c"),
        MIRA.id,
        Act("files", "write", (), "Write", "Don't"),
        Verdict(RiskTier.ASK_ONCE, Rule.HEURISTIC, "it changes something"),
        "2026-01-01T00:00:00+00:00",
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_end_of_one_thread_shows_the_one_that_still_works(ending: Activity) -> None:
    crew, bus = team()
    crew.show(MIRA.id, Activity.READING, "reading a.txt", thread_id=ONE)
    crew.show(MIRA.id, Activity.THINKING, "thinking", thread_id=OTHER)
    crew.show(MIRA.id, ending, "finished Other", thread_id=OTHER, log=True)
    assert (mira(bus).activity, mira(bus).thread_id) == (Activity.READING, ONE)
    assert bus.state.activity_log == ("Mira · finished Other",)
    crew.show(MIRA.id, ending, "finished One", thread_id=ONE)
    assert (mira(bus).activity, mira(bus).detail) == (ending, "finished One")


def test_a_file_that_was_read_does_not_end_the_turn_of_its_thread() -> None:
    crew, bus = team()
    crew.show(MIRA.id, Activity.ACTING, "shell: run", thread_id=ONE)
    crew.show(MIRA.id, Activity.READING, "reading", thread_id=ONE, matter="file", progress=(1, 2))
    assert mira(bus).progress == (1, 2)
    crew.show(MIRA.id, Activity.DONE, "read a.pdf", thread_id=ONE, matter="file")
    assert (mira(bus).activity, mira(bus).progress) == (Activity.ACTING, None)


def test_a_question_is_shown_whatever_else_is_done_and_a_parked_one_is_not() -> None:
    crew, bus = team()
    bus.emit(ApprovalRequested(question(ONE)))
    crew.show(MIRA.id, Activity.THINKING, "thinking", thread_id=OTHER)
    assert (mira(bus).activity, mira(bus).thread_id) == (Activity.ASKING, ONE)
    bus.emit(ApprovalParked(replace(question(ONE), parked_at="2026-01-01T00:00:00+00:00")))
    crew.show(MIRA.id, Activity.THINKING, "thinking", thread_id=OTHER)
    assert (mira(bus).activity, mira(bus).thread_id) == (Activity.THINKING, OTHER)


def test_one_teammate_says_nothing_about_another() -> None:
    crew, bus = team()
    crew.show(MIRA.id, Activity.THINKING, "thinking", thread_id=ONE)
    crew.remove(MIRA.id)
    crew.show(MIRA.id, Activity.THINKING, "thinking", thread_id=ONE)
    assert bus.state.teammates == ()


shown = st.tuples(
    st.sampled_from([ONE, OTHER, ThreadId("third")]),
    st.sampled_from(["", "file"]),
    st.sampled_from(list(Activity)),
)


@given(st.lists(shown, min_size=1, max_size=30))
def test_it_rests_only_when_everything_has_ended(
    steps: list[tuple[ThreadId, str, Activity]],
) -> None:
    crew, bus = team()
    open_work: dict[tuple[ThreadId, str], Activity] = {}
    for thread_id, matter, activity in steps:
        crew.show(MIRA.id, activity, thread_id=thread_id, matter=matter)
        open_work.pop((thread_id, matter), None)
        if activity not in ENDINGS:
            open_work[thread_id, matter] = activity
        latest = [*open_work.values()][-1] if open_work else activity
        assert mira(bus).activity is latest
