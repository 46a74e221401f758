"""One streamed chat-completions reply: bytes in, model events out. Pure, no I/O.

The same bytes give the same events however they are cut; only the borders between
text deltas follow the server's own frames. Tool calls come out at the end, whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ankita.errors import ModelError, ModelUnavailableError
from ankita.ids import new_id
from ankita.integrations.models.answer_parser import AnswerParser
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
from ankita.integrations.models.server_words import parse_body
from ankita.integrations.models.sse import ServerEvent
from ankita.messages import (
    Finished,
    FinishReason,
    Json,
    ModelEvent,
    ToolCallReady,
    Usage,
)


class ReplyParser(AnswerParser):
    """Reads one answer with status 200.

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
        super().__init__(sort_error, server=server)
        self._origin = Origin(server, model)
        self._text = ReplyText()
        self._calls = ToolCallAssembler(new_call_id)
        self._details = ReasoningDetails()
        self._usage: Usage | None = None
        self._finish = ""

    @property
    def is_finished(self) -> bool:
        """A finish reason was seen; only usage can still follow."""
        return bool(self._finish)

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

    def _take_document(self, document: bytes, because: ModelError | None) -> list[ModelEvent]:
        """An error, or a whole completion."""
        try:
            frame = json.loads(document.decode("utf-8-sig"))
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

    def _held_back(self) -> list[ModelEvent]:
        return self._text.close()

    def _broken_off(self) -> ModelError:
        return ModelUnavailableError(
            f"{self._server} reported an error in the middle of the reply.",
            advice="Try again, or choose another model.",
        )
