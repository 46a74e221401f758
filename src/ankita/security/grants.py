"""What "ask once" remembers: in memory, for one teammate and one exact act, until a long gap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ankita.clock import Clock
from ankita.ids import TeammateId

MAX_GAP_SECONDS = 2 * 3600.0
"""Sleep, or silence that may have been sleep, after which a person is asked again."""
MAX_AGE_SECONDS = 24 * 3600.0
"""No remembered yes lives longer than this, even if the app runs for weeks."""


@dataclass(frozen=True, slots=True)
class Grant:
    """One remembered yes. `key` comes from `grant_key`; `scope` is what the card said.

    `ends_at` is when it ends at the latest. `text` is the tool's `text_hash` then: the yes
    does not cover a tool that says something else about itself.
    """

    teammate: TeammateId
    key: str
    scope: str
    created_at: datetime
    ends_at: datetime
    text: str = ""


class SessionGrants:
    """All remembered yeses of one run of the app. Used from the engine's thread only.

    Every call looks at both clocks. Wall time that ran ahead of monotonic time is
    sleep (Linux). Where monotonic time runs on during sleep (Windows), sleep shows
    as a time in which nobody looked; so `observe` is to be called every few minutes.
    Any doubt ends the grants: the worst that happens is one more question.
    """

    def __init__(
        self,
        clock: Clock,
        max_gap_seconds: float = MAX_GAP_SECONDS,
        max_age_seconds: float = MAX_AGE_SECONDS,
    ) -> None:
        self._clock = clock
        self._max_gap = max_gap_seconds
        self._max_age = max_age_seconds
        self._grants: dict[tuple[TeammateId, str], Grant] = {}
        self._slept = 0.0
        self._last_wall = clock.now()
        self._last_monotonic = clock.monotonic()

    def observe(self) -> None:
        """Notice sleep and age. Cheap; also done by every other call."""
        wall, monotonic = self._clock.now(), self._clock.monotonic()
        wall_passed = (wall - self._last_wall).total_seconds()
        monotonic_passed = monotonic - self._last_monotonic
        self._last_wall, self._last_monotonic = wall, monotonic
        # Several naps add up. A clock set back by hours hides a sleep, so it counts too.
        self._slept += abs(wall_passed - monotonic_passed)
        if self._slept >= self._max_gap or monotonic_passed >= self._max_gap:
            self._grants.clear()
        if not self._grants:
            self._slept = 0.0
        self._grants = {at: grant for at, grant in self._grants.items() if wall < grant.ends_at}

    def grant(self, teammate: TeammateId, key: str, scope: str = "", text: str = "") -> Grant:
        """Remember a yes that a person just gave."""
        self.observe()
        ends_at = self._last_wall + timedelta(seconds=self._max_age)
        made = Grant(teammate, key, scope, self._last_wall, ends_at, text)
        self._grants[(teammate, key)] = made
        return made

    def covers(self, teammate: TeammateId, key: str, text: str = "") -> bool:
        """Whether this teammate may do this without a new question."""
        self.observe()
        grant = self._grants.get((teammate, key))
        return grant is not None and grant.text == text

    def list(self) -> tuple[Grant, ...]:
        """What is remembered now, oldest first."""
        self.observe()
        return tuple(self._grants.values())

    def revoke(self, teammate: TeammateId, key: str) -> bool:
        """Forget one. False when there was none."""
        self.observe()
        return self._grants.pop((teammate, key), None) is not None

    def revoke_all(self, teammate: TeammateId | None = None) -> int:
        """Forget all of one teammate, or all. Returns how many there were."""
        self.observe()
        gone = [at for at in self._grants if teammate is None or at[0] == teammate]
        for at in gone:
            del self._grants[at]
        return len(gone)
