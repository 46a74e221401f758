"""What a composer shows after somebody else changed its draft; pure."""

from __future__ import annotations


def taken_in(local: str, before: str, now: str) -> str:
    """The text to show when the stored draft went from `before` to `now`.

    `local` is what stands in the composer. What was typed since stays, and what was
    added to the stored draft (a message that was taken back) is added below it.
    """
    if local == before:
        return now
    if before and not now.startswith(before):
        return local
    added = now[len(before) :].lstrip("\n")
    if not added.strip():
        return local
    return f"{local}\n\n{added}" if local.strip() else added
