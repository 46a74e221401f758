"""What to offer when a sentence was not understood. An offer is text; it never acts."""

from __future__ import annotations

import difflib
import re

from ankita.integrations.models.builtin_phrases import sentence
from ankita.integrations.models.builtin_thread import Situation
from ankita.integrations.models.builtin_words import (
    ATTACHMENT_EXAMPLES,
    EXAMPLES,
    MAX_SUGGESTIONS,
)

SIMILAR_ENOUGH = 0.5
MAX_OFFER_LENGTH = 60

_SHORT_FORMS = (
    (r"(?:read|open|show|show me|view|display|summari[sz]e) (.+)", "/read {}", "read_file"),
    (r"(?:list|ls|dir) (.+)", "/ls {}", "list_folder"),
    (r"(?:find|locate) (.+)", "/find {}", "find_files"),
    (r"(?:search for|search|look for|find|grep) (.+)", '/search "{}"', "search_files"),
    (r"(?:run|execute) (.+)", "/run {}", "run_command"),
    (r"(?:remember|note|write down) (.+)", "/remember {}", "remember_note"),
)
_UNWANTED = re.compile(
    r"\b(?:don'?t|do not|never|not|without|if|unless|should|shouldn'?t|what happens)\b|"
    r"^(?:how|why|should|is|are|may|when)\b",
    re.IGNORECASE,
)


def suggestions(now: Situation) -> list[str]:
    """Up to three things to say instead; only such as could work here."""
    if now.has_attachments:
        return list(ATTACHMENT_EXAMPLES)
    line = " ".join(now.text[:400].split()).replace("’", "'")
    # What was refused or only asked about is not held out to be done after all.
    unwanted = bool(_UNWANTED.search(line)) or "\n" in now.text
    offers = [] if unwanted else [*_as_short_form(now), *_like_examples(line, now)]
    return list(dict.fromkeys([*offers, "help"]))[:MAX_SUGGESTIONS]


def _as_short_form(now: Situation) -> list[str]:
    found = sentence(now.text)
    if found is None:
        return []
    offers = []
    for pattern, form, tool in _SHORT_FORMS:
        match = re.fullmatch(pattern, found.words, re.IGNORECASE)
        if match and tool in now.tools:
            rest = re.sub("\ue000(\\d+)\ue001", lambda one: found.pieces[int(one[1])], match[1])
            if len(rest) <= MAX_OFFER_LENGTH:
                offers.append(form.format(rest.replace('"', "'")))
    return offers[:2]


def _like_examples(line: str, now: Situation) -> list[str]:
    usable = [example for tool, example in EXAMPLES if tool in now.tools]
    return difflib.get_close_matches(line.lower()[:100], usable, n=2, cutoff=SIMILAR_ENOUGH)
