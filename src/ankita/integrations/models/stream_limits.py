"""How long a reply may take, each kind of waiting on its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Seconds. Generous, since large local models and long thinking are slow.

    A comment or keep-alive is not a payload and moves no deadline.
    """

    connect_seconds: float = 10.0
    first_payload_seconds: float = 600.0
    between_payloads_seconds: float = 300.0
    total_seconds: float = 3600.0
    after_finish_seconds: float = 5.0
    """How long usage figures are waited for once the reply itself is whole."""
    after_done_seconds: float = 0.5
    """The same, once the server said that nothing follows."""


class Wait(Enum):
    """What is being waited for."""

    FIRST_PAYLOAD = "first payload"
    NEXT_PAYLOAD = "next payload"
    WHOLE_REPLY = "whole reply"
    ENDING = "ending"


class Deadlines:
    """Adds up the time spent waiting for the server; the reader's own time is free.

    `started` and `now` are monotonic seconds.
    """

    def __init__(self, limits: StreamLimits, started: float) -> None:
        self._limits = limits
        self._started = started
        self._payloads = 0
        self._waited = 0.0
        self._ending: float | None = None

    def note(self, waited: float, *, payloads: int, is_finished: bool, is_done: bool) -> None:
        """What one wait of `waited` seconds brought. `payloads` counts from the beginning."""
        self._waited += waited
        if payloads > self._payloads:
            self._payloads = payloads
            self._waited = 0.0
        if self._ending is not None:
            self._ending -= waited
        elif is_finished:
            self._ending = self._limits.after_finish_seconds
        if self._ending is not None and is_done:
            self._ending = min(self._ending, self._limits.after_done_seconds)

    def next(self, now: float) -> tuple[float, Wait]:
        """How long the next wait may be, and what it is for."""
        if self._ending is not None:
            return max(self._ending, 0.0), Wait.ENDING
        limits = self._limits
        if self._payloads:
            gap, wait = limits.between_payloads_seconds, Wait.NEXT_PAYLOAD
        else:
            gap, wait = limits.first_payload_seconds, Wait.FIRST_PAYLOAD
        left = gap - self._waited
        total_left = self._started + limits.total_seconds - now
        if total_left < left:
            left, wait = total_left, Wait.WHOLE_REPLY
        return max(left, 0.0), wait
