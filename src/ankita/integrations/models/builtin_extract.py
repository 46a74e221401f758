"""Extracts: the words of a text itself, found by the words that were asked for.

Nothing here sums up or concludes. Every answer is labelled an extract and quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ankita.integrations.models.builtin_markdown import code, fenced, plain
from ankita.integrations.models.builtin_thread import Source

HEAD_LINES = 12
HEAD_LENGTH = 1_200
"""Characters of the first lines."""
MAX_PASSAGES = 6
PASSAGE_LENGTH = 600
PAGE_LENGTH = 6_000
MAX_SOURCES = 4
MAX_TERMS = 8

EXTRACT_LINE = (
    "I am not a language model, so this is an extract: words of the text itself, not a summary."
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PAGE_MARK = re.compile(r"\[page (\d+)\]")
_FILLERS = _words(
    "a an the of any my our your its their is are was were be to in on at for by with from it this "
    "that about there some"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph and the page it stands on, None where the text has no page marks."""

    page: int | None
    text: str


def head(sources: Sequence[Source]) -> str:
    """The first lines of each text."""
    parts = [EXTRACT_LINE]
    for source in sources[:MAX_SOURCES]:
        lines = [line for line in source.body.splitlines() if line.strip()]
        shown = "\n".join(lines[:HEAD_LINES])
        cut = len(lines) > HEAD_LINES or len(shown) > HEAD_LENGTH
        title = "first lines" if cut else "whole text"
        body = fenced(shown[:HEAD_LENGTH]) if shown.strip() else "There is no text in it."
        parts.append(f"{_title(source)}, {title}:\n\n{body}")
    return _joined(parts, sources)


def about(sources: Sequence[Source], words: str, *, exact: bool = False) -> str:
    """The passages that hold `words`; `exact` takes them as one phrase."""
    terms = [words.strip()] if exact else _terms(words)
    parts = [EXTRACT_LINE]
    for source in sources[:MAX_SOURCES]:
        parts.append(_about_one(source, [term for term in terms if term]))
    return _joined(parts, sources)


def page(sources: Sequence[Source], number: int) -> str:
    """The text of one page, by the page marks in the text."""
    parts = [EXTRACT_LINE]
    for source in sources[:MAX_SOURCES]:
        texts = [part.text for part in _passages(source.body) if part.page == number]
        if texts:
            body = fenced("\n\n".join(texts), PAGE_LENGTH)
            parts.append(f"{_title(source)}, page {number}:\n\n{body}")
        else:
            parts.append(f"{_title(source)} has no text that is marked as page {number}.")
    return _joined(parts, sources)


def _about_one(source: Source, terms: Sequence[str]) -> str:
    patterns = [_pattern(term) for term in terms]
    asked = ", ".join(code(term) for term in terms) or "nothing"
    scored = [
        (sum(1 for pattern in patterns if pattern.search(passage.text)), passage)
        for passage in _passages(source.body)
    ]
    best = max((score for score, _ in scored), default=0)
    if not best:
        return f"{_title(source)} does not hold {asked} in the text that I was given."
    hits = [passage for score, passage in scored if score == best]
    some = "" if best == len(patterns) else f" No passage holds all of them, these hold {best}."
    more = len(hits) - MAX_PASSAGES
    left_out = f"\n\nNot shown: {more} more." if more > 0 else ""
    shown = [_shown(passage, patterns) for passage in hits[:MAX_PASSAGES]]
    return f"{_title(source)}, passages with {asked}:{some}\n\n" + "\n\n".join(shown) + left_out


def _shown(passage: Passage, patterns: Sequence[re.Pattern[str]]) -> str:
    text = passage.text
    if len(text) > PASSAGE_LENGTH:
        first = min(hit.start() for hit in (one.search(text) for one in patterns) if hit)
        start = max(0, first - PASSAGE_LENGTH // 3)
        end = start + PASSAGE_LENGTH
        text = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    label = f"Page {passage.page}:\n\n" if passage.page is not None else ""
    return label + fenced(text)


def _passages(body: str) -> Iterator[Passage]:
    """Paragraphs in order; an empty line or a page mark ends one."""
    page_number: int | None = None
    lines: list[str] = []
    for line in [*body.splitlines(), ""]:
        mark = _PAGE_MARK.fullmatch(line.strip())
        if line.strip() and not mark:
            lines.append(line)
            continue
        if lines:
            yield Passage(page_number, "\n".join(lines))
            lines = []
        if mark:
            page_number = int(mark.group(1)[:9])


def _terms(words: str) -> list[str]:
    found = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", words)
    meant = [word for word in found if word.casefold() not in _FILLERS]
    return list(dict.fromkeys(meant or found))[:MAX_TERMS]


def _pattern(term: str) -> re.Pattern[str]:
    words = term.split() or [term]
    last = words[-1]
    if len(last) > 3 and last.isascii() and last.endswith("s") and not last.endswith("ss"):
        words[-1] = last[:-1]
    body = r"\s+".join(re.escape(word) for word in words)
    # Scripts that do not put spaces between words have no word start to look for.
    start = r"(?<!\w)" if words[0][:1].isascii() else ""
    return re.compile(start + body, re.IGNORECASE)


def _title(source: Source) -> str:
    details = f" ({plain(', '.join(source.details))})" if source.details else ""
    return f"{code(source.name)}{details}"


def _joined(parts: list[str], sources: Sequence[Source]) -> str:
    notes = [plain(note, 300) for source in sources[:MAX_SOURCES] for note in source.notes]
    if len(sources) > MAX_SOURCES:
        notes.append(f"{len(sources) - MAX_SOURCES} more attachments were not looked at.")
    return "\n\n".join([*parts, *(f"Note: {note}" for note in notes)])
