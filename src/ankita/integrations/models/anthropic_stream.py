"""One streamed reply in Anthropic's messages format: bytes in, model events out. Pure, no I/O.

The same bytes give the same events however they are cut. Tool calls come out at the
end, whole. A reply without a stop reason is broken off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ankita.errors import ModelError, ModelInterruptedError
from ankita.ids import new_id
from ankita.integrations.models.anthropic_blocks import MessageBlocks
from ankita.integrations.models.anthropic_usage import UsageCount
from ankita.integrations.models.model_stream_form import AnswerForm, form_of
from ankita.integrations.models.server_errors import not_a_model_server
from ankita.integrations.models.server_words import parse_body
from ankita.integrations.models.sse import EventTooLargeError, ServerEvent, SseParser
from ankita.messages import Finished, FinishReason, Json, ModelEvent, ToolCallReady

MAX_JSON_BYTES = 8 * 1024 * 1024
"""The most bytes of an answer that is one JSON document instead of a stream."""

_FINISH_REASONS = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.FILTERED,
}
"""Any other reason is a normal end."""

_PAYLOADS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
    }
)
"""Everything else is at most a sign of life."""


class MessageParser:
    """Implements `model_stream.StreamParser` for one answer with status 200.

    `sort_error` turns an error body into a ModelError. `model` is noted in the echo of
    calls that follow on signed thinking.
    """

    def __init__(
        self,
        sort_error: Callable[[Json], ModelError],
        *,
        server: str,
        model: str,
        new_call_id: Callable[[], str] = new_id,
    ) -> None:
        self._sort_error = sort_error
        self._server = server
        self._sse = SseParser()
        self._form = AnswerForm.UNKNOWN
        self._document = bytearray()
        self._blocks = MessageBlocks(model, new_call_id)
        self._usage = UsageCount()
        self._stop = ""
        self.failure: ModelError | None = None
        self.payloads = 0
        """Events so far that were more than a sign of life."""
        self.is_done = False
        """The server said that nothing follows."""

    @property
    def is_finished(self) -> bool:
        """A stop reason was seen; nothing of the reply can follow."""
        return bool(self._stop)

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """The events that this chunk completes."""
        if self._form is not AnswerForm.STREAM:
            self._document += chunk
            if self._form is AnswerForm.UNKNOWN:
                self._form = form_of(self._document)
            if self._form is not AnswerForm.STREAM:
                self.payloads += self._form is AnswerForm.JSON and bool(chunk.strip())
                is_endless = len(self._document) > MAX_JSON_BYTES
                return self._fail(not_a_model_server(self._server)) if is_endless else []
            chunk = bytes(self._document)
            self._document.clear()
        try:
            return self._take_all(self._sse.feed(chunk))
        except EventTooLargeError:
            return self._fail(not_a_model_server(self._server))

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
        events += self._blocks.close()
        if self._stop:
            return events + self._ending()
        self.failure = because or ModelInterruptedError(
            f"{self._server} stopped before the reply was finished.",
            advice="Try again; what was already said is kept.",
        )
        return events

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
            self.payloads += 1
            return self._fail(self._sort_error(parse_body(block.error or data)))
        if not data or data == "[DONE]":
            return []
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            if is_last or self._stop:
                return []  # cut off by the end of the stream, or after the end of the reply
            return self._fail(not_a_model_server(self._server))
        return self._take_event(event, block.name)

    def _take_document(self, because: ModelError | None) -> list[ModelEvent]:
        """An answer that is not a stream: an error, or a whole message."""
        if not self._document.strip():
            return []
        try:
            body = json.loads(self._document.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return self._fail(because or not_a_model_server(self._server))
        if isinstance(body, Mapping) and body.get("error"):
            return self._fail(self._sort_error(body))
        content = body.get("content") if isinstance(body, Mapping) else None
        if not isinstance(content, list):
            return self._fail(not_a_model_server(self._server))
        return self._take_message(body, content)

    def _take_message(self, message: Mapping[str, Json], content: list[Json]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for index, block in enumerate(content):
            events += self._blocks.start(index, block)
            self._blocks.stop(index)
        self._usage.take(message.get("usage"))
        self._note_stop(message)
        return events

    def _take_event(self, event: Json, name: str) -> list[ModelEvent]:
        if not isinstance(event, Mapping):
            return []
        kind = event.get("type") or name
        self.payloads += kind in _PAYLOADS
        if kind == "error" or event.get("error"):
            return self._fail(self._sort_error(event))
        match kind:
            case "message_start" if isinstance(message := event.get("message"), Mapping):
                self._usage.take(message.get("usage"))
            case "content_block_start":
                return self._blocks.start(event.get("index"), event.get("content_block"))
            case "content_block_delta":
                return self._blocks.delta(event.get("index"), event.get("delta"))
            case "content_block_stop":
                self._blocks.stop(event.get("index"))
            case "message_delta":
                self._usage.take(event.get("usage"))
                self._note_stop(event.get("delta"))
            case "message_stop":
                self.is_done = True
        return []

    def _note_stop(self, fields: Json) -> None:
        reason = fields.get("stop_reason") if isinstance(fields, Mapping) else None
        if isinstance(reason, str):
            self._stop = self._stop or reason

    def _ending(self) -> list[ModelEvent]:
        reason = _FINISH_REASONS.get(self._stop, FinishReason.STOP)
        calls = self._blocks.calls(is_cut=reason is FinishReason.LENGTH)
        if reason is FinishReason.FILTERED:
            calls = []
        if calls and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        usage = self._usage.total()
        figures: list[ModelEvent] = [usage] if usage is not None else []
        return [*(ToolCallReady(call) for call in calls), *figures, Finished(reason)]

    def _fail(self, error: ModelError) -> list[ModelEvent]:
        """Remember the failure; the text before it is still part of the thread."""
        events = self._blocks.close()
        self.failure = error
        return events
