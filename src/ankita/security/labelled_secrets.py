"""Values that are secret because of the name in front of them.

Under a password's name any value counts; under the name of a token or key it must be
long and look random. The same rule serves text (`token = ...`) and object keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from ankita.security.entropy import looks_random, placeholder
from ankita.security.secret_shapes import Hit

MIN_TOKEN_CHARACTERS = 12
REST_CHARACTERS_JUDGED = 80
MIN_TURNS = 5
"""Changes between letters and digits that make a mentioned value a key."""
MENTIONED_ENTROPY_BITS = 3.0
PASSWORD_KIND = "generic_password"
TOKEN_KIND = "generic_token"

_PASSWORD_NAME = r"password|passwd|pwd"
_TOKEN_NAME = (
    r"secret|token|credentials?|passphrase|api[_ -]?key|apikey"
    r"|(?:access|secret|private|auth|account|encryption|signing|master|license|storage|shared"
    r"|service|client|app|consumer|session|webhook|deploy)[_ -]?key"
    r"|(?:client|app|consumer|shared)[_ -]?secret"
)
# The name may be quoted, escaped, an index or a call's first argument: "api_key", \"token\",
# env['SECRET'], getenv("API_TOKEN", "...").
_LABEL = re.compile(
    rf"(?:(?P<password>{_PASSWORD_NAME})|(?:{_TOKEN_NAME}))"
    r"(?![a-z0-9_-])(?P<close>\\{0,3}[\"'`\]]{0,2})\s{0,4}(?:(?P<sign>=>|:=|={1,3}|:)|,(?=\s?[\"']))"
    r"\s{0,8}"
)
_NAME_WORDS = (
    *("key", "token", "secret", "password", "passwd", "pwd"),
    *("passphrase", "credential", "private", "access", "auth"),
)
"""Without one of them no name can match; this makes an ordinary line cheap."""
# "acme TOKEN 3f9a...": no sign between the name and a value that can be nothing else.
_MENTION = re.compile(
    r"(?:secret|token|private|access|auth|credential|"
    r"(?<![a-z])(?!(?:public|primary|foreign|cache|sort|index|row|object|group|hash|host)[_ -]?key)"
    r"[a-z]{2,24}[_ -]?key)[\"'`]?(?:\s?(?:=>|:=|[:=])\s?|[ _-])[\"'`]?"
    r"([a-z0-9][a-z0-9_/.@-]{19,}+={0,2})"
)
_QUOTED = {quote: re.compile(rf"((?:[^{quote}\\\n]|\\[^\n])+){quote}") for quote in "\"'`"}
_ESCAPED = re.compile(r"((?:[^\"'\\\n]|\\\\[^\"'\n])+)\\{1,3}[\"']")
_OPENING = re.compile(r"\\{0,3}([\"'`])")
_BARE_CLASS = r"[^\s\"'`,;&<>()\[\]{}|\\]"
_BARE = re.compile(rf"{_BARE_CLASS}{{1,256}}+")
_BARE_WHOLE = re.compile(rf"{_BARE_CLASS}++")
_ENTROPY_FREE = re.compile(r"[0-9a-fA-F]{32,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KEY_END = re.compile(rf"(?i)(?:(?P<password>{_PASSWORD_NAME})|(?:{_TOKEN_NAME}))$")
_NOT_SECRETS = ("data:image/", "https://", "http://", "/", "~/", "./", "../")
"""Pictures are exempt, addresses have a shape of their own, PWD also names a folder."""
_CODE_NAME = re.compile(r"[A-Za-z_][A-Za-z_]*(?:(?:\.|->|::)[A-Za-z_]+)*")
_TYPE_WORD_LIST = """
    str string text bool boolean int integer number none null nil undefined true false
    optional required any object bytes varchar char field type input getpass prompt self this
    yes no missing invalid incorrect wrong hidden protected encrypted hashed
"""
_TYPE_WORDS = frozenset(_TYPE_WORD_LIST.split())


def find_labelled(text: str) -> Iterator[Hit]:
    """Every labelled value in `text`."""
    lowered = _lower(text)
    if not any(word in lowered for word in _NAME_WORDS):
        return
    for mention in _MENTION.finditer(lowered):
        if _is_mixed(text[mention.start(1) : mention.end(1)]):
            yield Hit(*mention.span(1), TOKEN_KIND)
    done = 0
    for label in _LABEL.finditer(lowered):
        if label.start() < done or (label["password"] and not label["sign"]):
            continue  # inside a value that goes anyway; or scrypt(password, "salt")
        hit = _labelled_value(text, label)
        if hit is not None:
            done = hit.end
            yield hit


@lru_cache(maxsize=1024)
def kind_of_key(key: str) -> str | None:
    """What an object key says about its value, or None when it says nothing."""
    match = _KEY_END.search(re.sub(r"[\s\]\)\"']+$", "", key[-64:]))
    if match is None:
        return None
    return PASSWORD_KIND if match["password"] else TOKEN_KIND


def is_secret_value(value: str, kind: str) -> bool:
    """Whether a value, under a name of that kind, is a secret rather than a stand-in."""
    if not value.strip() or placeholder(value) or value.startswith(_NOT_SECRETS):
        return False
    if kind == PASSWORD_KIND:
        return value.lower() not in _TYPE_WORDS
    if len(value) < MIN_TOKEN_CHARACTERS or " " in value:
        return False
    return looks_random(value) or _is_identifier_key(value)


def _lower(text: str) -> str:
    """Lower case with every character at its old place; "\u0130" would become two."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _is_identifier_key(value: str) -> bool:
    """Hexadecimal keys and UUIDs never reach the entropy limit (16 digits: 4 bits)."""
    return bool(_ENTROPY_FREE.fullmatch(value)) and len(set(value)) > 5


def _labelled_value(text: str, label: re.Match[str]) -> Hit | None:
    kind = PASSWORD_KIND if label["password"] else TOKEN_KIND
    start = label.end()
    opening = _OPENING.match(text, start)
    if opening is not None:
        start = opening.end()
        pattern = _ESCAPED if start - opening.start() > 1 else _QUOTED[opening[1]]
        quoted = pattern.match(text, start)
        if quoted is not None:
            return Hit(*quoted.span(1), kind) if is_secret_value(quoted[1], kind) else None
    # No quotes, or the closing one was cut off. The start decides, so that a chain of
    # names costs no more than its length; what is accepted goes to its end.
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    rest = text[bare.end() : bare.end() + REST_CHARACTERS_JUDGED]
    if not _is_bare_secret(label[0], bare[0], kind, rest):
        return None
    whole = _BARE_WHOLE.match(text, start)
    return Hit(start, whole.end() if whole else bare.end(), kind)


def _is_bare_secret(label: str, value: str, kind: str, rest: str) -> bool:
    """Without quotes a value may as well be code or prose."""
    value = value.rstrip(".,:!?")
    if rest[:1] in ("(", "[") or not is_secret_value(value, kind):
        return False
    if not _CODE_NAME.fullmatch(value):
        return True
    if kind == TOKEN_KIND or (" =" in label and ("." in value or "_" in value)):
        return "." not in value and "_" not in value
    # Letters alone: a password only when nothing else follows on the line.
    rest = rest.split("\n", 1)[0].strip()
    return not rest or rest.startswith("&")


def _is_mixed(value: str) -> bool:
    """Letters and digits in turn, as in a key and hardly ever in words."""
    if not value.isascii() or any(sign in value for sign in "/.@"):
        return False  # a path, a host or an address
    kinds = [character.isdigit() for character in value if character.isalnum()]
    turns = sum(left != right for left, right in pairwise(kinds))
    return turns >= MIN_TURNS and looks_random(value, MENTIONED_ENTROPY_BITS)
