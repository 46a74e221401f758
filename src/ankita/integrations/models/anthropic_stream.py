"""One streamed reply in Anthropic's messages format: bytes in, model events out. Pure, no I/O.

The same bytes give the same events however they are cut. Tool calls come out at the
end, whole. A reply without a stop reason is broken off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ankita.errors import ModelError
from ankita.ids import new_id
from ankita.integrations.models.answer_parser import AnswerParser
from ankita.integrations.models.anthropic_blocks import MessageBlocks
from ankita.integrations.models.anthropic_usage import UsageCount
from ankita.integrations.models.chat_echo import Origin
from ankita.integrations.models.server_words import parse_body
from ankita.integrations.models.sse import ServerEvent
from ankita.messages import Finished, FinishReason, Json, ModelEvent, ToolCallReady

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


class MessageParser(AnswerParser):
    """Reads one answer with status 200.

    `sort_error` turns an error body into a ModelError. `server` and `model` are
    noted in the echo of calls that follow on signed thinking.
    """

    def __init__(
        self,
        sort_error: Callable[[Json], ModelError],
        *,
        server: str,
        model: str,
        new_call_id: Callable[[], str] = new_id,
    ) -> None:
        super().__init__(sort_error, server=server)
        self._blocks = MessageBlocks(Origin(server, model), new_call_id)
        self._usage = UsageCount()
        self._stop = ""

    @property
    def is_finished(self) -> bool:
        """A stop reason was seen; nothing of the reply can follow."""
        return bool(self._stop)

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
            return self._fail(self._malformed())
        return self._take_event(event, block.name)

    def _take_document(self, document: bytes, because: ModelError | None) -> list[ModelEvent]:
        """An error, or a whole message."""
        try:
            body = json.loads(document.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return self._fail(because or self._stranger())
        if isinstance(body, Mapping) and body.get("error"):
            return self._fail(self._sort_error(body))
        content = body.get("content") if isinstance(body, Mapping) else None
        if not isinstance(content, list):
            return self._fail(self._stranger())
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

    def _held_back(self) -> list[ModelEvent]:
        return self._blocks.close()
