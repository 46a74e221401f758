"""Finds secrets in text and values, and makes copies without them.

Pure: no network, no model, no files, and the input is never changed. Time grows
linearly with the text.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any
from urllib.parse import unquote

from ankita.security.labelled_secrets import (
    PASSWORD_KIND,
    find_labelled,
    is_secret_value,
    kind_of_key,
)
from ankita.security.secret_shapes import Hit, find_shapes

MAX_ENCODED_CHARACTERS = 16_384
MAX_ENCODING_DEPTH = 2
MAX_VALUE_DEPTH = 64
MIN_KNOWN_CHARACTERS = 6
MAX_PASSES = 8

REMEMBERED_TEXTS, REMEMBERED_CHARACTERS = 4_096, 2_000
"""Texts without a secret that are remembered, and how long such a text may be."""

ENCODED_KIND = "encoded_secret"
KNOWN_KIND = "known_secret"
TOO_DEEP = "[REDACTED:too_deep]"

_MARKER = re.compile(r"\[(?:REDACTED:[a-z_]{1,40}|STORED:keychain:[a-z0-9._-]{1,96})\]")
_IMAGE = re.compile(r"data:image/[^\s\"'<>()\[\]{}]*+")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}+={0,2}")
_PERCENT_RUN = re.compile(r"[A-Za-z0-9%._~+=*!-]{16,}+")
_URL_SAFE = str.maketrans("-_", "+/")


class Scrubber:
    """`known_values` gives secrets that must go wherever they occur, whatever they look like."""

    def __init__(self, known_values: Callable[[], Iterable[str]] = tuple) -> None:
        self._known_values = known_values
        self._clean: tuple[tuple[str, ...], set[str]] = ((), set())

    def detect(self, text: str) -> tuple[Hit, ...]:
        """Every secret, in order, without overlap; markers are never part of one."""
        return tuple(self._detect(text, self._known(), 0))

    def redact(self, text: str) -> str:
        """A copy in which each secret is `[REDACTED:type]`; redacting it again changes nothing."""
        known = self._known()
        clean = self._clean_texts(known)
        if text in clean:
            return text
        for passes in range(MAX_PASSES):
            hits = self._detect(text, known, 0)
            if not hits:
                if passes == 0 and len(text) <= REMEMBERED_CHARACTERS:
                    clean.add(text)
                return text
            text = _replace(text, hits)
        return self._without_parts(text, known)

    def contains_secret(self, text: str) -> bool:
        """Whether `redact` would change the text."""
        return bool(self._detect(text, self._known(), 0))

    def secret_values(self, text: str) -> tuple[str, ...]:
        """The secrets themselves, each once, in order; for an encoded one also what is inside."""
        known = self._known()
        return tuple(dict.fromkeys(self._values(text, known, 0)))

    def redact_value(self, value: Any) -> Any:
        """A deep copy of a JSON-like value without secrets, in keys, values and JSON strings.

        Mappings become dicts. Numbers, booleans and None stay; any other object is
        replaced by its text, because nothing is known about what it would print.
        """
        return self._redact_value(value, None, 0)

    def _clean_texts(self, known: tuple[str, ...]) -> set[str]:
        """Texts judged to be clean with these known values: most are written again and again.

        Called from any thread: what another thread judged by other values is never mixed in.
        """
        judged_by, texts = self._clean
        if judged_by != known or len(texts) >= REMEMBERED_TEXTS:
            texts = set()
            self._clean = (known, texts)
        return texts

    def _known(self) -> tuple[str, ...]:
        given = tuple(self._known_values())
        if not given:
            return ()
        values = {value for value in given if len(value) >= MIN_KNOWN_CHARACTERS}
        escaped = {json.dumps(value)[1:-1] for value in values}
        return (*values, *escaped - values)

    def _detect(self, text: str, known: tuple[str, ...], depth: int) -> list[Hit]:
        found: list[Hit] = []
        for start, end in _between_markers(text):
            part = text if (start, end) == (0, len(text)) else text[start:end]
            hits = _merge(self._candidates(part, known, depth))
            found.extend(Hit(hit.start + start, hit.end + start, hit.kind) for hit in hits)
        return found

    def _without_parts(self, text: str, known: tuple[str, ...]) -> str:
        """The end of a text made so that each pass uncovers a further hit.

        Parts between markers are judged alone, so dropping those with a hit ends it.
        """
        parts = []
        for start, end in _between_markers(text):
            hits = self._detect(text[start:end], known, 0)
            parts += [Hit(start, end, hits[0].kind)] if hits else []
        return _replace(text, parts)

    def _candidates(self, text: str, known: tuple[str, ...], depth: int) -> Iterator[Hit]:
        for value in known:
            for start in _occurrences(text, value):
                yield Hit(start, start + len(value), KNOWN_KIND)
        yield from find_shapes(text)
        yield from find_labelled(text)
        if depth < MAX_ENCODING_DEPTH:
            for start, end, decoded in _decodable(text):
                if self._detect(decoded, known, depth + 1):
                    yield Hit(start, end, ENCODED_KIND)

    def _values(self, text: str, known: tuple[str, ...], depth: int) -> Iterator[str]:
        hits = self._detect(text, known, depth)
        for hit in hits:
            yield text[hit.start : hit.end]
        if depth < MAX_ENCODING_DEPTH and any(hit.kind == ENCODED_KIND for hit in hits):
            for _start, _end, decoded in _decodable(text):
                yield from self._values(decoded, known, depth + 1)

    def _redact_value(self, value: Any, kind: str | None, depth: int) -> Any:
        """`kind` is what the key above says about the value."""
        if depth > MAX_VALUE_DEPTH:
            return TOO_DEEP
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return _marker(PASSWORD_KIND) if kind == PASSWORD_KIND else value
        if isinstance(value, Mapping):
            return self._redact_mapping(value, kind, depth)
        if isinstance(value, (list, tuple, AbstractSet)):
            copies = [self._redact_value(item, kind, depth + 1) for item in value]
            return tuple(copies) if isinstance(value, tuple) else copies
        return self._redact_text(value if isinstance(value, str) else str(value), kind, depth)

    def _redact_mapping(self, value: Mapping[Any, Any], kind: str | None, depth: int) -> Any:
        copy: dict[Any, Any] = {}
        for key, item in value.items():
            name, item_kind = key, kind
            if isinstance(key, str):
                name = self.redact(key)
                # Judged by what stays of the key, so that a second pass judges the same.
                item_kind = kind_of_key(_MARKER.sub("", name) if "[" in name else name) or kind
            number = 2
            while name in copy:  # two secret keys give the same marker
                name = f"{name} {number}"
                number += 1
            copy[name] = self._redact_value(item, item_kind, depth + 1)
        return copy

    def _redact_text(self, text: str, kind: str | None, depth: int) -> str:
        if kind is not None and not _MARKER.search(text) and is_secret_value(text, kind):
            return _marker(kind)
        parsed = _json_container(text)
        if parsed is not None:
            cleaned = self._redact_value(parsed, kind, depth + 1)
            if cleaned != parsed:
                text = json.dumps(cleaned, ensure_ascii=False)
        return self.redact(text)


def _marker(kind: str) -> str:
    return f"[REDACTED:{kind}]"


def _replace(text: str, hits: Iterable[Hit]) -> str:
    parts: list[str] = []
    position = 0
    for hit in hits:
        parts += (text[position : hit.start], _marker(hit.kind))
        position = hit.end
    return "".join((*parts, text[position:]))


def _merge(hits: Iterable[Hit]) -> list[Hit]:
    """Overlapping hits become one over the whole range, named after the earliest, longest one."""
    merged: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            if hit.end > last.end:
                merged[-1] = Hit(last.start, hit.end, last.kind)
        else:
            merged.append(hit)
    return merged


def _between_markers(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    if "[REDACTED:" in text or "[STORED:" in text:
        for marker in _MARKER.finditer(text):
            if marker.start() > position:
                yield position, marker.start()
            position = marker.end()
    if position < len(text):
        yield position, len(text)


def _occurrences(text: str, value: str) -> Iterator[int]:
    start = text.find(value)
    while start >= 0:
        yield start
        start = text.find(value, start + len(value))


def _decodable(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs that decode to text: where they are and what they say. Images are left out."""
    images = [match.span() for match in _IMAGE.finditer(text)] if "data:image/" in text else []
    for pattern, decode in ((_BASE64_RUN, _from_base64), (_PERCENT_RUN, _from_percent)):
        if pattern is _PERCENT_RUN and "%" not in text:
            continue
        exempt = iter(images)
        image = next(exempt, None)
        for run in pattern.finditer(text):
            while image and image[1] <= run.start():
                image = next(exempt, None)
            if image and image[0] <= run.start():
                continue
            decoded = decode(run[0][:MAX_ENCODED_CHARACTERS])
            if decoded is not None:
                yield run.start(), run.end(), decoded


def _from_base64(run: str) -> str | None:
    body = run.rstrip("=").translate(_URL_SAFE)
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def _from_percent(run: str) -> str | None:
    if "%" not in run:
        return None
    decoded = unquote(run)
    return decoded if decoded != run else None


def _json_container(text: str) -> Any:
    """The object or list that a string holds as JSON, or None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, (dict, list)) else None
