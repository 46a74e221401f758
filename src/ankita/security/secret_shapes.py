"""What a secret looks like by itself: the named shapes, in one table.

Every pattern runs in linear time: repetitions are bounded or possessive, and nothing
after them can make them give characters back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ankita.security.entropy import ENTROPY_LIMIT_BITS, looks_random, placeholder
from ankita.security.provider_keys import PROVIDER_KEY

PEM_BODY_LIMIT = 32_768
"""Characters between BEGIN and END; an RSA key of 16,384 bits has 13,000."""

BEARER_ALWAYS_LENGTH = 20
"""A shorter bearer value must look random as well."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A secret in a text: `text[start:end]` is what must go."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret. Group 1 of the pattern, if it has one, is the secret itself.

    `hints` are strings of which at least one occurs in every match, compared in lower
    case; they are what makes an ordinary text cheap. Without hints a long run of key
    characters is the hint. `accepts` has the last word.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = lambda _value: True


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


def _is_bearer_value(value: str) -> bool:
    if len(value) < BEARER_ALWAYS_LENGTH:
        return looks_random(value)
    return _has_digit(value) or looks_random(value)


def _is_provider_key(value: str) -> bool:
    return looks_random(value, PROVIDER_ENTROPY_BITS if _has_digit(value) else ENTROPY_LIMIT_BITS)


def _is_connection_password(value: str) -> bool:
    return not placeholder(value)


PROVIDER_ENTROPY_BITS = 3.0
"""Below it a provider's prefix is followed by words or by a stand-in such as xxxx."""

_LONG_RUN = re.compile(r"[A-Za-z0-9_-]{16}")
_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
# Not possessive round the group: early releases of Python 3.11 then end the match too late.
_PEM_LINES = re.compile(r"(?:(?:\\+[nr]|[\s\"',])*[A-Za-z0-9+/=]{16,})+")

SHAPES: tuple[Shape, ...] = (
    Shape(
        "aws_key",
        ("akia", "asia"),
        re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ),
    Shape(
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"(?:gh[pousr]_[A-Za-z0-9]{16,}+|github_pat_[A-Za-z0-9_]{16,}+)"),
    ),
    Shape("slack_token", ("xox",), re.compile(r"xox[baprs]-[A-Za-z0-9-]{16,}+")),
    Shape(
        "slack_webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_]{20,}+)"),
    ),
    Shape("stripe_key", ("k_live_",), re.compile(r"[sr]k_live_[A-Za-z0-9]{16,}+")),
    Shape(
        "bearer_token",
        ("bearer",),
        re.compile(r"(?i)\bbearer[\s:]{1,8}[\"']?([A-Za-z0-9._~+/=-]{12,}+)"),
        _is_bearer_value,
    ),
    Shape(
        "basic_credentials",
        ("basic ",),
        re.compile(r"(?i)\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic ([A-Za-z0-9+/=]{8,}+)"),
    ),
    Shape(
        "connection_password",
        ("://",),
        # User and password are both bounded, so that "a://a://a://" stays linear.
        re.compile(
            r"(?<=://)[^\s:/?#@\"'<>`\\]{0,128}+:([^\s/\"'<>`\\]{1,256})@(?=[A-Za-z0-9.\[$_{%-])"
        ),
        _is_connection_password,
    ),
    Shape(
        "jwt",
        ("eyj",),
        re.compile(
            r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,4096}+\.eyJ[A-Za-z0-9_-]{8,8192}+"
            r"\.[A-Za-z0-9_-]{8,4096}+"
        ),
    ),
    Shape(
        "api_key",
        (),
        PROVIDER_KEY,
        _is_provider_key,
    ),
    Shape(
        "webhook",
        ("/webhook",),
        re.compile(
            r"(?:discord(?:app)?\.com/api/webhooks/[0-9]{10,24}/|outlook\.office\.com/webhook/"
            r"|\.webhook\.office\.com/webhookb2/)([A-Za-z0-9@_/-]{40,}+)"
        ),
    ),
    Shape(
        "command_password",
        ("-u", "login "),
        re.compile(
            r"(?:\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:"
            r"|\blogin\s\S{1,64}\s{1,8}password\s)([^\s\"']{3,128}+)"
        ),
        _is_connection_password,
    ),
    Shape(
        "password_hash",
        ("$",),
        re.compile(r"\$(?:1|2[abxy]|5|6|y|argon2i?d?)\$[./A-Za-z0-9$=,+]{22,}+"),
    ),
    Shape(
        "azure_secret",
        ("q~",),
        re.compile(r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34}"),
    ),
    Shape(
        "bot_token",
        (":aa",),
        re.compile(r"(?<![A-Za-z0-9])[0-9]{6,12}:AA[A-Za-z0-9_-]{32,40}(?![A-Za-z0-9_-])"),
    ),
)


def find_shapes(text: str) -> Iterator[Hit]:
    """Every named shape in `text`, in no order; hits may overlap."""
    lowered = text.lower()
    for shape in SHAPES:
        if shape.hints:
            if not any(hint in lowered for hint in shape.hints):
                continue
        elif not _LONG_RUN.search(text):
            continue
        for match in shape.pattern.finditer(text):
            start, end = match.span(shape.pattern.groups)
            if shape.accepts(text[start:end]):
                yield Hit(start, end, shape.kind)
    if "-----begin " in lowered:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Hit]:
    """Whole PEM blocks, and the lines of one whose end was cut off."""
    begins = list(_PEM_BEGIN.finditer(text))
    for position, begin in enumerate(begins):
        following = begins[position + 1].start() if position + 1 < len(begins) else len(text)
        limit = min(following, begin.end() + PEM_BODY_LIMIT)
        end = _PEM_END.search(text, begin.end(), limit)
        if end:
            yield Hit(begin.start(), end.end(), "private_key")
            continue
        lines = _PEM_LINES.match(text, begin.end(), limit)
        if lines:
            yield Hit(begin.start(), lines.end(), "private_key")
