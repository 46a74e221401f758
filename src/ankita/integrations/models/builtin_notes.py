"""Orders to keep a note: the one kind whose slot is free text to the end of the line."""

from __future__ import annotations

import re

from ankita.integrations.models.builtin_arguments import Order
from ankita.integrations.models.builtin_intents import Chat, Intent, Topic
from ankita.integrations.models.builtin_phrases import quoted, sentence

MAX_NOTE_LENGTH = 1_000

_NOTE_HEAD = re.compile(
    r"(?:please |could you please |can you please |could you |can you )?"
    r"(?:(?P<verb>remember)(?P<that> that|:)? |keep in mind that |note that |note: "
    r"|(?:make|take) a note(?: that|:) )(?P<text>\S.*)",
    re.IGNORECASE,
)
_NO_NOTE = re.compile(
    r"(?:when|how|what|who|whom|whose|why|where|whether|which|if|me|us|him|her|them|it|this|that|"
    r"not|the (?:time|day|night|other)|last)\b|.*\?$|"
    r".*\b(?:never mind|scratch that|actually,? no|no,? (?:don't|wait)|forget it)\b",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(
    r"(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bms)(?<!\bst)(?<!\bprof)(?<!\bno)(?<!\be\.g)[.!?] +\S",
    re.IGNORECASE,
)


def note_in(text: str) -> Intent | None:
    """A note to keep: the one order whose slot is free text to the end of the line."""
    line = text.strip().replace("’", "'")
    if "\n" in line or len(line) > MAX_NOTE_LENGTH:
        return None
    match = _NOTE_HEAD.fullmatch(line)
    if match is None:
        return None
    body, has_that = match.group("text").strip(), bool(match.group("that"))
    if match.group("verb") and not has_that and re.match(r"to\b", body, re.IGNORECASE):
        return Chat(Topic.REMINDER)
    if _NO_NOTE.match(body) or _NEXT_SENTENCE.search(body):
        return None
    return Order("remember_note", {"text": _unquoted(body)})


def _unquoted(body: str) -> str:
    found = sentence(body)
    inside = quoted(found.loose, found) if found else None
    return inside if inside and inside.strip() else body
