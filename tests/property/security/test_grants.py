"""Remembered yeses against a plain model, with time that runs, jumps and goes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ankita.ids import TeammateId
from ankita.security.grants import SessionGrants

GAP, AGE = 100.0, 1000.0
WHO = st.sampled_from([TeammateId("a"), TeammateId("b")])
KEYS = st.sampled_from(["k", "l"])


class FakeClock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 1, 1, tzinfo=UTC)
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.seconds


class Grants(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.grants = SessionGrants(self.clock, GAP, AGE)
        self.born: dict[tuple[TeammateId, str], float] = {}

    @rule(who=WHO, key=KEYS)
    def say_yes(self, who: TeammateId, key: str) -> None:
        self.grants.grant(who, key)
        self.born[who, key] = self.clock.seconds

    @rule(who=WHO, key=KEYS)
    def undo(self, who: TeammateId, key: str) -> None:
        assert self.grants.revoke(who, key) is ((who, key) in self.born)
        self.born.pop((who, key), None)

    @rule(seconds=st.integers(1, 99))
    def work(self, seconds: int) -> None:
        self.clock.wall += timedelta(seconds=seconds)
        self.clock.seconds += seconds

    @rule(seconds=st.one_of(st.integers(100, 2000), st.integers(-2000, -100)))
    def sleep_or_set_the_clock(self, seconds: int) -> None:
        self.clock.wall += timedelta(seconds=seconds)
        self.born.clear()

    @rule(seconds=st.integers(100, 2000))
    def nobody_looks(self, seconds: int) -> None:
        self.clock.wall += timedelta(seconds=seconds)
        self.clock.seconds += seconds
        self.born.clear()

    @invariant()
    def only_what_was_granted_lately_is_covered(self) -> None:
        for who in (TeammateId("a"), TeammateId("b")):
            for key in ("k", "l"):
                born = self.born.get((who, key))
                is_young = born is not None and self.clock.seconds - born < AGE
                assert self.grants.covers(who, key) is is_young
        self.born = {at: t for at, t in self.born.items() if self.clock.seconds - t < AGE}


TestGrants = Grants.TestCase
TestGrants.settings = settings(deadline=None)
