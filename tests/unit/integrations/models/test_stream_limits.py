"""Each kind of waiting has its own limit, and only a payload moves one."""

from __future__ import annotations

import pytest

from ankita.integrations.models.stream_limits import Deadlines, StreamLimits, Wait

LIMITS = StreamLimits(
    first_payload_seconds=10,
    between_payloads_seconds=4,
    total_seconds=100,
    after_finish_seconds=2,
    after_done_seconds=0.5,
)


def note(deadlines: Deadlines, waited: float, payloads: int, **ending: bool) -> None:
    flags = {"is_finished": False, "is_done": False} | ending
    deadlines.note(waited, payloads=payloads, **flags)


@pytest.mark.spec("PRV-5")
def test_signs_of_life_use_up_the_wait_for_the_first_payload() -> None:
    deadlines = Deadlines(LIMITS, started=0)
    for _ in range(3):
        note(deadlines, 3, payloads=0)
    assert deadlines.next(now=9) == (1, Wait.FIRST_PAYLOAD)
    note(deadlines, 3, payloads=0)
    assert deadlines.next(now=12) == (0, Wait.FIRST_PAYLOAD)


@pytest.mark.spec("PRV-5")
def test_a_payload_gives_the_whole_gap_again_and_a_comment_does_not() -> None:
    deadlines = Deadlines(LIMITS, started=0)
    note(deadlines, 3, payloads=1)
    assert deadlines.next(now=3) == (4, Wait.NEXT_PAYLOAD)
    note(deadlines, 3, payloads=1)
    assert deadlines.next(now=6) == (1, Wait.NEXT_PAYLOAD)
    note(deadlines, 1, payloads=2)
    assert deadlines.next(now=7) == (4, Wait.NEXT_PAYLOAD)


def test_a_slow_reader_is_not_the_servers_fault() -> None:
    deadlines = Deadlines(LIMITS, started=0)
    note(deadlines, 1, payloads=1)
    assert deadlines.next(now=50) == (4, Wait.NEXT_PAYLOAD)


def test_the_whole_reply_has_an_end_however_lively_it_is() -> None:
    deadlines = Deadlines(LIMITS, started=0)
    note(deadlines, 1, payloads=99)
    assert deadlines.next(now=98) == (2, Wait.WHOLE_REPLY)
    assert deadlines.next(now=101) == (0, Wait.WHOLE_REPLY)


def test_after_the_end_only_a_moment_is_left_for_usage() -> None:
    deadlines = Deadlines(LIMITS, started=0)
    note(deadlines, 1, payloads=1, is_finished=True)
    assert deadlines.next(now=1) == (2, Wait.ENDING)
    note(deadlines, 0.5, payloads=2, is_finished=True)
    assert deadlines.next(now=1.5) == (1.5, Wait.ENDING)
    note(deadlines, 0.1, payloads=2, is_finished=True, is_done=True)
    assert deadlines.next(now=1.6) == (0.5, Wait.ENDING)


@pytest.mark.parametrize("field", StreamLimits.__dataclass_fields__)
def test_every_default_is_a_positive_number_of_seconds(field: str) -> None:
    assert getattr(StreamLimits(), field) > 0
