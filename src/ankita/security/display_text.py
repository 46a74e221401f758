"""Makes foreign text safe to read in a card: nothing hidden, reordered or pushed away.

The result is plain text for a plain-text widget; markup in it is left as characters.
"""

from __future__ import annotations

import re
import unicodedata

MAX_SPACES = 20
"""A longer run of spaces is shown as its length."""
MAX_EMPTY_LINES = 2
MAX_MARKS = 4
"""More combining marks than this on one letter would draw over the neighbouring lines."""
MIN_LIMIT = 32
TAB = "    "

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters, marks and symbols that draw nothing although their category says otherwise.
_BLANK_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFFC, 0xFFFC),
    (0x1D159, 0x1D159),
    (0xE0000, 0xE0FFF),
)
_EMOJI_LOOK = frozenset("\ufe0e\ufe0f")
_SPACES = re.compile(f" {{{MAX_SPACES + 1},}}")
_EMPTY_LINES = re.compile(rf"\n(?: *\n){{{MAX_EMPTY_LINES + 1},}}")
# Possessive and only at the start of a word, so that long words cost linear time.
_HOST = re.compile(r"(?<![\w-])[\w-]++(?:[.\u3002\uff0e\uff61][\w-]++)+")
_DOTS = re.compile("[.\u3002\uff0e\uff61]")
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KATAKANA-HIRAGANA"})
_LATIN_TWINS = frozenset("аеорсухіјѕԁһԛԝӏνορυιαօսհ")
"""Letters of other scripts which look like a Latin one: a label of these alone is a disguise."""


def visible(text: str, limit: int | None = None) -> str:
    """The text with everything invisible spelled out. Keeps line breaks. Idempotent.

    Control, direction, zero-width, tag and blank characters become `⟨U+202E⟩`; long
    runs of spaces and of empty lines become their length; foreign look-alike letters
    in a host name are spelled out. With `limit` (at least 32 characters) the result
    is cut to it and says how much is missing.
    """
    if limit is not None and limit < MIN_LIMIT:
        raise ValueError(f"A limit is at least {MIN_LIMIT}.")
    shown = text.replace("\r\n", "\n")
    if not _is_simple(shown):
        shown = _spell_out(shown)
        shown = _HOST.sub(_spell_host, shown)
    shown = _SPACES.sub(lambda run: f"⟨{len(run.group())} spaces⟩", shown)
    shown = _EMPTY_LINES.sub(_count_lines, shown)
    return shown if limit is None else _cut(shown, limit)


def one_line(text: str, limit: int | None = None) -> str:
    """`visible`, with line breaks shown as a sign."""
    return visible(visible(text).replace("\n", " ⏎ "), limit)


def _is_simple(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").isprintable()


def _spell_out(text: str) -> str:
    out: list[str] = []
    marks = 0
    previous = ""
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if char == "\n":
            out.append(char)
        elif char == "\t":
            out.append(TAB)
        elif char in _EMOJI_LOOK and previous and unicodedata.category(previous) == "So":
            # Only chooses the look of the sign before it; nothing can hide in one.
            continue
        elif category in _HIDDEN_CATEGORIES or _is_blank(char) or marks > MAX_MARKS:
            out.append(f"⟨U+{ord(char):04X}⟩")
        elif category == "Zs":
            out.append(" ")
        else:
            out.append(char)
        previous = char
    return "".join(out)


def _is_blank(char: str) -> bool:
    code = ord(char)
    return any(low <= code <= high for low, high in _BLANK_RANGES)


def _count_lines(run: re.Match[str]) -> str:
    return f"\n⟨{run.group().count(chr(10)) - 1} empty lines⟩\n"


def _spell_host(match: re.Match[str]) -> str:
    host = match.group()
    if host.isascii():
        return host
    return "".join(
        part if _DOTS.fullmatch(part) else _spell_label(part)
        for part in re.split("([.\u3002\uff0e\uff61])", host)
    )


def _spell_label(label: str) -> str:
    letters = [char for char in label if char.isalpha()]
    scripts = {_script(char) for char in letters}
    foreign = scripts - {"LATIN"} - _EAST_ASIAN
    is_mixed = bool(foreign) and len(scripts) > 1
    is_disguised = bool(foreign) and all(char.lower() in _LATIN_TWINS for char in letters)
    if not (is_mixed or is_disguised):
        return label
    return "".join(
        f"⟨U+{ord(char):04X}⟩" if char.isalpha() and _script(char) != "LATIN" else char
        for char in label
    )


def _script(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split(" ", 1)[0]


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    # The sentence about what is missing is itself counted, so its length is found first.
    room = limit - len(f"⟨{len(text)} more characters⟩")
    kept = text[:room]
    return f"{kept}⟨{len(text) - room} more characters⟩"
