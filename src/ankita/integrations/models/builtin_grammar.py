"""What rules of the built-in assistant are made of, and the words that many of them share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ankita.integrations.models.builtin_intents import Chat, Intent, Topic
from ankita.integrations.models.builtin_slots import Build

_KIND = "file|document|attachment|attached file|pdf|text|letter|contract|agreement|report"
IT = rf"(?:it|this|that|(?:this|that|the|my) (?:{_KIND})|the attached (?:{_KIND}))"
ARTICLE = r"(?:the |my |this )?"
FOLDER = r"(?:folder |directory )"
HERE = (
    r"(?:here|(?:this|the|my|the current) (?:folder|directory|workspace)|my files|the files|"
    r"everywhere)"
)
IN_PLACE = (
    rf"(?: (?:in|inside|under) (?:(?P<here>{HERE})|"
    rf"{ARTICLE}(?P<word>folder |directory |file )?(?P<path>.+?)(?P<after> folder| directory)?))"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern for a whole sentence and what it means.

    `takes_question`: it may end in a question mark without "could you". `keeps_end`: a
    "please" at the end belongs to the last slot and is not taken off.
    """

    pattern: re.Pattern[str]
    build: Build
    takes_question: bool = False
    keeps_end: bool = False


def rule(
    pattern: str, build: Build, *, takes_question: bool = False, keeps_end: bool = False
) -> Rule:
    """A rule whose slots `build` checks."""
    return Rule(re.compile(pattern, re.IGNORECASE), build, takes_question, keeps_end)


def chat(pattern: str, topic: Topic) -> Rule:
    """A rule for talk about the assistant itself."""
    return rule(pattern, lambda _g, _s: Chat(topic), takes_question=True, keeps_end=True)


def fixed(pattern: str, intent: Intent, *, takes_question: bool = False) -> Rule:
    """A rule without slots."""
    return rule(pattern, lambda _g, _s: intent, takes_question=takes_question)
