"""Telling random characters from words, and real values from stand-ins."""

from __future__ import annotations

import math
import re
from collections import Counter

ENTROPY_LIMIT_BITS = 4.2
"""Shannon entropy for each character above which a value counts as random."""

_REFERENCE = re.compile(
    r"\$|<|\{|%\(|%[sdr]\b|\[|process\.env|os\.environ|env\.|secrets\.|vars?\.", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Za-z]+")
_STAND_IN_WORD_LIST = """
    a abc access admin an api auth base change changed client code config data database db
    default demo dummy empty enter env example fake foo bar hash here id input insert it key
    login me mock my name new none not null of old or pass passphrase passwd password
    placeholder plain private pwd real redacted replace required root sample secret secure set
    shared some something strong super test text the this to todo token user username value
    very with x xx xxx xxxx xxxxx xxxxxx xxxxxxxx your yours
"""
_STAND_IN_WORDS = frozenset(_STAND_IN_WORD_LIST.split())
_TELLING_WORD_LIST = """
    your yours password passwd passphrase pass pwd token example placeholder change enter
    insert replace here todo redacted env value xxx xxxx xxxxx xxxxxx xxxxxxxx
"""
_TELLING_WORDS = frozenset(_TELLING_WORD_LIST.split())
"""At least one of them; "secret" and "admin" alone are passwords that people use."""


def entropy_bits(text: str) -> float:
    """Shannon entropy in bits for each character; 0.0 for an empty text."""
    length = len(text)
    if not length:
        return 0.0
    return -sum(n / length * math.log2(n / length) for n in Counter(text).values())


def looks_random(text: str, limit_bits: float = ENTROPY_LIMIT_BITS) -> bool:
    """Whether the text has more than `limit_bits` of entropy for each character."""
    return entropy_bits(text) > limit_bits


def placeholder(value: str) -> bool:
    """Whether a value only stands for a secret: `${TOKEN}`, `****`, `your-password-here`."""
    if _REFERENCE.match(value):
        return True
    if len(set(value)) == 1 and len(value) > 1 and not value.isalnum():
        return True
    words = _split_words(value)
    return not _TELLING_WORDS.isdisjoint(words) and all(word in _STAND_IN_WORDS for word in words)


def _split_words(value: str) -> list[str]:
    """The words of a value made of letters and separators alone; empty when it has more."""
    if not all(character.isalpha() or character in "-_ ." for character in value):
        return []
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value)
    parts = [part.lower() for part in _WORDS.findall(spaced)]
    words: list[str] = []
    for part in parts:
        words.extend(_split_run(part))
    return words


def _split_run(part: str) -> list[str]:
    """ "mypassword" is two words as well."""
    if part in _STAND_IN_WORDS:
        return [part]
    for cut in range(2, len(part) - 1):
        if part[:cut] in _STAND_IN_WORDS and part[cut:] in _STAND_IN_WORDS:
            return [part[:cut], part[cut:]]
    return [part]
