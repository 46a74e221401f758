"""One streamed chat-completions reply: bytes in, model events out. Pure, no I/O.

The same bytes give the same events however they are cut; only the borders between
text deltas follow the server's own frames. Tool calls come out at the end, whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ankita.errors import (
    ModelError,
    ModelInterruptedError,
    ModelMalformedError,
    ModelUnavailableError,
)
from ankita.ids import new_id
from ankita.integrations.models.chat_echo import (
    REASONING_DETAILS,
    Origin,
    ReasoningDetails,
    with_echoes,
)
from ankita.integrations.models.chat_frames import (
    content_text,
    delta_of,
    finish_reason,
    first_choice,
    has_substance,
    is_broken_off,
    is_error,
    thought_of,
    usage_of,
)
from ankita.integrations.models.chat_text import ReplyText
from ankita.integrations.models.chat_tool_calls import ToolCallAssembler
from ankita.integrations.models.model_stream_form import AnswerForm, form_of
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


class ReplyParser:
    """Reads one answer with status 200.

    Feed it chunks, then `close` it; each gives the events that became certain. After
    that `failure` is the error to raise, or None when the reply is whole.
    `sort_error` turns an error body into a ModelError. `server` and `model` are noted in
    the echo of each call, so that nobody else ever sees it.
    """

    def __init__(
        self,
        sort_error: Callable[[Json], ModelError],
        *,
        server: str,
        model: str = "",
        new_call_id: Callable[[], str] = new_id,
    ) -> None:
        self._sort_error = sort_error
        self._server = server
        self._origin = Origin(server, model)
        self._sse = SseParser()
        self._form = AnswerForm.UNKNOWN
        self._document = bytearray()
        self._text = ReplyText()
        self._calls = ToolCallAssembler(new_call_id)
        self._details = ReasoningDetails()
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
        if self._form is not AnswerForm.STREAM:
            self._document += chunk
            if self._form is AnswerForm.UNKNOWN:
                self._form = form_of(self._document)
            if self._form is not AnswerForm.STREAM:
                self.payloads += self._form is AnswerForm.JSON and bool(chunk.strip())
                is_endless = len(self._document) > MAX_JSON_BYTES
                return self._fail(self._stranger()) if is_endless else []
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
        if self._form is AnswerForm.STREAM:
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
            return self._fail(because or self._stranger())
        if not is_error(frame) and not (isinstance(frame, dict) and frame.get("choices")):
            return self._fail(self._stranger())
        return self._take_frame(frame)

    def _take_frame(self, frame: Json) -> list[ModelEvent]:
        if is_error(frame):
            self.payloads += 1
            return self._fail(self._sort_error(frame))
        if not isinstance(frame, Mapping):
            return []
        usage = usage_of(frame)
        self._usage = usage or self._usage
        choice = first_choice(frame)
        if choice is None:
            self.payloads += usage is not None
            return []
        self.payloads += usage is not None or has_substance(choice)
        if choice.get("error"):
            return self._fail(self._sort_error(choice["error"]))
        events = self._take_delta(delta_of(choice) or {})
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish = self._finish or reason.lower()
            if is_broken_off(reason):
                events += self._fail(self._broken_off())
        return events

    def _take_delta(self, delta: Mapping[str, Json]) -> list[ModelEvent]:
        events = self._text.think(thought_of(delta))
        for name in ("content", "refusal"):
            events += self._text.say(content_text(delta.get(name)))
        self._details.take(delta.get(REASONING_DETAILS))
        tool_calls = delta.get("tool_calls")
        for call in tool_calls if isinstance(tool_calls, list) else ():
            self._calls.take(call)
        return events

    def _ending(self) -> list[ModelEvent]:
        reason = finish_reason(self._finish)
        calls = [] if reason is FinishReason.FILTERED else self._finished_calls(reason)
        if calls and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        events: list[ModelEvent] = [*calls]
        if self._usage is not None:
            events.append(self._usage)
        events.append(Finished(reason))
        return events

    def _finished_calls(self, reason: FinishReason) -> list[ToolCallReady]:
        calls = self._calls.calls(is_cut=reason is FinishReason.LENGTH)
        marked = with_echoes(calls, self._details.whole(), self._origin)
        return [ToolCallReady(call) for call in marked]

    def _fail(self, error: ModelError) -> list[ModelEvent]:
        """Remember the failure; the text before it is still part of the thread."""
        events = self._text.close()
        self.failure = error
        return events

    def _stranger(self) -> ModelError:
        return not_a_model_server(self._server)

    def _malformed(self) -> ModelError:
        return ModelMalformedError(
            f"{self._server} sent a piece of the reply that cannot be read.",
            advice="Try again, or choose another model.",
        )

    def _broken_off(self) -> ModelError:
        return ModelUnavailableError(
            f"{self._server} reported an error in the middle of the reply.",
            advice="Try again, or choose another model.",
        )
