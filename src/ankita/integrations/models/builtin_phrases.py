"""The pieces that sentences are made of: quotes put aside, politeness, paths, commands.

Quoted text is replaced by a token before any pattern looks at the sentence, so words
inside quotes can fill a slot but can never be the order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_SENTENCE_LENGTH = 400
"""Longer texts are letters, not orders."""

TOKEN = "\ue000\\d+\ue001"
"""The pattern of a quoted piece."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MARKS = re.compile("[\ue000\ue001]")
_TOKEN = re.compile("\ue000(\\d+)\ue001")
_QUOTED = re.compile(
    r'"([^"\n]*)"|“([^”\n]*)”|„([^“”\n]*)[“”]|`([^`\n]+)`|«([^»\n]*)»'
    r"|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)‘([^’\n]+)’(?!\w)"
)
_LEFT_OVER_QUOTE = re.compile(r'["`“”„«»]')
_OPENERS = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay)(?: there| [^\W\d_]+)?,\s*"
    r"|(?:please|pls|kindly|ok|okay|now|just|then please)[, ]\s*"
    r"|(?:could|can|would) you (?:please |kindly |maybe |just )?"
    r"|(?:i(?:'d| would) like you to|i want you to|go ahead and) )",
    re.IGNORECASE,
)
_CLOSERS = re.compile(
    r"(?:,? (?:please|pls|for me|now|right now|thanks|thank you)|(?<=[\w\ue001)/\\])[.!]+)$",
    re.IGNORECASE,
)
_POLITE_QUESTION = re.compile(r"(?:could|can|would) you ", re.IGNORECASE)
_EXTENSION = re.compile(r"[^\s.][^\s]*\.\w{0,7}[A-Za-z]\w{0,3}")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_BARE_NAMES = _words(
    "readme license licence changelog makefile dockerfile notes todo authors contributing"
)
_NEGATIONS = _words(
    "not no never nothing don't dont doesn't didn't won't wouldn't shouldn't can't cannot "
    "couldn't mustn't without avoid except instead rather stop cancel"
)
_JOINERS = _words(
    "and then or but if when whenever unless once after before until till while because so "
    "tomorrow today tonight later every daily weekly always also again next"
)
_SMALL_WORDS = _words(
    "a an the my your his her our their it this that these those them me you i we he she they "
    "in on at of to from for with by about into through as is are was were be been do does did "
    "have has had will would should could may might must please what which who how why where "
    "there here all any some everything anything something out up down aloud between"
)
_NOT_IN_PATHS = _NEGATIONS | _JOINERS | _SMALL_WORDS
_PROGRAMS = _words(
    "ls dir pwd echo cat wc uniq grep rg tree du df ps whoami hostname uname python python3 py "
    "pip pip3 uv pipx pytest ruff mypy node npm npx "
    "yarn pnpm git make cmake cargo rustc java javac mvn gradle dotnet docker kubectl mkdir "
    "rmdir rm cp mv chmod chown ln tar zip unzip curl wget ping ssh scp rsync ffmpeg "
    "pandoc sed awk diff sha256sum md5sum powershell pwsh cmd bash sh zsh ipconfig ifconfig "
    "systemctl journalctl apt dnf brew winget ollama"
)
# Words of English are left out ("sort", "date", "code"): "run code review" is no command.
_SCRIPT = re.compile(r"(?:\.{1,2}|~|[A-Za-z]:)?[\\/][\w.\\/-]+|[\w-]+\.(?:sh|py|exe|bat|cmd|ps1)")
_NOT_IN_COMMANDS = _JOINERS | _words(
    "the my your it this that in on to for from please with not don't never me us you"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without politeness.

    `words` has tokens for the quoted pieces; `loose` is the same with the words at its
    end kept, for orders whose last slot is free text. `pieces` are the contents of the
    quotes, `raw` the same with their marks.
    """

    words: str
    loose: str
    pieces: tuple[str, ...]
    raw: tuple[str, ...]
    is_question: bool


def sentence(text: str) -> Sentence | None:
    """The text as one sentence; None when it has several lines, is too long or ill-quoted."""
    text = text.strip()
    if not text or "\n" in text or _MARKS.search(text) or len(text) > MAX_SENTENCE_LENGTH:
        return None
    pieces: list[str] = []
    raw: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        pieces.append(next((group for group in match.groups() if group is not None), ""))
        raw.append(match.group(0))
        return f"\ue000{len(pieces) - 1}\ue001"

    words = " ".join(_QUOTED.sub(put_aside, text).split())
    if _LEFT_OVER_QUOTE.search(words):
        return None
    words = words.replace("’", "'")
    polite = False
    while match := _OPENERS.match(words):
        polite = polite or bool(_POLITE_QUESTION.match(words))
        words = words[match.end() :]
    is_question = words.endswith("?") and not polite
    loose = words.rstrip("?").rstrip() if words.endswith("?") else words
    return Sentence(_without_closers(loose), loose, tuple(pieces), tuple(raw), is_question)


def _without_closers(words: str) -> str:
    while match := _CLOSERS.search(words):
        words = words[: match.start()].rstrip()
    return words


def quoted(chunk: str, found: Sentence) -> str | None:
    """The content of the quotes when `chunk` is one quoted piece and nothing else."""
    match = _TOKEN.fullmatch(chunk.strip())
    return found.pieces[int(match.group(1))] if match else None


def restored(chunk: str, found: Sentence) -> str:
    """`chunk` with the quotes back in their places, marks included."""
    return _TOKEN.sub(lambda match: found.raw[int(match.group(1))], chunk)


def path_in(chunk: str, found: Sentence, *, named: bool = False, wild: bool = False) -> str | None:
    """The path that `chunk` is, or None when it is anything more or less than a path.

    `named`: the sentence said "file" or "folder", so one bare word is enough. `wild`
    allows `*` and `?`, for name patterns.
    """
    inside = quoted(chunk, found)
    if inside is not None:
        return inside.strip() or None
    chunk = chunk.strip()
    body = chunk[2:] if _DRIVE.match(chunk) else chunk
    forbidden = "'\",;:!<>|\ue000" + ("" if wild else "*?")
    if not chunk or chunk.startswith("-") or any(mark in body for mark in forbidden):
        return None
    tokens = chunk.split(" ")
    if len(tokens) > 6 or any(word.lower() in _NOT_IN_PATHS for word in tokens):
        return None
    if any(token.endswith(".") for token in tokens[:-1]):
        return None
    parts = [part.lower() for part in re.split(r"[\\/]", chunk) if part]
    if len(parts) > 1 and all(part in _NOT_IN_PATHS for part in parts):
        return None
    return chunk if _looks_like_path(chunk, len(tokens) == 1, named, wild) else None


def _looks_like_path(chunk: str, is_one_word: bool, named: bool, wild: bool) -> bool:
    if chunk in {".", "..", "~"} or "/" in chunk or "\\" in chunk:
        return True
    if _EXTENSION.fullmatch(chunk.split(" ")[-1]) or (chunk.startswith(".") and is_one_word):
        return True
    if wild and ("*" in chunk or "?" in chunk):
        return is_one_word
    return is_one_word and (named or chunk.lower() in _BARE_NAMES)


def command_in(chunk: str, found: Sentence) -> str | None:
    """The command that `chunk` is: quoted, or plainly a program and its arguments."""
    inside = quoted(chunk, found)
    if inside is not None:
        return inside.strip() or None
    program, _, rest = chunk.strip().partition(" ")
    if program not in _PROGRAMS and not _SCRIPT.fullmatch(program):
        return None
    if any(word.lower().strip(",.;!?") in _NOT_IN_COMMANDS for word in rest.split(" ") if word):
        return None
    if re.search(r"[,.;!?] |[,;!?]$|\w\.$", rest):
        return None
    return restored(chunk.strip(), found)


def words_in(chunk: str, found: Sentence) -> tuple[str, bool] | None:
    """The words to look for, and whether they were quoted as one phrase."""
    inside = quoted(chunk, found)
    if inside is not None:
        return (inside, True) if inside.strip() else None
    chunk = re.sub(r"^(?:the word|the words|the phrase|the|a|an|any|my|our) ", "", chunk.strip())
    tokens = chunk.lower().split(" ")
    if not chunk or len(tokens) > 5 or re.search("[,;:!?'\"\ue000]|\\. ", chunk):
        return None
    if any(token in _NEGATIONS or token in _JOINERS for token in tokens):
        return None
    if tokens[0] in _SMALL_WORDS or tokens[-1] in _SMALL_WORDS:
        return None
    return chunk, False
