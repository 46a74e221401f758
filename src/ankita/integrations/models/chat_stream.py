"""One streamed chat-completions reply: bytes in, model events out. Pure, no I/O.

The same bytes give the same events however they are cut; only the borders between
text deltas follow the server's own frames. Tool calls come out at the end, whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum

from ankita.errors import ModelError, ModelInterruptedError, ModelRefusedError
from ankita.ids import new_id
from ankita.integrations.models.chat_text import ReplyText
from ankita.integrations.models.chat_tool_calls import ToolCallAssembler
from ankita.integrations.models.server_errors import not_a_model_server
from ankita.integrations.models.server_words import parse_body
from ankita.integrations.models.sse import EventTooLargeError, ServerEvent, SseParser
from ankita.messages import (
    Finished,
    FinishReason,
    Json,
    ModelEvent,
    ToolCallReady,
    Usage,
)

MAX_JSON_BYTES = 8 * 1024 * 1024
"""The most bytes of an answer that is one JSON document instead of a stream."""

_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_FINISH_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "safety": FinishReason.FILTERED,
    "recitation": FinishReason.FILTERED,
}
"""Any other reason is a normal end."""

_BROKEN_REASONS = frozenset({"error", "insufficient_system_resource", "abort"})


class _Form(Enum):
    UNKNOWN = "unknown"
    STREAM = "stream"
    JSON = "json"


class ReplyParser:
    """Reads one answer with status 200.

    Feed it chunks, then `close` it; each gives the events that became certain. After
    that `failure` is the error to raise, or None when the reply is whole.
    `sort_error` turns an error body into a ModelError.
    """

    def __init__(
        self,
        sort_error: Callable[[Json], ModelError],
        *,
        server: str,
        new_call_id: Callable[[], str] = new_id,
    ) -> None:
        self._sort_error = sort_error
        self._server = server
        self._sse = SseParser()
        self._form = _Form.UNKNOWN
        self._document = bytearray()
        self._text = ReplyText()
        self._calls = ToolCallAssembler(new_call_id)
        self._usage: Usage | None = None
        self._finish = ""
        self.failure: ModelError | None = None
        self.payloads = 0
        """Frames so far that were more than a sign of life."""
        self.is_done = False
        """The server said that nothing follows."""

    @property
    def is_finished(self) -> bool:
        """A finish reason was seen; only usage can still follow."""
        return bool(self._finish)

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """The events that this chunk completes."""
        if self._form is not _Form.STREAM:
            self._document += chunk
            if self._form is _Form.UNKNOWN:
                self._form = _form_of(self._document)
            if self._form is not _Form.STREAM:
                self.payloads += self._form is _Form.JSON and bool(chunk.strip())
                is_endless = len(self._document) > MAX_JSON_BYTES
                return self._fail(self._malformed()) if is_endless else []
            chunk = bytes(self._document)
            self._document.clear()
        try:
            return self._take_all(self._sse.feed(chunk))
        except EventTooLargeError:
            return self._fail(self._malformed())

    def close(self, because: ModelError | None = None) -> list[ModelEvent]:
        """The rest, when nothing more will come.

        Sets `failure` when the reply is not whole: to `because` if that is given, the
        reason why no more was read.
        """
        if self.failure is not None:
            return []
        if self._form is _Form.STREAM:
            events = self._take_all(self._sse.close(), is_last=True)
        else:
            events = self._take_document(because)
        if self.failure is not None:
            return events
        events += self._text.close()
        if not self._finish:
            self.failure = because or ModelInterruptedError(
                f"{self._server} stopped before the reply was finished.",
                advice="Try again; what was already said is kept.",
            )
            return events
        return events + self._ending()

    def _take_all(self, blocks: list[ServerEvent], *, is_last: bool = False) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for block in blocks:
            if self.failure is not None:
                break
            events += self._take_block(block, is_last=is_last)
        return events

    def _take_block(self, block: ServerEvent, *, is_last: bool) -> list[ModelEvent]:
        data = block.data.strip()
        if block.error or block.name == "error":
            return self._fail(self._sort_error(parse_body(block.error or data)))
        if data == "[DONE]":
            self.is_done = True
            return []
        if not data or data.startswith(":"):
            return []  # a keep-alive in a data field
        try:
            frame = json.loads(data)
        except (ValueError, RecursionError):
            if is_last or self._finish:
                return []  # cut off by the end of the stream, or after the end of the reply
            return self._fail(self._malformed())
        return self._take_frame(frame)

    def _take_document(self, because: ModelError | None) -> list[ModelEvent]:
        """An answer that is not a stream: an error, or a whole completion."""
        if not self._document.strip():
            return []
        try:
            frame = json.loads(self._document.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return self._fail(because or self._malformed())
        if not _is_error(frame) and not (isinstance(frame, dict) and frame.get("choices")):
            return self._fail(self._malformed())
        return self._take_frame(frame)

    def _take_frame(self, frame: Json) -> list[ModelEvent]:
        if _is_error(frame):
            self.payloads += 1
            return self._fail(self._sort_error(frame))
        if not isinstance(frame, Mapping):
            return []
        usage = _usage(frame)
        self._usage = usage or self._usage
        choice = _first_choice(frame)
        if choice is None:
            self.payloads += usage is not None
            return []
        self.payloads += 1
        if choice.get("error"):
            return self._fail(self._sort_error(choice["error"]))
        delta = choice.get("delta") or choice.get("message")
        events = self._take_delta(delta) if isinstance(delta, Mapping) else []
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish = self._finish or reason.lower()
            if reason.lower() in _BROKEN_REASONS:
                events += self._fail(self._broken_off())
        return events

    def _take_delta(self, delta: Mapping[str, Json]) -> list[ModelEvent]:
        thoughts = (delta.get(name) for name in _REASONING_FIELDS)
        thought = next((text for text in thoughts if isinstance(text, str) and text), "")
        events = self._text.think(thought)
        for name in ("content", "refusal"):
            events += self._text.say(_content_text(delta.get(name)))
        tool_calls = delta.get("tool_calls")
        for call in tool_calls if isinstance(tool_calls, list) else ():
            self._calls.take(call)
        return events

    def _ending(self) -> list[ModelEvent]:
        reason = _FINISH_REASONS.get(self._finish, FinishReason.STOP)
        calls = [] if reason is FinishReason.FILTERED else self._finished_calls(reason)
        if calls and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        events: list[ModelEvent] = [*calls]
        if self._usage is not None:
            events.append(self._usage)
        events.append(Finished(reason))
        return events

    def _finished_calls(self, reason: FinishReason) -> list[ToolCallReady]:
        is_cut = reason is FinishReason.LENGTH
        return [ToolCallReady(call) for call in self._calls.calls(is_cut=is_cut)]

    def _fail(self, error: ModelError) -> list[ModelEvent]:
        """Remember the failure; the text before it is still part of the thread."""
        events = self._text.close()
        self.failure = error
        return events

    def _malformed(self) -> ModelError:
        return not_a_model_server(self._server)

    def _broken_off(self) -> ModelError:
        return ModelRefusedError(
            f"{self._server} reported an error in the middle of the reply.",
            advice="Try again, or choose another model.",
        )


def _form_of(document: bytearray) -> _Form:
    """Judged by the first byte: no line of an event stream begins with these."""
    first = bytes(document).removeprefix(_BYTE_ORDER_MARK).lstrip()[:1]
    if not first or _BYTE_ORDER_MARK.startswith(bytes(document)):
        return _Form.UNKNOWN
    return _Form.JSON if first in b"{[<" else _Form.STREAM


def _is_error(frame: Json) -> bool:
    if isinstance(frame, list):
        return any(_is_error(element) for element in frame)
    if not isinstance(frame, Mapping):
        return False
    return bool(frame.get("error")) or frame.get("object") == "error"


def _first_choice(frame: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """One reply was asked for, so every choice but the first is ignored."""
    choices = frame.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and not choice.get("index"):
            return choice
    return None


def _usage(frame: Mapping[str, Json]) -> Usage | None:
    groq = frame.get("x_groq")
    usage = frame.get("usage") or (groq.get("usage") if isinstance(groq, Mapping) else None)
    if not isinstance(usage, Mapping):
        return None
    sent, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(written, int):
        return None
    return Usage(prompt_tokens=sent, completion_tokens=written)


def _content_text(content: Json) -> str:
    """Text, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))
