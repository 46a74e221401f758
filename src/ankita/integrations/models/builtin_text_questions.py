"""Sentences about a text that is already in the thread: "what does it say about ..."."""

from __future__ import annotations

from ankita.integrations.models.builtin_grammar import IT, Rule, fixed, rule
from ankita.integrations.models.builtin_intents import ReadIt, SumUp
from ankita.integrations.models.builtin_slots import look_into, page_of

TEXT_QUESTIONS: tuple[Rule, ...] = (
    rule(
        rf"(?:read|show|show me|open) page (?P<page>\d{{1,4}})(?: of (?:{IT}|(?P<path>.+)))?",
        page_of,
    ),
    rule(
        r"what(?: is|'s|s) on page (?P<page>\d{1,4})(?: of " + IT + ")?",
        page_of,
        takes_question=True,
    ),
    fixed(
        rf"(?:summari[sz]e|sum up|give me (?:a|the) summary of|tl;?dr)(?: {IT})?|"
        rf"what are the (?:main|key) points(?: of {IT})?|what(?: is|'s) {IT} about",
        SumUp(),
        takes_question=True,
    ),
    fixed(
        rf"(?:read|open|show|show me|display|view|look at) (?:me )?{IT}(?: again| to me)?",
        ReadIt(),
    ),
    fixed(
        rf"what(?: is|'s|s) (?:in )?{IT}|what does {IT} say|what does {IT} contain",
        ReadIt(),
        takes_question=True,
    ),
    rule(
        rf"what does {IT} say (?:about|on|regarding) (?P<words>.+)",
        look_into,
        takes_question=True,
    ),
    rule(
        rf"does {IT} (?:say (?:anything|something) about|mention|contain) (?P<words>.+)",
        look_into,
        takes_question=True,
    ),
    rule(
        rf"(?:where does {IT} (?:mention|say|talk about)|is there (?:anything|something) about) "
        rf"(?P<words>.+?)(?: in {IT})?",
        look_into,
        takes_question=True,
    ),
    rule(
        rf"(?:find|search for|search|look for|look up) (?P<words>.+?) in {IT}",
        look_into,
    ),
    rule(rf"search (?:in )?{IT} for (?P<words>.+)", look_into),
    rule(
        rf"(?:show|show me|quote|find) (?:the )?(?:parts?|passages?|lines?|sections?) "
        rf"(?:about|on|with) (?P<words>.+?)(?: in {IT})?",
        look_into,
    ),
    rule(
        r"what does (?:the )?(?P<word>file )?(?P<path>.+?) say (?:about|on|regarding) "
        r"(?P<words>.+)",
        look_into,
        takes_question=True,
    ),
)
