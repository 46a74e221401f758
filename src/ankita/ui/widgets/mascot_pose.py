"""How a mascot holds its face in each state: numbers only, no drawing.

Lengths are in hundredths of the mascot's own box; the body fills nearly all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from enum import StrEnum


class MascotState(StrEnum):
    IDLE = "idle"
    THINKING = "thinking"
    READING = "reading"
    ACTING = "acting"
    ASKING = "asking"
    LISTENING = "listening"
    SWALLOWING = "swallowing"
    DONE = "done"
    FAILED = "failed"
    ASLEEP = "asleep"


@dataclass(frozen=True, slots=True)
class Pose:
    """One face. Every field can be blended with that of another pose.

    `eye_x`, `eye_y` move both eyes from their usual place; `eye_size` is a radius;
    `eye_open` is 1 for open and 0 for shut. `mouth_open` is half the height of the
    opening; at 0 the mouth is a line, bent by `mouth_curve` (positive smiles) and
    `mouth_wave` (chewing). `shift_x`, `shift_y` move the whole body, `squash`
    makes it lower and wider (positive) or taller (negative), as a fraction.
    """

    eye_x: float = 0.0
    eye_y: float = 0.0
    eye_apart: float = 17.0
    eye_size: float = 7.6
    eye_open: float = 1.0
    mouth_x: float = 0.0
    mouth_y: float = 67.0
    mouth_width: float = 33.0
    mouth_curve: float = 5.6
    mouth_wave: float = 0.0
    mouth_open: float = 0.0
    tongue: float = 0.0
    shift_x: float = 0.0
    shift_y: float = 0.0
    squash: float = 0.0


RESTING_POSES: dict[MascotState, Pose] = {
    MascotState.IDLE: Pose(),
    MascotState.THINKING: Pose(eye_x=2.5, eye_y=-9.0, mouth_width=25.0, mouth_curve=4.4),
    MascotState.READING: Pose(eye_y=1.5, mouth_width=37.0, mouth_curve=0.0, mouth_wave=6.4),
    MascotState.ACTING: Pose(
        eye_y=3.0, eye_size=7.2, mouth_y=65.5, mouth_width=19.0, mouth_open=5.5
    ),
    MascotState.ASKING: Pose(
        eye_y=-3.0, eye_apart=19.0, eye_size=9.2, mouth_y=69.0, mouth_width=14.0, mouth_open=7.5
    ),
    MascotState.LISTENING: Pose(
        eye_y=-5.5,
        eye_apart=19.5,
        eye_size=9.4,
        mouth_y=71.0,
        mouth_width=43.0,
        mouth_open=18.5,
        tongue=1.0,
        squash=-0.02,
    ),
    MascotState.SWALLOWING: Pose(
        eye_y=2.0, eye_open=0.0, mouth_y=66.0, mouth_width=15.0, mouth_open=7.5
    ),
    MascotState.DONE: Pose(eye_y=2.0, eye_open=0.0, mouth_y=68.0),
    MascotState.FAILED: Pose(eye_y=-6.5, mouth_y=66.0, mouth_width=29.0, mouth_curve=0.0),
    MascotState.ASLEEP: Pose(
        eye_y=3.0, eye_open=0.0, mouth_y=68.0, mouth_width=24.0, mouth_curve=4.2
    ),
}


@dataclass(frozen=True, slots=True)
class Motion:
    """How a state moves: the length of one cycle and whether it goes round again."""

    milliseconds: int
    repeats: bool


MOTIONS: dict[MascotState, Motion] = {
    MascotState.READING: Motion(900, repeats=True),
    MascotState.SWALLOWING: Motion(720, repeats=False),
    MascotState.DONE: Motion(760, repeats=False),
    MascotState.FAILED: Motion(620, repeats=False),
}
"""States that are not here stand still."""


def pose_for(state: MascotState, phase: float) -> Pose:
    """The pose at `phase`, 0 to 1 through the state's motion. 0 and 1 are at rest."""
    rest = RESTING_POSES[state]
    mover = _MOVERS.get(state)
    if mover is None or not 0.0 < phase < 1.0:
        return rest
    return mover(rest, phase)


def blend(first: Pose, second: Pose, share: float) -> Pose:
    """`first` at share 0, `second` at 1, eased between."""
    if share >= 1.0:
        return second
    eased = ease_out(max(share, 0.0))
    return Pose(
        **{
            field.name: _between(getattr(first, field.name), getattr(second, field.name), eased)
            for field in fields(Pose)
        }
    )


def ease_out(share: float) -> float:
    """Fast first, then slowing down (cubic)."""
    return 1.0 - (1.0 - share) ** 3


def _between(first: float, second: float, share: float) -> float:
    return first + (second - first) * share


def _chew(rest: Pose, phase: float) -> Pose:
    turn = 2 * math.pi * phase
    return replace(
        rest,
        mouth_wave=rest.mouth_wave * math.cos(turn),
        mouth_x=1.6 * math.sin(turn),
        mouth_y=rest.mouth_y + 1.4 * math.sin(2 * turn),
        squash=0.012 * (1 - math.cos(2 * turn)),
    )


def _swallow(rest: Pose, phase: float) -> Pose:
    """The cheeks fill, the gulp goes down, the body settles."""
    gulp = math.sin(math.pi * phase)
    settle = math.sin(3 * math.pi * phase) * (1 - phase)
    return replace(
        rest,
        mouth_open=rest.mouth_open * (1 - 0.45 * gulp),
        mouth_width=rest.mouth_width * (1 - 0.35 * gulp),
        eye_y=rest.eye_y + 1.5 * gulp,
        squash=0.10 * settle,
        shift_y=2.0 * gulp,
    )


def _bounce(rest: Pose, phase: float) -> Pose:
    """Two hops, the second one smaller."""
    hops = abs(math.sin(2 * math.pi * phase)) * (1 - phase) ** 1.5
    landing = max(0.0, math.cos(4 * math.pi * phase)) * (1 - phase)
    return replace(rest, shift_y=-9.0 * hops, squash=0.07 * landing * phase * 4 - 0.05 * hops)


def _shake(rest: Pose, phase: float) -> Pose:
    return replace(rest, shift_x=8.0 * math.sin(6 * math.pi * phase) * (1 - phase) ** 1.4)


_MOVERS = {
    MascotState.READING: _chew,
    MascotState.SWALLOWING: _swallow,
    MascotState.DONE: _bounce,
    MascotState.FAILED: _shake,
}
