"""The second line of a thread in the list: when it changed and how it stands. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ankita.engine import ThreadStatus, ThreadSummary

_NOW = timedelta(minutes=1)
_WEEK_DAYS = 7

_STATUS_WORDS = {
    ThreadStatus.IDLE: "",
    ThreadStatus.WORKING: "working",
    ThreadStatus.ASKING: "asking you",
    ThreadStatus.STOPPED: "stopped",
    ThreadStatus.FAILED: "failed",
    ThreadStatus.INTERRUPTED: "interrupted",
}

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def parse_time(text: str) -> datetime | None:
    """An aware time in the zone of this machine, or None."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone()


def when_words(then: datetime | None, now: datetime) -> str:
    """ "now", "14:05", "yesterday", "Fri", "3 May" or "3 May 2024". Both times are local."""
    if then is None:
        return ""
    if abs(now - then) < _NOW:
        return "now"
    days = (now.date() - then.date()).days
    if days == 0:
        return f"{then:%H:%M}"
    if days == 1:
        return "yesterday"
    if 1 < days < _WEEK_DAYS:
        return _DAYS[then.weekday()]
    date = f"{then.day} {_MONTHS[then.month - 1]}"
    return date if then.year == now.year else f"{date} {then.year}"


def thread_line(thread: ThreadSummary, now: datetime) -> str:
    """Such as "now · asking you", "Fri · stopped" or "reading agreement.pdf"."""
    busy = thread.status in (ThreadStatus.WORKING, ThreadStatus.ASKING)
    if thread.status is ThreadStatus.WORKING and thread.detail:
        return thread.detail
    when = "now" if busy else when_words(parse_time(thread.updated_at), now)
    status = _STATUS_WORDS[thread.status]
    draft = "draft" if thread.draft.strip() and not busy else ""
    return " · ".join(part for part in (when, status, draft) if part)


def time_of_day(text: str) -> str:
    """ "11:04" of an ISO time, in local time; the date before it when that is not today."""
    then = parse_time(text)
    if then is None:
        return ""
    today = datetime.now().astimezone().date()
    clock = f"{then:%H:%M}"
    return clock if then.date() == today else f"{then.day} {_MONTHS[then.month - 1]} {clock}"
