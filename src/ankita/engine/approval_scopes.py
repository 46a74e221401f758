"""What the longer answers to a question would cover, in the words of its card and its list."""

from __future__ import annotations

from datetime import datetime, timedelta

from ankita.errors import CommandRefusedError
from ankita.messages import JsonObject, ToolSpec
from ankita.security.acts import describe, is_command
from ankita.security.command_calls import scope_of
from ankita.security.policy import Verdict
from ankita.security.tiers import RiskTier

UNTIL_CLOSED = "until Ankita closes"
UNTIL_REMOVED = "until you remove it in Approvals"
MAX_DAYS = 3650


def scopes(
    spec: ToolSpec, arguments: JsonObject, verdict: Verdict, place: str | None
) -> tuple[str, str]:
    """For this run, and for always; both empty where the act can only be allowed once."""
    if verdict.tier is not RiskTier.ASK_ONCE:
        return "", ""
    covered = describe(spec, arguments).title()
    if is_command(spec) and place is not None:
        covered = scope_of(arguments, place)
    return f"{covered}, {UNTIL_CLOSED}", f"{covered}, {UNTIL_REMOVED}"


def lasting_scope(scope_always: str, ends_at: datetime | None) -> str:
    """The scope of a lasting rule as it is listed; one with an end names the day."""
    if ends_at is None:
        return scope_always
    day = ends_at.astimezone()
    return f"{scope_always.removesuffix(UNTIL_REMOVED)}until {day.day} {day:%B %Y}"


def end_after(days: int | None, now: datetime) -> datetime | None:
    """When a lasting rule ends; None when it lasts."""
    return None if days is None else now + timedelta(days=days)


def check_days(days: int | None) -> None:
    """Raises CommandRefusedError for a number of days that no rule can have."""
    if days is not None and not 1 <= days <= MAX_DAYS:
        raise CommandRefusedError(
            f"A permission can't last {days} days.", advice=f"Choose 1 to {MAX_DAYS} days."
        )
