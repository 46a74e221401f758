"""What the built-in assistant makes of the newest user message: an act, a question or words.

Pure: the same messages and tools give the same outcome, which is how a pending question
is found again after a restart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ankita.integrations.models import builtin_extract as extract
from ankita.integrations.models import builtin_words as words
from ankita.integrations.models.builtin_arguments import (
    ANY_CASE,
    QUESTION_END,
    Ask,
    Order,
    Outcome,
    Say,
    answer,
    ask_again,
)
from ankita.integrations.models.builtin_intents import (
    Chat,
    Intent,
    LookInto,
    ReadIt,
    SumUp,
    Topic,
)
from ankita.integrations.models.builtin_phrases import command_in, path_in, quoted, sentence
from ankita.integrations.models.builtin_sentences import find_without_place, understand
from ankita.integrations.models.builtin_slash import order, slash
from ankita.integrations.models.builtin_suggestions import suggestions
from ankita.integrations.models.builtin_thread import (
    Situation,
    Source,
    question_before,
    situation_at,
)
from ankita.messages import Message, ToolSpec

MAX_QUESTIONS = 24
"""How far back a chain of questions and answers is followed."""
MAX_ANSWER_LENGTH = 4_000

_NOT_AN_ANSWER = re.compile(
    r"(?:don'?t|do not|never|not|no|nope|stop|wait|actually|how|why|what|who|when|where|which|"
    r"should|can|could|would|is|are|do|does|did|i|if)\b",
    re.IGNORECASE,
)
_PATH_SLOTS = frozenset({"path", "folder"})


def outcome_of(messages: Sequence[Message], index: int, tools: Mapping[str, ToolSpec]) -> Outcome:
    """The outcome of the user message at `index`, as an answer if a question is pending."""
    chain = [index]
    replies: dict[int, str] = {}
    while len(chain) <= MAX_QUESTIONS and (asked := question_before(messages, chain[-1])):
        # Only a question of ours carries this end; anything else ends the chain.
        if not asked[1].rstrip().endswith(QUESTION_END):
            break
        chain.append(asked[0])
        replies[asked[0]] = asked[1]
    pending: Ask | None = None
    for earlier in reversed(chain[1:]):
        outcome = interpret(situation_at(messages, earlier, tools), pending)
        was_asked = isinstance(outcome, Ask) and outcome.text.strip() == replies[earlier].strip()
        pending = outcome if isinstance(outcome, Ask) and was_asked else None
    return interpret(situation_at(messages, index, tools), pending)


def interpret(now: Situation, pending: Ask | None) -> Outcome:
    """The outcome of one message. Any new command leaves a pending question behind."""
    if now.text.startswith("/"):
        return slash(now.text, now.tools)
    intent = understand(now.text)
    if intent is not None:
        return _meant(intent, now)
    if pending is not None and not now.has_attachments:
        answered = _answered(pending, now.text)
        if answered is not None:
            return answered
    if now.has_attachments:
        look = find_without_place(now.text)
        if look is not None or not now.text:
            return _meant(look or ReadIt(), now)
    return Say(words.did_nothing(suggestions(now)))


def _answered(pending: Ask, text: str) -> Outcome | None:
    """The outcome of `text` as an answer; None when it is no answer but a change of mind."""
    found = sentence(text)
    inside = quoted(found.loose, found) if found else None
    if inside is not None:
        return answer(pending, inside)
    if not text or len(text) > MAX_ANSWER_LENGTH:
        return None
    if _NOT_AN_ANSWER.match(text.replace("’", "'")) or text.endswith("?"):
        return None
    if pending.slot in _PATH_SLOTS or pending.slot == "command":
        if found is None:
            return None
        is_path = pending.slot in _PATH_SLOTS
        value = path_in(found.words, found, named=True) if is_path else None
        value = command_in(found.loose, found) if not is_path else value
        if value is None:
            hint = "If you mean exactly that, put it in quotes."
            return Ask(
                pending.tool, pending.arguments, pending.slot, f"{hint} {ask_again(pending)}"
            )
        return answer(pending, value)
    return answer(pending, text)


def _meant(intent: Intent, now: Situation) -> Outcome:
    match intent:
        case Order():
            held = _held(intent, now)
            return held if held is not None else order(intent, now.tools)
        case Chat(topic):
            return Say(_chat(topic, now))
        case ReadIt():
            if now.last_path is None and now.sources:
                return Say(extract.head(now.sources))
            given = {"path": now.last_path} if now.last_path else {}
            return order(Order("read_file", given), now.tools)
        case SumUp():
            if now.sources:
                return Say(f"{words.CANNOT_SUM_UP} {extract.head(now.sources)}")
            return Say(f"{words.CANNOT_SUM_UP} {words.NO_TEXT_YET}")
        case LookInto():
            return _look(intent, now)


def _look(wanted: LookInto, now: Situation) -> Outcome:
    sources = _named(wanted.name, now.sources) if wanted.name else now.sources
    if sources and wanted.page is not None:
        return Say(extract.page(sources, wanted.page))
    if sources:
        return Say(extract.about(sources, wanted.words, exact=wanted.exact))
    path = wanted.name or now.last_path
    if path and wanted.page is None:
        given = {"pattern": wanted.words, "path": path}
        return order(Order("search_files", given, ANY_CASE), now.tools)
    return Say(words.NO_TEXT_YET)


def _held(wanted: Order, now: Situation) -> Outcome | None:
    """The answer from an attachment when the order names it as its file."""
    if now.last_path is not None or wanted.tool not in {"read_file", "search_files"}:
        return None
    sources = _named(wanted.given.get("path", ""), now.sources)
    if not sources:
        return None
    if wanted.tool == "read_file":
        return Say(extract.head(sources))
    return Say(extract.about(sources, wanted.given["pattern"]))


def _named(name: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    wanted = name.casefold()
    return tuple(
        source
        for source in sources
        if wanted and wanted in {source.name.casefold(), source.name.casefold().rpartition(".")[0]}
    )


def _chat(topic: Topic, now: Situation) -> str:
    match topic:
        case Topic.HELP:
            return words.help_text(now.tools)
        case Topic.LAST_ACT:
            return words.last_act(now.last_call)
        case Topic.HELLO:
            return words.HELLO
        case Topic.THANKS:
            return words.THANKS
        case Topic.IDENTITY:
            return words.IDENTITY
        case Topic.NEVER_MIND:
            return words.NEVER_MIND
        case Topic.REMINDER:
            return words.NO_REMINDERS
