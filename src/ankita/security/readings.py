"""What a tool's name and a call's arguments say, read word by word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ankita.messages import Json, JsonObject
from ankita.security import verbs
from ankita.security.canonical import MAX_DEPTH, NotCanonicalError
from ankita.security.tiers import RiskTier

MIN_JOINED_VERB = 5
"""Shorter verbs are not looked for inside a longer word: too many words begin with them."""
MIN_JOINED_REST = 3
MAX_ACTION_CHARACTERS = 80
"""A longer value is content and does not choose an action."""

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_\-./: ]+")
_OBJECT = (
    r"(?:table|database|schema|index|view|user|role|column|function|procedure|trigger|sequence|"
    r"collection|keyspace|type|extension|policy|materialized|temp|temporary|unique|constraint)"
)
_GAP = r"\s{1,9}"
_TERM = r"\S{1,200}"
# Bounded everywhere, so that hostile text costs linear time.
_STATEMENT = re.compile(
    r"(?:^|[;(){}\n]|\*/|\bas\b|\banalyze\b)[ \t\r]*"
    rf"(insert{_GAP}(?:into|or)\b|update{_GAP}{_TERM}(?:{_GAP}{_TERM}){{0,3}}?{_GAP}set\b|"
    rf"delete{_GAP}(?:from\b|\w+\s*$)|(?:drop|alter|create|create{_GAP}or{_GAP}replace){_GAP}"
    rf"{_OBJECT}\b|truncate{_GAP}(?:table\b|\w+\s*;?\s*$)|(?:grant|revoke){_GAP}{_TERM}"
    rf"(?:{_GAP}{_TERM}){{0,5}}?{_GAP}(?:on|to|from)\b|(?:merge|replace){_GAP}into\b|"
    rf"(?:create|merge)\s*\(|detach{_GAP}delete\b|set{_GAP}\w+[.:]|remove{_GAP}\w+[.:]|"
    rf"mutation\b|call{_GAP}[\w.]+\s*\(|copy{_GAP}{_TERM}{_GAP}(?:from|to)\b|"
    rf"attach{_GAP}database\b|vacuum\b|pragma{_GAP}\w+\s*=)",
    re.IGNORECASE,
)
_MAX_STATEMENT_CHARACTERS = 20_000
_STATEMENT_KEYS = frozenset(
    {"sql", "query", "statement", "statements", "queries", "cypher", "graphql", "script", "code"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What words say: the tier they alone would give, the word that gave it, if it is a read.

    `tier` is ALLOW where no changing word was found. `reads` means that the words
    positively say "this only looks". `odd` means characters a tool name has no
    reason to contain, so that nothing may be concluded from it.
    """

    tier: RiskTier
    word: str = ""
    reads: bool = False
    odd: bool = False


NOTHING_SAID = Reading(RiskTier.ALLOW)


def words_of(name: str) -> list[str]:
    """The lower-case words of a name in snake, kebab, camel or spaced spelling."""
    return [match.group().lower() for match in _TOKEN.finditer(_unmasked(name))]


def read_name(name: str, prefixes: frozenset[str] = frozenset(), *, own: bool = False) -> Reading:
    """Read a tool's name. `prefixes` are words to skip in front (the app, the server).

    `own` marks the companion's own tools: they stay inside granted folders, so that
    a word of `OVERWRITING` asks once.
    """
    milder = verbs.OVERWRITING if own else frozenset()
    clean = _unmasked(name)
    odd = clean != name or _PLAIN_NAME.fullmatch(clean) is None
    lowered = clean.lower()
    words = _without_compounds(_drop_prefixes(words_of(name), prefixes))
    reading_at = _reading_position(words)
    thing_from = _things_from(words, reading_at)
    found = NOTHING_SAID
    for index, word in enumerate(words):
        verb = _verb_in(word)
        if verb is None:
            continue
        may_be_thing = word != verb or verb in verbs.NOUNS_TOO
        if may_be_thing and index > thing_from and words[index - 1] not in verbs.CONNECTORS:
            continue
        strong = verb in verbs.ALWAYS_ASK and verb not in milder
        tier = RiskTier.ALWAYS_ASK if strong else RiskTier.ASK_ONCE
        if tier > found.tier:
            found = Reading(tier, verb)
    # The substring rule comes last because it outranks the words in what the card names.
    for verb in verbs.DESTRUCTIVE:
        if verb in lowered:
            return Reading(RiskTier.ALWAYS_ASK, verb, odd=odd)
    reads = found.tier is RiskTier.ALLOW and reading_at is not None and not odd
    return Reading(found.tier, found.word, reads, odd)


def read_arguments(arguments: JsonObject, *, own: bool) -> Reading:
    """Read the arguments that choose what happens. Raises NotCanonicalError when too deep.

    In a foreign tool's arguments, database statements that change something and
    switches such as `send_updates` count too. What the companion's own tools do with
    such arguments is known.
    """
    worst = NOTHING_SAID
    for key, value in _pairs(arguments, 0):
        reading = _read_pair(key, value, own)
        if reading.tier > worst.tier:
            worst = reading
    return worst


def chosen_actions(arguments: JsonObject) -> tuple[tuple[str, str], ...]:
    """The enclosed actions that arguments name, as (key, value) in a stable order.

    Raises NotCanonicalError when the arguments are nested too deeply.
    """
    chosen = {
        (_squashed(key), value.strip().lower())
        for key, value in _pairs(arguments, 0)
        if isinstance(value, str) and _chooses(key, value)
    }
    return tuple(sorted(chosen))


def _unmasked(name: str) -> str:
    """Full-width and other dressed-up letters made plain, invisible ones dropped."""
    return "".join(
        char
        for char in unicodedata.normalize("NFKC", name)
        if unicodedata.category(char) not in {"Cf", "Cc", "Mn", "Me"}
    )


def _drop_prefixes(words: list[str], prefixes: frozenset[str]) -> list[str]:
    start = 0
    while start < len(words) and words[start] in prefixes and words[start] not in verbs.CHANGING:
        start += 1
    return words[start:] or words


def _without_compounds(words: list[str]) -> list[str]:
    kept: list[str] = []
    index = 0
    while index < len(words):
        if tuple(words[index : index + 2]) in verbs.COMPOUND_NOUNS:
            kept.append("item")
            index += 2
        else:
            kept.append(words[index])
            index += 1
    return kept


def _reading_position(words: list[str]) -> int | None:
    """Where the reading verb stands, if it stands where only a verb would."""
    if not words:
        return None
    if words[0] in verbs.READING:
        return 0
    if words[0] in verbs.CHANGING:
        return None
    if len(words) > 2 and words[1] in verbs.READING_SECOND:
        return 1
    is_listing = words[-1] == "list" and words[-2:-1] and words[-2].endswith("s")
    if len(words) > 1 and (words[-1] in verbs.READING_LAST or is_listing):
        return len(words) - 1
    return None


def _things_from(words: list[str], reading_at: int | None) -> int:
    """The place after which a word that can be a thing is one."""
    if reading_at is not None:
        return reading_at
    return 0 if words and words[0] in verbs.NEUTRAL else len(words)


def _verb_in(word: str) -> str | None:
    """The changing verb that a word is, or that it begins with ("cancelorder")."""
    if word in verbs.CHANGING:
        return word
    for end in range(MIN_JOINED_VERB, len(word) - MIN_JOINED_REST + 1):
        verb = word[:end]
        if verb in verbs.CHANGING and word[end:] not in verbs.NOUN_ENDINGS:
            return verb
    return None


def _pairs(value: Json, depth: int, key: str = "") -> Iterator[tuple[str, Json]]:
    if depth > MAX_DEPTH:
        raise NotCanonicalError("The arguments are nested too deeply.")
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _pairs(item, depth + 1, str(name))
        if key:
            yield key, bool(value)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _pairs(item, depth + 1, key)
    else:
        yield key, value


def _squashed(key: str) -> str:
    return "".join(words_of(key))


def _chooses(key: str, value: str) -> bool:
    return _squashed(key) in verbs.ACTION_KEYS and len(value) <= MAX_ACTION_CHARACTERS


def _read_pair(key: str, value: Json, own: bool) -> Reading:
    if isinstance(value, str):
        if _chooses(key, value):
            return read_name(value, own=own)
        if not own and _squashed(key) in _STATEMENT_KEYS:
            statement = _STATEMENT.search(value[:_MAX_STATEMENT_CHARACTERS])
            if statement is not None:
                return Reading(RiskTier.ALWAYS_ASK, statement.group(1).split()[0].lower())
            if len(value) > _MAX_STATEMENT_CHARACTERS:
                return Reading(RiskTier.ALWAYS_ASK, "more than can be read")
    return NOTHING_SAID if own else _read_switch(key, value)


def _read_switch(key: str, value: Json) -> Reading:
    """A key such as `send_updates` or `overwrite` that is switched on."""
    words = words_of(key)
    if not value or not words or words[-1] in verbs.KEY_DESCRIBES:
        return NOTHING_SAID
    if isinstance(value, str) and value.strip().lower() in verbs.NO_VALUES:
        return NOTHING_SAID
    head = words[0]
    if head in verbs.DESTRUCTIVE or head in verbs.ALWAYS_ASK - verbs.NOUNS_TOO:
        return Reading(RiskTier.ALWAYS_ASK, head)
    if head in verbs.ADDING - verbs.NOUNS_TOO:
        return Reading(RiskTier.ASK_ONCE, head)
    return NOTHING_SAID
