"""Models without usable tool calls: one acts by a JSON object, another can only talk."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from ankita.config import ToolMode
from ankita.errors import ModelError
from ankita.ids import CallId, new_id
from ankita.integrations.models.action_check import WantedCall
from ankita.integrations.models.action_prompt import action_request, action_text, plain_request
from ankita.integrations.models.action_reader import ActionReader
from ankita.messages import (
    Finished,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolSpec,
)
from ankita.protocols import ModelProvider

_WHOLE = frozenset({FinishReason.STOP, FinishReason.TOOL_CALLS})


class JsonActions:
    """Implements `protocols.ModelProvider` over another one, in JSON-action mode.

    A reply that is exactly one JSON object, which names an offered tool and fits its
    schema, becomes a call. Everything else is text. Requests without tools go through
    with earlier calls put into words.
    """

    def __init__(self, provider: ModelProvider) -> None:
        self._provider = provider

    def info(self) -> ModelInfo:
        return replace(self._provider.info(), tool_mode=ToolMode.JSON_ACTION)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply; at most one call, at its end. Raises ModelError."""
        sent = action_request(request) if request.tools else plain_request(request, tell=False)
        reply = _ActingReply(request.tools) if request.tools else _TalkingReply()
        async with _events(self._provider, sent) as events:
            try:
                async for event in events:
                    for shown in reply.take(event):
                        yield shown
            except ModelError:
                for shown in reply.broken():
                    yield shown
                raise

    async def aclose(self) -> None:
        await self._provider.aclose()


class ChatOnly:
    """Implements `protocols.ModelProvider` over another one, without any tools."""

    def __init__(self, provider: ModelProvider) -> None:
        self._provider = provider

    def info(self) -> ModelInfo:
        return replace(self._provider.info(), tool_mode=ToolMode.CHAT_ONLY)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply of text. Raises ModelError."""
        sent = plain_request(request, tell=bool(request.tools))
        reply = _TalkingReply()
        async with _events(self._provider, sent) as events:
            async for event in events:
                for shown in reply.take(event):
                    yield shown

    async def aclose(self) -> None:
        await self._provider.aclose()


class _TalkingReply:
    """A reply that is only text: a call that nobody offered is shown, never handed on."""

    def take(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, ToolCallReady):
            return [TextDelta(action_text(event.call.name, dict(event.call.arguments)))]
        if event == Finished(FinishReason.TOOL_CALLS):
            return [Finished(FinishReason.STOP)]
        return [event]

    def broken(self) -> list[ModelEvent]:
        """What was kept back of a reply that broke off."""
        return []


class _ActingReply:
    """A reply that may turn out to be one call."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._reader = ActionReader(tools)
        self._talk = _TalkingReply()

    def take(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, TextDelta):
            return _text(self._reader.feed(event.text))
        if isinstance(event, ToolCallReady):
            return [*self.broken(), *self._talk.take(event)]
        if not isinstance(event, Finished):
            return [event]
        last = self._reader.close(is_whole=event.reason in _WHOLE)
        if isinstance(last, WantedCall):
            call = ToolCall(CallId(new_id()), last.tool, last.arguments)
            return [ToolCallReady(call), Finished(FinishReason.TOOL_CALLS)]
        return [*_text(last), *self._talk.take(event)]

    def broken(self) -> list[ModelEvent]:
        """What was kept back of a reply that broke off; it is no call any more."""
        last = self._reader.close(is_whole=False)
        return _text(last) if isinstance(last, str) else []


def _text(text: str) -> list[ModelEvent]:
    return [TextDelta(text)] if text else []


@asynccontextmanager
async def _events(
    provider: ModelProvider, request: ModelRequest
) -> AsyncIterator[AsyncIterator[ModelEvent]]:
    """The events of one reply, whose stream is closed however the reply is left."""
    events = provider.stream(request)
    try:
        yield events
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
