"""Which face a teammate shows for what it is doing, and the words beside the face."""

from __future__ import annotations

from ankita.engine import Activity, TeammateState
from ankita.ui.widgets.mascot_paint import MascotLook
from ankita.ui.widgets.mascot_pose import MascotState

READY_WORDS = "Ready · drop a file on me"

_MOODS = {
    Activity.IDLE: MascotState.IDLE,
    Activity.THINKING: MascotState.THINKING,
    Activity.READING: MascotState.READING,
    Activity.ACTING: MascotState.ACTING,
    Activity.ASKING: MascotState.ASKING,
    Activity.DONE: MascotState.DONE,
    Activity.FAILED: MascotState.FAILED,
}
_OUTCOMES = (Activity.DONE, Activity.FAILED)


def mood_of(teammate: TeammateState) -> MascotState:
    """The face for the activity alone, without any memory of when it began."""
    return _MOODS[teammate.activity]


def mood_now(
    teammate: TeammateState, *, is_asked: bool = False, flash: MascotState | None = None
) -> MascotState:
    """The face to show now.

    An open question (`is_asked`) outweighs everything, as the teammate waits for it.
    How something ended is shown only as long as its `flash` lasts; then it is idle.
    """
    if is_asked or teammate.activity is Activity.ASKING:
        return MascotState.ASKING
    if teammate.activity in (Activity.IDLE, *_OUTCOMES):
        return flash or MascotState.IDLE
    return mood_of(teammate)


def flash_of(teammate: TeammateState) -> MascotState | None:
    """The face that flashes up when this state arrives, if it says how something ended."""
    return mood_of(teammate) if teammate.activity in _OUTCOMES else None


def activity_words(teammate: TeammateState, mood: MascotState) -> str:
    """What it does, such as "reading agreement.pdf · 3 of 12"."""
    if mood is MascotState.IDLE:
        return READY_WORDS
    words = teammate.detail if mood is mood_of(teammate) else ""
    words = words or mood.value
    if teammate.progress is not None and mood is MascotState.READING:
        done, total = teammate.progress
        if total:
            return f"{words} · {done} of {total}"
    return words


def queued_words(count: int) -> str:
    """ "2 queued", or nothing."""
    return f"{count} queued" if count else ""


def look_of(teammate: TeammateState) -> MascotLook:
    """The teammate's colours; an unknown name gives the first look."""
    try:
        return MascotLook(teammate.look)
    except ValueError:
        return MascotLook.MINT
