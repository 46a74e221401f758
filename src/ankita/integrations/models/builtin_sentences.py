"""Whole sentences that the built-in assistant understands, each anchored at both ends.

A sentence fits a pattern from its first word to its last, and every slot is checked, or
nothing happens. Words that are left over mean that something was not understood.
"""

from __future__ import annotations

import re

from ankita.integrations.models.builtin_arguments import Order
from ankita.integrations.models.builtin_grammar import (
    ARTICLE,
    FOLDER,
    HERE,
    IN_PLACE,
    Rule,
    chat,
    fixed,
    rule,
)
from ankita.integrations.models.builtin_intents import Chat, Intent, LookInto, Topic
from ankita.integrations.models.builtin_notes import note_in
from ankita.integrations.models.builtin_phrases import TOKEN, sentence, words_in
from ankita.integrations.models.builtin_slots import (
    edit_file,
    find_files,
    find_kind,
    job_order,
    list_folder,
    list_or_read,
    read_file,
    run_command,
    search_files,
    write_file,
)
from ankita.integrations.models.builtin_text_questions import TEXT_QUESTIONS


def understand(text: str) -> Intent | None:
    """What the text asks for, or None. Never raises."""
    if _GREETING.fullmatch(text.strip()):
        return Chat(Topic.HELLO)
    if _THANKS.fullmatch(text.strip()):
        return Chat(Topic.THANKS)
    note = note_in(text)
    if note is not None:
        return note
    found = sentence(text)
    if found is None:
        return None
    for one in _RULES:
        if found.is_question and not one.takes_question:
            continue
        match = one.pattern.fullmatch(found.loose if one.keeps_end else found.words)
        if match is None:
            continue
        intent = one.build({k: v for k, v in match.groupdict().items() if v}, found)
        if intent is not None:
            return intent
    return None


_NAME = r"(?:[, ]+[^\W\d_]+)?"
# Matched before politeness is taken off, because a greeting would be taken off as well.
_GREETING = re.compile(
    rf"(?:hello|hi|hey|hallo|good (?:morning|evening|afternoon))(?: there)?{_NAME}[.!]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    rf"(?:many )?(?:thanks|thank you|thx)(?: so much| very much| a lot)?{_NAME}[.!]*", re.IGNORECASE
)
_RULES: tuple[Rule, ...] = (
    chat(
        r"(?:help|help me|what can you do|what can you do for me|what can i (?:say|ask)|commands|"
        r"how (?:do|can) i use (?:you|this|ankita)|what do you understand)[.!]*",
        Topic.HELP,
    ),
    chat(
        r"(?:who|what) are you|what(?: i|')s your name|which model (?:is this|are you|answers)|"
        r"what model (?:is this|are you)|what is answering|"
        r"are you (?:an? )?(?:ai|llm|language model|bot|robot|human|person|real|chatgpt|gpt)",
        Topic.IDENTITY,
    ),
    chat(
        r"what (?:did|have) you (?:just )?(?:do|done)(?: just now)?|what happened|did (?:it|that) "
        r"work|did you (?:really |actually )?do (?:it|that)|is it done|are you done|"
        r"what was the last thing you did",
        Topic.LAST_ACT,
    ),
    chat(r"never ?mind[.!]*|cancel(?: that| it)?[.!]*|forget (?:it|that)[.!]*", Topic.NEVER_MIND),
    fixed(
        r"what do you (?:remember|know about me)|what (?:did|have) i (?:ask|asked|tell|told) you "
        r"to remember|(?:list|show|show me|read)(?: me)? (?:my|your|the|all) notes|list notes",
        Order("list_notes"),
        takes_question=True,
    ),
    fixed(
        r"(?:list|show|show me)(?: all)?(?: the| my)?(?: running| background)? jobs|"
        r"what is running|(?:which|what) jobs are running",
        Order("job_list"),
        takes_question=True,
    ),
    rule(r"(?:stop|end|kill)(?: the)? job (?P<job>[\w-]{1,40})", job_order("job_stop")),
    rule(
        r"(?:show|show me|read) (?:the )?output of (?:the )?job (?P<job>[\w-]{1,40})",
        job_order("job_output"),
    ),
    *TEXT_QUESTIONS,
    fixed(
        rf"(?:list|ls|dir)(?: (?:all )?(?:the |my )?(?:files|folders|everything)"
        rf"(?: in)?)?(?: {HERE})?|(?:show|show me) (?:all )?(?:the |my )?files(?: {HERE})?|"
        rf"(?:show|show me) (?:the )?files in {HERE}",
        Order("list_folder"),
    ),
    fixed(
        rf"what(?: is|'s|s) in {HERE}|(?:what|which) files are (?:there|{HERE}|in {HERE})",
        Order("list_folder"),
        takes_question=True,
    ),
    rule(
        rf"(?:what|which) (?P<files>files) are (?:there )?in {ARTICLE}(?P<path>.+)",
        list_folder,
        takes_question=True,
    ),
    rule(
        r"(?:list|show|show me|display)(?: all)?(?: the| my)? (?:(?P<files>files and folders|files|"
        r"folders)|(?P<contents>contents?)) (?:in|of|inside|from) "
        rf"{ARTICLE}(?P<word>{FOLDER})?(?P<path>.+?)(?P<after> folder| directory)?",
        list_folder,
    ),
    rule(
        rf"(?:list|ls|dir|show|show me|open) {ARTICLE}(?P<word>{FOLDER})(?P<path>.+)",
        list_folder,
    ),
    rule(
        rf"(?:list|show|show me|open) {ARTICLE}(?P<path>.+?)(?P<after> folder| directory)",
        list_folder,
    ),
    rule(r"(?P<word>ls|dir|list) (?P<path>.+)", list_folder),
    rule(
        r"(?:what(?: is|'s|s) (?:in|inside)|(?:what|which) files are (?:there )?in) "
        rf"{ARTICLE}(?:(?P<word>{FOLDER})(?P<path>.+))",
        list_folder,
        takes_question=True,
    ),
    rule(
        r"(?:what(?: is|'s|s) (?:in|inside)|(?:what|which) files are (?:there )?in) "
        rf"{ARTICLE}(?P<path>.+?)(?P<after> folder| directory)",
        list_folder,
        takes_question=True,
    ),
    rule(
        r"(?:what(?: is|'s|s) (?:in|inside)|(?:what|which) files are (?:there )?in) "
        rf"{ARTICLE}(?:file )?(?P<path>.+)",
        list_or_read,
        takes_question=True,
    ),
    rule(
        rf"find (?:me )?(?:all )?(?:the |my )?(?P<kind>pdf|docx?|xlsx?|pptx?|txt|md|csv|json|html?|"
        rf"py|js|ts|jpe?g|png|mp3|mp4|zip|log|ya?ml|toml) files?{IN_PLACE}?",
        find_kind,
    ),
    rule(
        r"(?:find|locate|look for|search for) (?:me )?(?:all )?(?:the |a |any |my )?files? "
        rf"(?P<named>named|called|matching|like) (?P<pattern>.+?){IN_PLACE}?",
        find_files,
    ),
    rule(
        r"(?:find|locate|look for|search for) (?:me )?(?:all )?(?:the )?(?P<file>files? )?"
        rf"(?P<pattern>.+?){IN_PLACE}?",
        find_files,
    ),
    rule(
        r"where is (?:the |my )?(?P<file>file )?(?P<pattern>.+)",
        find_files,
        takes_question=True,
    ),
    rule(
        rf"(?:search for|search|look for|find|grep) "
        rf"(?:the (?:words?|phrase|text) )?(?P<words>{TOKEN}|.+?){IN_PLACE}?",
        search_files,
    ),
    rule(
        rf"search (?:in )?(?:(?P<here>{HERE})|{ARTICLE}(?P<word>folder |directory |file )?"
        r"(?P<path>.+?)(?P<after> folder| directory)?) for (?P<words>.+)",
        search_files,
    ),
    rule(
        r"(?:read|open|show|show me|display|view|cat)(?: me)? (?:the contents? of )?"
        rf"{ARTICLE}(?P<word>(?:file|document|attachment|pdf) )?(?P<path>.+?)(?: to me)?",
        read_file,
    ),
    rule(
        rf"(?:run|execute)(?: the)?(?: shell)?(?: command)?:? (?P<command>{TOKEN})"
        rf"(?: in (?!the background$){ARTICLE}{FOLDER}?(?P<folder>.+?))?"
        r"(?P<background> in the background)?",
        run_command,
    ),
    rule(
        r"(?:run|execute)(?: the)?(?: shell)?(?: command)?:? (?P<command>.+)",
        run_command,
        keeps_end=True,
    ),
    rule(
        rf"(?:write|save|put) (?:the text )?(?P<content>{TOKEN}) (?:to|into|in|as) "
        r"(?:the |a )?(?:new )?(?:file )?(?:named |called )?(?P<path>.+)",
        write_file,
    ),
    rule(
        r"(?:create|make|write) (?:a |the )?(?:new )?file (?:named |called )?(?P<path>.+?) "
        rf"(?:with|containing)(?: the)?(?: text| content| contents)? (?P<content>{TOKEN})",
        write_file,
    ),
    rule(
        rf"(?:replace|change) (?P<old>{TOKEN}) (?:with|by|to) (?P<new>{TOKEN}) in "
        r"(?:the )?(?:file )?(?P<path>.+)",
        edit_file,
    ),
)


def find_without_place(text: str) -> LookInto | None:
    """ "find rent": a look into the message's own attachment, when it has one."""
    found = sentence(text)
    match = found and re.fullmatch(
        r"(?:find|search for|look for|what about|anything about) (?P<words>.+)",
        found.words,
        re.IGNORECASE,
    )
    words = words_in(match.group("words"), found) if match and found else None
    return LookInto(words[0], words[1]) if words else None
