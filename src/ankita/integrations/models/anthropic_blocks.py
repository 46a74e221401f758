"""Puts the content blocks of one streamed message together. Pure.

Text and thinking come out as they arrive, calls at the end. Nothing is ever repaired:
a call whose input was cut off comes out as one that is not run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ankita.ids import CallId
from ankita.integrations.models.anthropic_echo import Block, echo_of, text_mark
from ankita.integrations.models.argument_text import parsed_arguments
from ankita.integrations.models.chat_echo import Origin
from ankita.integrations.models.chat_text import ReplyText
from ankita.integrations.models.chat_tool_calls import storable
from ankita.messages import Json, JsonObject, ModelEvent, TextDelta, ToolCall

CUT_PROBLEM = "The reply reached its limit of length inside this call. Nothing was run."
BROKEN_PROBLEM = "The arguments were not a complete JSON object. Nothing was run."


@dataclass(slots=True)
class _Thinking:
    """A block of thinking under construction; without a signature it is not sent back."""

    texts: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    """Both in pieces."""

    def blocks(self) -> list[Block]:
        signature = "".join(self.signatures)
        if not signature:
            return []
        text = "".join(self.texts).encode("utf-16-le", "surrogatepass")
        whole = text.decode("utf-16-le", "replace")
        return [{"type": "thinking", "thinking": whole, "signature": storable(signature)}]


@dataclass(slots=True)
class _Mark:
    """Text that was said here."""

    characters: int

    def blocks(self) -> list[Block]:
        return [text_mark(self.characters)]


@dataclass(slots=True)
class _Redacted:
    """Thinking that only the server can read."""

    data: str

    def blocks(self) -> list[Block]:
        return [{"type": "redacted_thinking", "data": storable(self.data)}]


@dataclass(slots=True)
class _Call:
    """A call under construction. `whole` is input that came with the beginning."""

    server_id: str
    name: str
    whole: JsonObject
    before: list[_Thinking | _Mark | _Redacted]
    written: list[str] = field(default_factory=list)
    """More of the input, in pieces."""
    is_closed: bool = False

    def input_text(self) -> str:
        return "".join(self.written) or (json.dumps(dict(self.whole)) if self.whole else "")


@dataclass(slots=True)
class MessageBlocks:
    """The blocks of one reply of `origin`; `new_call_id` names a call that came without an id."""

    origin: Origin
    new_call_id: Callable[[], str]
    _text: ReplyText = field(default_factory=ReplyText)
    _open: dict[int, _Thinking | _Call | None] = field(default_factory=dict)
    _newest: int = -1
    _before: list[_Thinking | _Mark | _Redacted] = field(default_factory=list)
    _calls: list[_Call] = field(default_factory=list)
    _last: _Call | None = None
    """The call that nothing has followed yet."""

    def start(self, index: Json, block: Json) -> list[ModelEvent]:
        """A block begins, perhaps with a part of its content."""
        if not isinstance(block, Mapping):
            return []
        self._newest = index if isinstance(index, int) else self._newest + 1
        self._last = None
        self._open[self._newest] = None
        match block.get("type"):
            case "text":
                return self._say(_string(block, "text"))
            case "thinking":
                self._open[self._newest] = self._new_thinking()
                self._sign(self._open[self._newest], _string(block, "signature"))
                return self._think(self._open[self._newest], _string(block, "thinking"))
            case "redacted_thinking":
                self._before.append(_Redacted(_string(block, "data")))
            case "tool_use":
                self._open[self._newest] = self._new_call(block)
        return []

    def delta(self, index: Json, delta: Json) -> list[ModelEvent]:
        """More of a block; the delta's own type says what it is."""
        if not isinstance(delta, Mapping):
            return []
        block = self._open.get(index if isinstance(index, int) else self._newest)
        match delta.get("type"):
            case "text_delta":
                return self._say(_string(delta, "text"))
            case "thinking_delta":
                return self._think(block, _string(delta, "thinking"))
            case "signature_delta":
                self._sign(block, _string(delta, "signature"))
            case "input_json_delta" if isinstance(block, _Call):
                block.written.append(_string(delta, "partial_json"))
        return []

    def stop(self, index: Json) -> None:
        """A block is whole."""
        block = self._open.pop(index if isinstance(index, int) else self._newest, None)
        if isinstance(block, _Call):
            block.is_closed = True

    def close(self) -> list[ModelEvent]:
        """Text that was held back, now that nothing follows."""
        return self._noted(self._text.close())

    def calls(self, *, is_cut: bool) -> list[ToolCall]:
        """The calls, in order. `is_cut`: the reply reached its limit of length."""
        return [self._finished(call, is_cut=is_cut) for call in self._calls]

    def _finished(self, call: _Call, *, is_cut: bool) -> ToolCall:
        written = call.input_text()
        parsed = parsed_arguments(written) if written.strip() else {}
        # Cut off before the first character, a call looks like one without arguments.
        is_bare_end = call is self._last and not written.strip()
        if is_cut and (not call.is_closed or is_bare_end or not isinstance(parsed, dict)):
            parsed, problem = {}, CUT_PROBLEM
        elif not isinstance(parsed, dict):
            parsed, problem = {}, BROKEN_PROBLEM
        elif not call.name:
            parsed, problem = {}, "The call named no tool."
        else:
            problem = ""
        call_id = CallId(call.server_id or self.new_call_id())
        before = [block for part in call.before for block in part.blocks()]
        return ToolCall(call_id, call.name, parsed, problem, echo_of(self.origin, before))

    def _say(self, text: str) -> list[ModelEvent]:
        return self._noted(self._text.say(text))

    def _noted(self, events: list[ModelEvent]) -> list[ModelEvent]:
        """The same events; how much was said is remembered for the echo."""
        said = _said(events)
        if said and self._before and isinstance(self._before[-1], _Mark):
            self._before[-1].characters += said
        elif said:
            self._before.append(_Mark(said))
        return events

    def _think(self, block: _Thinking | _Call | None, text: str) -> list[ModelEvent]:
        if isinstance(block, _Thinking):
            block.texts.append(text)
        return self._text.think(text)

    def _sign(self, block: _Thinking | _Call | None, signature: str) -> None:
        if isinstance(block, _Thinking):
            block.signatures.append(signature)

    def _new_thinking(self) -> _Thinking:
        thinking = _Thinking()
        self._before.append(thinking)
        return thinking

    def _new_call(self, block: Mapping[str, Any]) -> _Call:
        whole = block.get("input")
        call = _Call(
            server_id=storable(_string(block, "id")),
            name=storable(_string(block, "name")),
            whole=whole if isinstance(whole, Mapping) else {},
            before=self._before,
        )
        self._before = []
        self._calls.append(call)
        self._last = call
        return call


def _string(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _said(events: Iterable[ModelEvent]) -> int:
    return sum(len(event.text) for event in events if isinstance(event, TextDelta))
