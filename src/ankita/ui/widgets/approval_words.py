"""What an approval card says, made from the request; pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from ankita.engine import PendingApproval, RiskTier
from ankita.ui.widgets.plain_label import visible_text

NO_END = 0
"""In place of a number of days: the permission lasts until it is removed."""

LASTS = {7: "for 7 days", 30: "for 30 days", NO_END: "until I remove it"}
"""How long a lasting permission may be given for, in days, the shortest first."""

NOT_NOW_WORDS = "Not now: it is kept in Approvals; nothing is done."
PARKED_WORDS = "You said not now. A yes runs it now, in its thread."

_ENDS = (", until Ankita closes", ", until you remove it in Approvals")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def covered(scope: str) -> str:
    """What a longer yes covers, without how long: "this exact command, “git status”, in /home"."""
    words = visible_text(scope)
    for end in _ENDS:
        words = words.removesuffix(end)
    return words


def heading(approval: PendingApproval, name: str) -> str:
    """Who asks and how often: "Mira needs your yes · asks once"."""
    if approval.parked_at:
        return f"{name} asked · you put it off"
    asks = "asks once" if approval.verdict.tier is RiskTier.ASK_ONCE else "always asks"
    words = f"{name} needs your yes · {asks}"
    return f"{words} · from before the restart" if approval.from_before else words


def footer(approval: PendingApproval) -> list[str]:
    """Why it asks, what a yes for longer covers, and what the other buttons leave."""
    lines = [visible_text(approval.verdict.reason)]
    if approval.scope_once:
        # No word such as "any" before it: the scope itself says how much it is.
        lines.append(f"Until Ankita closes, without asking again: {covered(approval.scope_once)}")
    lines.append(PARKED_WORDS if approval.parked_at else NOT_NOW_WORDS)
    return lines


def spoken(approval: PendingApproval, name: str) -> str:
    """The whole question for a screen reader."""
    fields = ", ".join(f"{label} {text}" for label, text in approval.act.fields)
    words = f"{name} asks: {approval.act.title()}. {fields}. {approval.verdict.reason}."
    return visible_text(words)


def lasting_words(scope_always: str, days: int, now: datetime) -> str:
    """What would run without asking and until when; `now` is local, `days` NO_END or more."""
    what = covered(scope_always)
    if days == NO_END:
        return f"Lets this run without asking: {what}, until you remove it in Approvals."
    return f"Lets this run without asking: {what}, until {day_words(now + timedelta(days=days))}."


def allow_words(days: int) -> str:
    """The button's act: "Allow for 7 days"."""
    return f"Allow {LASTS[days]}"


def day_words(day: datetime) -> str:
    """ "3 Jan 2027"."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
