"""Which tools a model with a small window is told of, and how briefly: pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ankita.engine.history import text_bytes
from ankita.engine.token_meter import TokenMeter
from ankita.messages import Json, ToolSpec

TOOLS_SHARE = 0.4
"""What of the window the declarations of tools may take."""

FEW = 64
"""Weights beyond those of present tools that may lie about."""

FRAME_BYTES = 64
"""What a declaration weighs beside its own texts."""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """`left_out` are the names of tools for which there is no room. `size` in bytes."""

    specs: tuple[ToolSpec, ...]
    size: int
    left_out: tuple[str, ...] = ()


class ToolOffers:
    """Remembers the weights, since the same declarations are sent with every request."""

    def __init__(self) -> None:
        self._sizes: dict[int, tuple[ToolSpec, int]] = {}
        self._brief: dict[int, tuple[ToolSpec, ToolSpec]] = {}

    def fit(self, specs: Sequence[ToolSpec], used: Collection[str], meter: TokenMeter) -> ToolOffer:
        """All tools where they fit, else all in brief, else as many as fit, used ones first."""
        self._forget_beyond(4 * len(specs) + FEW)
        whole = ToolOffer(tuple(specs), sum(map(self._size, specs)))
        if meter.context_tokens is None:
            return whole
        room = meter.size(round(meter.context_tokens * TOOLS_SHARE))
        if whole.size <= room:
            return whole
        return self._some([self._in_brief(spec) for spec in specs], used, room)

    def _some(self, specs: Sequence[ToolSpec], used: Collection[str], room: int) -> ToolOffer:
        kept: set[str] = set()
        left = room
        for spec in sorted(specs, key=lambda s: s.name not in used):
            if self._size(spec) <= left:
                left -= self._size(spec)
                kept.add(spec.name)
        names = tuple(spec.name for spec in specs if spec.name not in kept)
        return ToolOffer(tuple(s for s in specs if s.name in kept), room - left, names)

    def _forget_beyond(self, most: int) -> None:
        """A server may declare its tools anew each time: old ones are not kept for ever."""
        if len(self._sizes) > most:
            self._sizes.clear()
            self._brief.clear()

    def _size(self, spec: ToolSpec) -> int:
        known = self._sizes.get(id(spec))
        if known is None or known[0] is not spec:
            texts = (spec.name, spec.description, json.dumps(spec.parameters, ensure_ascii=False))
            known = (spec, FRAME_BYTES + sum(map(text_bytes, texts)))
            self._sizes[id(spec)] = known
        return known[1]

    def _in_brief(self, spec: ToolSpec) -> ToolSpec:
        known = self._brief.get(id(spec))
        if known is None or known[0] is not spec:
            known = (spec, replace(spec, parameters=_without_words(spec.parameters)))
            self._brief[id(spec)] = known
        return known[1]


def _without_words(schema: Json) -> Json:
    """The schema without its descriptions: names and types are what a call needs."""
    if isinstance(schema, Mapping):
        return {
            key: _properties(value) if key == "properties" else _without_words(value)
            for key, value in schema.items()
            if not (key in ("description", "title", "examples") and not isinstance(value, Mapping))
        }
    return [_without_words(value) for value in schema] if isinstance(schema, list) else schema


def _properties(properties: Json) -> Json:
    """Here the keys are the arguments' own names, "title" included."""
    if not isinstance(properties, Mapping):
        return properties
    return {name: _without_words(value) for name, value in properties.items()}
