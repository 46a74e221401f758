"""A thread with the built-in assistant, kept as the engine keeps it: messages and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ankita.integrations.models.builtin import BuiltInAssistant
from ankita.messages import (
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelRequest,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolSpec,
    Usage,
)
from tests.fakes.builtin_tool_specs import TOOLS


async def events_for(
    messages: Sequence[Message], tools: Sequence[ToolSpec] = TOOLS
) -> list[ModelEvent]:
    """The events of one reply, from an assistant made for it alone."""
    numbers = count(len(messages))
    assistant = BuiltInAssistant(new_call_id=lambda: f"call-{next(numbers)}")
    return [event async for event in assistant.stream(ModelRequest(messages, tools))]


class FakeThread:
    """Adds messages and replies; every reply comes from a new assistant, as after a restart."""

    def __init__(self, tools: Sequence[ToolSpec] = TOOLS) -> None:
        self.tools = tools
        self.messages: list[Message] = []

    async def say(self, text: str) -> str:
        """A user message; gives the text of the reply."""
        self.messages.append(Message(Role.USER, text))
        return await self._reply()

    async def give_result(self, text: str) -> str:
        """The result of the call that waits for one; gives the text of the reply."""
        [call] = self.calls
        self.messages.append(Message(Role.TOOL, text, tool_call_id=call.id))
        return await self._reply()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of the newest reply."""
        return next(
            (one.tool_calls for one in reversed(self.messages) if one.role is Role.ASSISTANT), ()
        )

    async def _reply(self) -> str:
        events = await events_for(self.messages, self.tools)
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        calls = tuple(event.call for event in events if isinstance(event, ToolCallReady))
        reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        assert events[-2:] == [Usage(0, 0), Finished(reason)]
        self.messages.append(Message(Role.ASSISTANT, text, calls))
        return text
