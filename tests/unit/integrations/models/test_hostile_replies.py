"""A server that means harm with its reply costs no more than the bytes it sends."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import ModelError
from ankita.integrations.models.anthropic_stream import MessageParser
from ankita.integrations.models.argument_text import ArgumentText, parsed_arguments
from ankita.integrations.models.chat_echo import MAX_ECHO_BYTES
from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import Json, ModelEvent, ToolCall, ToolCallReady
from tests.servers.recorded_messages import event
from tests.servers.scripted_chat_server import DONE, call_delta, delta

pytestmark = pytest.mark.spec("PRV-5")

LONG = 7_000_000
"""Characters; a piece of the reply may be a little longer."""
PIECES = 3_000
SECONDS = 5.0
"""Of the processor. Reading a long text again for every piece takes several times as long."""


def sort_error(body: Json) -> ModelError:
    return sort_refusal(Refusal(200, body, "host:1", "m"))


def chat() -> ReplyParser:
    return ReplyParser(sort_error, server="host:1", model="m")


def messages() -> MessageParser:
    return MessageParser(sort_error, server="host:1", model="m")


def calls(events: list[ModelEvent]) -> list[ToolCall]:
    return [each.call for each in events if isinstance(each, ToolCallReady)]


@pytest.mark.parametrize("depth", [400, 900])
def test_lists_in_lists_are_no_reply_and_no_crash(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    streamed, document = chat(), chat()
    streamed.feed(b"data: " + nested + b"\n\n" + delta("stop") + DONE)
    streamed.close()
    assert streamed.failure is None
    document.feed(nested)
    document.close()
    assert document.failure is not None
    assert "not as a model server does" in document.failure.message


def test_very_many_calls_take_time_in_proportion() -> None:
    began, parser, count = time.process_time(), chat(), 20_000
    for first in range(0, count, 1_000):
        some = [call_delta(n, f"id{n}", "read", "{}") for n in range(first, first + 1_000)]
        parser.feed(delta(tool_calls=some))
    events = parser.feed(delta("tool_calls") + DONE) + parser.close()
    assert len({call.id for call in calls(events)}) == count
    assert time.process_time() - began < SECONDS


def test_a_long_argument_is_not_read_again_for_every_piece_that_repeats_the_name() -> None:
    began, parser = time.process_time(), chat()
    parser.feed(delta(tool_calls=[call_delta(0, "a", "read", '{"x":"' + "y" * LONG)]))
    piece = delta(tool_calls=[call_delta(0, "a", "read", "y")])
    for _ in range(PIECES):
        parser.feed(piece)
    parser.feed(delta(tool_calls=[call_delta(0, "a", "read", '"}')]))
    (call,) = calls(parser.feed(delta("tool_calls") + DONE) + parser.close())
    assert len(call.arguments["x"]) == LONG + PIECES
    assert time.process_time() - began < SECONDS


def test_a_long_input_of_the_other_format_is_not_copied_for_every_piece() -> None:
    began, parser = time.process_time(), messages()
    block = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    parser.feed(event("content_block_start", index=0, content_block=block))

    def more(text: str) -> bytes:
        part = {"type": "input_json_delta", "partial_json": text}
        return event("content_block_delta", index=0, delta=part)

    parser.feed(more('{"x":"' + "y" * LONG))
    piece = more("y")
    for _ in range(PIECES * 8):
        parser.feed(piece)
    parser.feed(more('"}') + event("content_block_stop", index=0))
    events = parser.feed(event("message_delta", delta={"stop_reason": "tool_use"})) + parser.close()
    assert len(calls(events)[0].arguments["x"]) == LONG + PIECES * 8
    assert time.process_time() - began < SECONDS


def test_blanks_before_an_answer_are_not_read_again_for_every_piece() -> None:
    began, parser = time.process_time(), chat()
    parser.feed(b" " * LONG)
    for _ in range(PIECES):
        parser.feed(b" ")
    parser.feed(b"\n" + delta("stop") + DONE)
    parser.close()
    assert parser.failure is None
    assert time.process_time() - began < SECONDS


def test_more_signed_thinking_than_can_be_kept_is_not_stored_with_the_call() -> None:
    parser = messages()
    thinking = {"type": "thinking", "thinking": "", "signature": ""}
    block = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    signed = {"type": "signature_delta", "signature": "s" * (MAX_ECHO_BYTES // 2)}
    parser.feed(event("content_block_start", index=0, content_block=thinking))
    for _ in range(3):
        parser.feed(event("content_block_delta", index=0, delta=signed))
    parser.feed(event("content_block_stop", index=0))
    parser.feed(event("content_block_start", index=1, content_block=block))
    parser.feed(event("content_block_stop", index=1))
    events = parser.feed(event("message_delta", delta={"stop_reason": "tool_use"})) + parser.close()
    (call,) = calls(events)
    assert (call.name, call.problem, call.echo) == ("read", "", {})


@given(st.lists(st.text(st.sampled_from('{}[]":,\\ a1'), max_size=4), max_size=12))
def test_arguments_are_whole_exactly_when_they_read_as_an_object(pieces: list[str]) -> None:
    text = ArgumentText()
    for number, piece in enumerate(pieces, start=1):
        text.add(piece)
        so_far = "".join(pieces[:number])
        assert text.is_whole == isinstance(parsed_arguments(so_far), dict)
    assert str(text) == "".join(pieces)
