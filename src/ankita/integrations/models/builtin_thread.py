"""What the thread so far tells the built-in assistant; it keeps no memory of its own.

"It" and "that" mean the newest thing the thread names: the attachments of a message or
the file of a tool call. Because this is read from the messages, a restart changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ankita.attachment_text import AttachmentBlock, attachment_blocks
from ankita.ids import CallId
from ankita.messages import Message, Role, ToolCall, ToolSpec

FILE_TOOLS = frozenset({"read_file", "write_file", "edit_file"})
"""Calls that make their file the one that "it" means."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that is already in the thread and can be quoted."""

    name: str
    body: str
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call of this thread and its result, which is None when there is none."""

    call: ToolCall
    result: str | None


@dataclass(frozen=True, slots=True)
class Situation:
    """One user message and what came before it.

    `sources` are the texts "it" can mean; `last_path` is set when that is a file which
    a call named. `has_attachments` is about this very message.
    """

    text: str
    tools: Mapping[str, ToolSpec]
    sources: tuple[Source, ...] = ()
    last_path: str | None = None
    last_call: PastCall | None = None
    has_attachments: bool = False


def situation_at(
    messages: Sequence[Message], index: int, tools: Mapping[str, ToolSpec]
) -> Situation:
    """The situation of the user message at `index`."""
    text, blocks = _split(messages[index].text)
    before = messages[:index]
    path: str | None = None
    sources = tuple(_source(block) for block in blocks)
    if not sources:
        path, sources = _newest_thing(before)
    return Situation(text.strip(), tools, sources, path, _last_call(before), bool(blocks))


def newest_user(messages: Sequence[Message]) -> int | None:
    """The index of the newest user message."""
    return next((i for i in reversed(range(len(messages))) if messages[i].role is Role.USER), None)


def question_before(messages: Sequence[Message], index: int) -> tuple[int, str] | None:
    """The user message before `index` and the text that alone answered it, if it is so."""
    spoken = [i for i in range(index) if messages[i].role is not Role.SYSTEM][-2:]
    if len(spoken) < 2:
        return None
    asked, replied = messages[spoken[0]], messages[spoken[1]]
    if asked.role is not Role.USER or replied.role is not Role.ASSISTANT or replied.tool_calls:
        return None
    return spoken[0], replied.text


def trailing_results(messages: Sequence[Message]) -> list[PastCall]:
    """The calls whose results end the list, in order; empty when it ends otherwise."""
    found: list[PastCall] = []
    for index in reversed(range(len(messages))):
        if messages[index].role is not Role.TOOL:
            break
        found.append(PastCall(_call_of(messages, index), messages[index].text))
    return found[::-1]


def _newest_thing(messages: Sequence[Message]) -> tuple[str | None, tuple[Source, ...]]:
    for index in reversed(range(len(messages))):
        message = messages[index]
        if message.role is Role.USER:
            _, blocks = _split(message.text)
            if blocks:
                return None, tuple(_source(block) for block in blocks)
        for call in reversed(message.tool_calls):
            path = call.arguments.get("path")
            if call.name in FILE_TOOLS and isinstance(path, str) and path:
                return path, _read_text(messages, call, path)
    return None, ()


def _read_text(messages: Sequence[Message], call: ToolCall, path: str) -> tuple[Source, ...]:
    result = _result_of(messages, call)
    if call.name != "read_file" or result is None or failure_word(result):
        return ()
    return (Source(path, result),)


def failure_word(result: str) -> str:
    """The word the engine puts before a result that is not one: "Denied", "Error", "Stopped"."""
    word, colon, _ = result.lstrip()[:16].partition(":")
    return word if colon and word in {"Denied", "Error", "Stopped"} else ""


def _last_call(messages: Sequence[Message]) -> PastCall | None:
    for message in reversed(messages):
        if message.tool_calls:
            call = message.tool_calls[-1]
            return PastCall(call, _result_of(messages, call))
    return None


def _result_of(messages: Sequence[Message], call: ToolCall) -> str | None:
    for message in reversed(messages):
        if message.role is Role.TOOL and message.tool_call_id == call.id:
            return message.text
    return None


def _call_of(messages: Sequence[Message], index: int) -> ToolCall:
    wanted = messages[index].tool_call_id
    for message in reversed(messages[:index]):
        for call in message.tool_calls:
            if call.id == wanted:
                return call
    return ToolCall(wanted or CallId(""), "", {})


def _split(text: str) -> tuple[str, list[AttachmentBlock]]:
    # Most messages have no attachment; looking at every line of all of them would be waste.
    return attachment_blocks(text) if "[attachment " in text else (text, [])


def _source(block: AttachmentBlock) -> Source:
    return Source(block.name, block.body, block.details, block.notes)
