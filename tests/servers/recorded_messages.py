"""Shapes of replies in Anthropic's messages format, with what they must become.

Each is written after the behaviour of the format and of servers that copy it; none is
a copy of a capture.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ankita.errors import (
    ModelError,
    ModelInterruptedError,
    ModelProtocolError,
    ModelRateLimitError,
)
from ankita.messages import FinishReason, Usage
from tests.servers.scripted_chat_server import MODEL, ScriptedReply

Call = tuple[str, dict[str, Any]]
A: Call = ("read", {"path": "ä.txt"})
B: Call = ("list", {"depth": 2})


@dataclass(frozen=True)
class Recorded:
    """The bytes of one answer and its meaning. `broken` are names of calls with a problem."""

    name: str
    body: bytes
    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    broken: tuple[str, ...] = ()
    finish: FinishReason | None = FinishReason.STOP
    failure: type[ModelError] | None = None
    usage: Usage | None = None


def event(kind: str, **fields: Any) -> bytes:
    """One named event, its type repeated in the data as the format wants it."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode("utf-8", "replace")


def start(**usage: int) -> bytes:
    figures = {"input_tokens": 7, "output_tokens": 1, **usage}
    message = {"type": "message", "role": "assistant", "content": [], "model": MODEL}
    return event("message_start", message=message | {"usage": figures})


def opened(index: int, kind: str, **fields: Any) -> bytes:
    return event("content_block_start", index=index, content_block={"type": kind, **fields})


def delta(index: int, kind: str, **fields: Any) -> bytes:
    return event("content_block_delta", index=index, delta={"type": kind, **fields})


def closed(index: int) -> bytes:
    return event("content_block_stop", index=index)


def end(reason: str = "end_turn", **usage: int) -> bytes:
    stop = {"stop_reason": reason, "stop_sequence": None}
    figures = {"output_tokens": 3, **usage}
    return event("message_delta", delta=stop, usage=figures) + event("message_stop")


def said(index: int, *pieces: str) -> bytes:
    """A whole block of text."""
    deltas = b"".join(delta(index, "text_delta", text=piece) for piece in pieces)
    return opened(index, "text", text="") + deltas + closed(index)


def thought(index: int, *pieces: str, signature: str = "c2ln") -> bytes:
    """A whole block of signed thinking."""
    deltas = b"".join(delta(index, "thinking_delta", thinking=piece) for piece in pieces)
    signed = delta(index, "signature_delta", signature=signature) if signature else b""
    return opened(index, "thinking", thinking="", signature="") + deltas + signed + closed(index)


def called(index: int, call: Call, call_id: str = "") -> bytes:
    """A whole call, its input in three pieces of which the first is empty."""
    written = json.dumps(call[1], ensure_ascii=False)
    half = len(written) // 2
    pieces = ("", written[:half], written[half:])
    deltas = b"".join(delta(index, "input_json_delta", partial_json=piece) for piece in pieces)
    return begun(index, call[0], call_id) + deltas + closed(index)


def begun(index: int, name: str, call_id: str = "", **fields: Any) -> bytes:
    """The beginning of a call."""
    return opened(index, "tool_use", id=call_id or f"toolu_{index}", name=name, input={}, **fields)


def text(*pieces: str) -> ScriptedReply:
    """A whole reply of text."""
    return ScriptedReply((start(), said(0, *pieces), end()))


def tool_calls(*calls: tuple[str, Mapping[str, Any]]) -> ScriptedReply:
    """A whole reply with tool calls."""
    steps = (called(index, (name, dict(given))) for index, (name, given) in enumerate(calls))
    return ScriptedReply((start(), *steps, end("tool_use")))


HELLO = start() + said(0, "Hel", "lo")
USAGE = Usage(7, 3)
TOOLS, LENGTH = FinishReason.TOOL_CALLS, FinishReason.LENGTH

WHOLE_SHAPES = (
    Recorded("plain", HELLO + end(), "Hello", usage=USAGE),
    Recorded("CRLF", (HELLO + end()).replace(b"\n", b"\r\n"), "Hello", usage=USAGE),
    Recorded(
        "pings, comments and unknown events",
        event("ping") + start() + b": wait\n\n" + event("novelty", index=0) + said(0, "Hello")
        + event("ping") + end() + event("ping"),
        "Hello", usage=USAGE,
    ),
    Recorded("no event names", (HELLO + end()).replace(b"event: ", b"x: "), "Hello", usage=USAGE),
    Recorded("no message_stop", (HELLO + end()).partition(b"event: message_stop")[0], "Hello",
             usage=USAGE),
    Recorded("last event without blank line", (HELLO + end()).rstrip(b"\n"), "Hello", usage=USAGE),
    Recorded("text in the beginning of its block",
             start() + opened(0, "text", text="Hel") + delta(0, "text_delta", text="lo") + end(),
             "Hello", usage=USAGE),
    Recorded("UTF-8 of every length", start() + said(0, "ä€😀") + end(), "ä€😀", usage=USAGE),
    Recorded("two blocks of text", start() + said(0, "a") + said(1, "b") + end(), "ab",
             usage=USAGE),
    Recorded("empty reply", start() + end(), usage=USAGE),
    Recorded("stop sequence", HELLO + end("stop_sequence"), "Hello", usage=USAGE),
    Recorded("cut text", HELLO + end("max_tokens"), "Hello", finish=LENGTH, usage=USAGE),
    Recorded("full window", HELLO + end("model_context_window_exceeded"), "Hello", finish=LENGTH,
             usage=USAGE),
    Recorded("refusal", HELLO + end("refusal"), "Hello", finish=FinishReason.FILTERED,
             usage=USAGE),
    Recorded("figures of the cache",
             start(cache_read_input_tokens=100, cache_creation_input_tokens=20)
             + said(0, "Hello") + end(), "Hello", usage=Usage(127, 3, cached_tokens=100)),
    Recorded("figures only at the end",
             start(input_tokens=0, output_tokens=0) + said(0, "Hello")
             + end(input_tokens=9, cache_read_input_tokens=4), "Hello",
             usage=Usage(13, 3, cached_tokens=4)),
    Recorded("figures only at the beginning",
             start(cache_read_input_tokens=4) + said(0, "Hello")
             + end(input_tokens=0, cache_read_input_tokens=0), "Hello",
             usage=Usage(11, 3, cached_tokens=4)),
    Recorded("no figures", event("message_start") + said(0, "Hello") + event("message_delta",
             delta={"stop_reason": "end_turn"}), "Hello"),
    Recorded("signed thinking", start() + thought(0, "Hm", "m") + said(1, "Hello") + end(),
             "Hello", "Hmm", usage=USAGE),
    Recorded("thinking that only the server can read",
             start() + opened(0, "redacted_thinking", data="eA==") + closed(0)
             + said(1, "Hello") + end(), "Hello", usage=USAGE),
    Recorded("thinking left in the text", start() + said(0, "<thi", "nk>Hm</think>\n", "Hello")
             + end(), "Hello", "Hm", usage=USAGE),
    Recorded("not a stream", json.dumps({
        "type": "message", "content": [{"type": "thinking", "thinking": "Hm", "signature": "s"},
                                       {"type": "text", "text": "Hello"},
                                       {"type": "tool_use", "id": "t", "name": A[0],
                                        "input": A[1]}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 7, "output_tokens": 3}}).encode(),
        "Hello", "Hm", (A,), finish=TOOLS, usage=USAGE),
)  # fmt: skip

CALL_SHAPES = (
    Recorded("one call", start() + called(0, A) + end("tool_use"), calls=(A,), finish=TOOLS,
             usage=USAGE),
    Recorded("text, then two calls",
             HELLO + called(1, A) + called(2, B) + end("tool_use"), "Hello", calls=(A, B),
             finish=TOOLS, usage=USAGE),
    Recorded("a call and end_turn", start() + called(0, A) + end(), calls=(A,), finish=TOOLS,
             usage=USAGE),
    Recorded("no arguments", start() + begun(0, "now") + closed(0) + end("tool_use"),
             calls=(("now", {}),), finish=TOOLS, usage=USAGE),
    Recorded("input with the beginning",
             start() + opened(0, "tool_use", id="t", name=A[0], input=A[1]) + closed(0)
             + end("tool_use"), calls=(A,), finish=TOOLS, usage=USAGE),
    Recorded("blocks that overlap",
             start() + begun(0, A[0]) + begun(1, B[0])
             + delta(1, "input_json_delta", partial_json=json.dumps(B[1]))
             + delta(0, "input_json_delta", partial_json=json.dumps(A[1]))
             + closed(1) + closed(0) + end("tool_use"), calls=(A, B), finish=TOOLS, usage=USAGE),
    Recorded("no block is ever closed",
             (start() + called(0, A) + end("tool_use")).replace(closed(0), b""), calls=(A,),
             finish=TOOLS, usage=USAGE),
    Recorded("no id", start() + called(0, A).replace(b"toolu_0", b"") + end("tool_use"),
             calls=(A,), finish=TOOLS, usage=USAGE),
    Recorded("the server's own tools are not ours",
             start() + opened(0, "server_tool_use", id="s", name="search", input={"q": 1})
             + delta(0, "input_json_delta", partial_json="{}") + closed(0) + said(1, "Hello")
             + end(), "Hello", usage=USAGE),
    Recorded("whole call, then cut text", start() + called(0, A) + said(1, "Hel")
             + end("max_tokens"), "Hel", calls=(A,), finish=LENGTH, usage=USAGE),
)  # fmt: skip

BROKEN_CALL_SHAPES = (
    Recorded("cut inside the input, block closed",
             start() + begun(0, A[0]) + delta(0, "input_json_delta", partial_json='{"path": "a')
             + closed(0) + end("max_tokens"), broken=(A[0],), finish=LENGTH, usage=USAGE),
    Recorded("cut inside the input, block open",
             start() + begun(0, A[0]) + delta(0, "input_json_delta", partial_json='{"path": "a"}')
             + end("max_tokens"), broken=(A[0],), finish=LENGTH, usage=USAGE),
    Recorded("cut before the input", start() + called(0, B) + begun(1, A[0]) + closed(1)
             + end("max_tokens"), calls=(B,), broken=(A[0],), finish=LENGTH, usage=USAGE),
    Recorded("input that is no JSON",
             start() + begun(0, A[0]) + delta(0, "input_json_delta", partial_json="{path")
             + closed(0) + end("tool_use"), broken=(A[0],), finish=TOOLS, usage=USAGE),
    Recorded("input that is no object",
             start() + begun(0, A[0]) + delta(0, "input_json_delta", partial_json="[1]")
             + closed(0) + end("tool_use"), broken=(A[0],), finish=TOOLS, usage=USAGE),
    Recorded("no name", start() + called(0, ("", {})) + end("tool_use"), broken=("",),
             finish=TOOLS, usage=USAGE),
    Recorded("withheld calls never run", start() + called(0, A) + end("refusal"),
             finish=FinishReason.FILTERED, usage=USAGE),
)  # fmt: skip

OVERLOADED = event("error", error={"type": "overloaded_error", "message": "Overloaded"})

FAILURE_SHAPES = (
    Recorded("overloaded in mid-stream", HELLO + OVERLOADED, "Hello", finish=None,
             failure=ModelError),
    Recorded("error without an event name",
             HELLO + b'data: {"type":"error","error":{"type":"rate_limit_error"}}\n\n', "Hello",
             finish=None, failure=ModelRateLimitError),
    Recorded("error after a call", start() + called(0, A) + OVERLOADED, finish=None,
             failure=ModelError),
    Recorded("overloaded at once", OVERLOADED, finish=None, failure=ModelError),
    Recorded("silent close after text", HELLO, "Hello", finish=None,
             failure=ModelInterruptedError),
    Recorded("message_stop without a reason", HELLO + event("message_stop"), "Hello", finish=None,
             failure=ModelInterruptedError),
    Recorded("silent close after a whole call", start() + called(0, A), finish=None,
             failure=ModelInterruptedError),
    Recorded("close inside an event", HELLO + end()[:40], "Hello", finish=None,
             failure=ModelInterruptedError),
    Recorded("error with status 200",
             b'{"type":"error","error":{"type":"overloaded_error","message":"x"}}', finish=None,
             failure=ModelError),
    Recorded("some other JSON", b'{"hello": "world"}', finish=None, failure=ModelProtocolError),
    Recorded("a web page", b"<!doctype html>", finish=None, failure=ModelProtocolError),
    Recorded("data that is not JSON", HELLO + b"data: oops\n\n" + end(), "Hello", finish=None,
             failure=ModelProtocolError),
    Recorded("an empty body", b"", finish=None, failure=ModelInterruptedError),
    Recorded("pings only", event("ping") * 5, finish=None, failure=ModelInterruptedError),
)  # fmt: skip

ALL_SHAPES = WHOLE_SHAPES + CALL_SHAPES + BROKEN_CALL_SHAPES + FAILURE_SHAPES
