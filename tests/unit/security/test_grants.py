"""What "ask once" remembers, and when it forgets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ankita.ids import TeammateId
from ankita.security.grants import MAX_AGE_SECONDS, SessionGrants

ANKITA, BO = TeammateId("ankita"), TeammateId("bo")
KEY = "native:write_file"
HOUR = 3600.0


class FakeClock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 3, 1, tzinfo=UTC)
        self.seconds = 100.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.seconds

    def run(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.seconds += seconds

    def sleep(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def grants(clock: FakeClock) -> SessionGrants:
    made = SessionGrants(clock)
    made.grant(ANKITA, KEY, "write files until Ankita ends")
    return made


def work(clock: FakeClock, grants: SessionGrants, hours: float) -> None:
    """Time in which the engine is awake and looks every few minutes."""
    for _ in range(int(hours * 12)):
        clock.run(300)
        grants.observe()


@pytest.mark.spec("APR-9")
def test_a_yes_is_remembered_for_the_exact_act_and_teammate(grants: SessionGrants) -> None:
    assert grants.covers(ANKITA, KEY)
    assert not grants.covers(BO, KEY)
    assert not grants.covers(ANKITA, "native:edit_file")


@pytest.mark.spec("APR-9")
def test_a_long_working_day_does_not_end_it(clock: FakeClock, grants: SessionGrants) -> None:
    work(clock, grants, 10)
    clock.sleep(HOUR)
    assert grants.covers(ANKITA, KEY)


@pytest.mark.spec("APR-9")
def test_four_hours_of_sleep_end_it(clock: FakeClock, grants: SessionGrants) -> None:
    clock.sleep(4 * HOUR)
    assert not grants.covers(ANKITA, KEY)
    assert grants.list() == ()


@pytest.mark.spec("APR-9")
def test_sleep_ends_it_where_both_clocks_run_on(clock: FakeClock, grants: SessionGrants) -> None:
    work(clock, grants, 1)
    clock.run(4 * HOUR)
    assert not grants.covers(ANKITA, KEY)


def test_several_naps_add_up(clock: FakeClock, grants: SessionGrants) -> None:
    clock.sleep(1.2 * HOUR)
    assert grants.covers(ANKITA, KEY)
    clock.sleep(1.2 * HOUR)
    assert not grants.covers(ANKITA, KEY)


def test_a_clock_set_back_by_hours_ends_it(clock: FakeClock, grants: SessionGrants) -> None:
    clock.sleep(-4 * HOUR)
    assert not grants.covers(ANKITA, KEY)


def test_no_grant_lives_longer_than_its_age(clock: FakeClock, grants: SessionGrants) -> None:
    work(clock, grants, MAX_AGE_SECONDS / HOUR - 0.5)
    assert grants.covers(ANKITA, KEY)
    work(clock, grants, 1)
    assert not grants.covers(ANKITA, KEY)


def test_a_new_yes_after_sleep_counts_afresh(clock: FakeClock, grants: SessionGrants) -> None:
    clock.sleep(9 * HOUR)
    grants.grant(ANKITA, KEY)
    clock.sleep(HOUR)
    assert grants.covers(ANKITA, KEY)


def test_what_is_remembered_is_listed_and_can_be_undone(grants: SessionGrants) -> None:
    grants.grant(BO, KEY)
    assert [(g.teammate, g.scope) for g in grants.list()] == [
        (ANKITA, "write files until Ankita ends"),
        (BO, ""),
    ]
    assert grants.revoke(ANKITA, KEY)
    assert not grants.revoke(ANKITA, KEY)
    assert not grants.covers(ANKITA, KEY)
    assert grants.revoke_all() == 1
    assert grants.list() == ()
