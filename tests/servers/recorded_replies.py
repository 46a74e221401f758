"""Shapes of replies that real servers are known to send, with what they must become.

Each is written after the wire behaviour of the server it is named for; none is a
copy of a capture.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ankita.errors import (
    ModelError,
    ModelInterruptedError,
    ModelMalformedError,
    ModelProtocolError,
    ModelRateLimitError,
    ModelRefusedError,
    ModelUnavailableError,
)
from ankita.messages import FinishReason
from tests.servers.scripted_chat_server import DONE, call_delta, delta, frame, usage

Call = tuple[str, dict[str, Any]]


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
    has_usage: bool = False
    ids: tuple[str, ...] = field(default=())


def _calls(*parts: dict[str, Any], end: str = "tool_calls") -> bytes:
    return b"".join(delta(tool_calls=[part]) for part in parts) + delta(end) + DONE


def _error_frame(**fields: Any) -> bytes:
    return frame({"choices": [], **fields})


HELLO = delta(role="assistant", content=None) + delta(content="Hel") + delta(content="lo")
A: Call = ("read", {"path": "ä.txt"})
B: Call = ("list", {"depth": 2})
A_TEXT, B_TEXT = json.dumps(A[1], ensure_ascii=False), json.dumps(B[1])
TOOLS = FinishReason.TOOL_CALLS

TEXT_SHAPES = (
    Recorded("plain", HELLO + delta("stop") + usage() + DONE, "Hello", has_usage=True),
    Recorded("no DONE", HELLO + delta("stop"), "Hello"),
    Recorded("usage after DONE", HELLO + delta("stop") + DONE + usage(), "Hello", has_usage=True),
    Recorded("last event without blank line", (HELLO + delta("stop")).rstrip(b"\n"), "Hello"),
    Recorded("CRLF", (HELLO + delta("stop") + DONE).replace(b"\n", b"\r\n"), "Hello"),
    Recorded("CR", (HELLO + delta("stop") + DONE).replace(b"\n", b"\r"), "Hello"),
    Recorded("byte order mark", b"\xef\xbb\xbf" + HELLO + delta("stop"), "Hello"),
    Recorded(
        "no space, id, retry, event names",
        b"id: 1\nretry: 5\nevent: chunk\n"
        + HELLO.replace(b"data: ", b"data:")
        + b"event: ping\ndata: {}\n\n"
        + delta("stop"),
        "Hello",
    ),
    Recorded(
        "OpenRouter comments, bare colons, empty data",
        b": OPENROUTER PROCESSING\n\n:\n\ndata: :\n\ndata:\n\n\n\n"
        + HELLO
        + b":\n"
        + delta("stop"),
        "Hello",
    ),
    Recorded(
        "null, missing and empty choices",
        frame({"choices": None})
        + frame({})
        + frame(None)
        + HELLO
        + frame({"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}),
        "Hello",
    ),
    Recorded("UTF-8 of every length", delta(content="ä€😀") + delta("stop"), "ä€😀"),
    Recorded(
        "raw UTF-8",
        'data: {"choices":[{"delta":{"content":"ä€😀"},"finish_reason":"stop"}]}\n\n'.encode(),
        "ä€😀",
    ),
    Recorded(
        "emoji split into two frames",
        delta(content="a\ud83d") + delta(content="\ude00b") + delta("stop"),
        "a😀b",
    ),
    Recorded("half an emoji", delta(content="a\ud83d") + delta("stop"), "a\ufffd"),
    Recorded(
        "data in two lines",
        b'data: {"choices":[{"delta":\ndata: {"content":"Hello"},"finish_reason":"stop"}]}\n\n',
        "Hello",
    ),
    Recorded(
        "Groq usage",
        HELLO
        + frame(
            {
                "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                "x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}},
            }
        ),
        "Hello",
        has_usage=True,
    ),
    Recorded(
        "content parts", delta(content=[{"type": "text", "text": "Hello"}]) + delta("stop"), "Hello"
    ),
    Recorded(
        "a second choice is ignored",
        HELLO
        + frame(
            {"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]}
        )
        + delta("stop"),
        "Hello",
    ),
    Recorded("unknown finish reason", HELLO + delta("eos"), "Hello"),
    Recorded("length", HELLO + delta("length"), "Hello", finish=FinishReason.LENGTH),
    Recorded("length without any text", delta("length"), finish=FinishReason.LENGTH),
    Recorded("filtered", HELLO + delta("content_filter"), "Hello", finish=FinishReason.FILTERED),
    Recorded(
        "whole completion instead of a stream",
        json.dumps(
            {
                "choices": [
                    {"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
                ],
                "usage": {"prompt_tokens": 1, "completion_tokens": 2},
            },
            indent=1,
        ).encode(),
        "Hello",
        has_usage=True,
    ),
    Recorded(
        "blank lines, then a whole completion",
        b"\n\n\n"
        + json.dumps(
            {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}
        ).encode(),
        "Hello",
    ),
    Recorded(
        "a printed call is text",
        delta(content='<tool_call>{"name":"read"}</tool_call>') + delta("stop"),
        '<tool_call>{"name":"read"}</tool_call>',
    ),
)

REASONING_SHAPES = (
    *(
        Recorded(
            name,
            delta(**{name: "Hmm, "}) + delta(**{name: "so."}) + HELLO + delta("stop"),
            "Hello",
            "Hmm, so.",
        )
        for name in ("reasoning_content", "reasoning", "thinking")
    ),
    Recorded(
        "two names for one thought",
        delta(reasoning_content="Hmm", reasoning="Hmm") + HELLO + delta("stop"),
        "Hello",
        "Hmm",
    ),
    Recorded(
        "think block",
        delta(content="\n<thi")
        + delta(content="nk>Hmm</th")
        + delta(content="ink>\n\n")
        + delta(content="Hello")
        + delta("stop"),
        "Hello",
        "Hmm",
    ),
    Recorded(
        "think block in one piece",
        delta(content="<think>Hmm</think>Hello") + delta("stop"),
        "Hello",
        "Hmm",
    ),
    Recorded(
        "think block that never ends",
        delta(content="<think>Hmm </thi") + delta("length"),
        "",
        "Hmm </thi",
        finish=FinishReason.LENGTH,
    ),
    Recorded(
        "almost a think block",
        delta(content="<thin") + delta(content="g>") + delta("stop"),
        "<thing>",
    ),
    Recorded("the beginning of a think block", delta(content="<thi") + delta("stop"), "<thi"),
    Recorded(
        "a later think block is text",
        HELLO + delta(content="<think>x</think>") + delta("stop"),
        "Hello<think>x</think>",
    ),
    Recorded(
        "think block cut off by a silent close",
        delta(content="<think>Hmm </t"),
        "",
        "Hmm </t",
        finish=None,
        failure=ModelInterruptedError,
    ),
)

CALL_SHAPES = (
    Recorded(
        "whole call in one delta (Ollama)",
        _calls(call_delta(0, "a", A[0], A_TEXT)),
        calls=(A,),
        finish=TOOLS,
        ids=("a",),
    ),
    Recorded(
        "arguments in every cut (llama.cpp)",
        _calls(call_delta(0, "a", A[0], "{"), *(call_delta(0, None, None, c) for c in A_TEXT[1:])),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "index 0 for every call",
        _calls(call_delta(0, "a", A[0], A_TEXT), call_delta(0, "b", B[0], B_TEXT)),
        calls=(A, B),
        finish=TOOLS,
        ids=("a", "b"),
    ),
    Recorded(
        "index 0 for every call, streamed",
        _calls(
            call_delta(0, "a", A[0], ""),
            call_delta(0, None, None, A_TEXT),
            call_delta(0, "b", B[0], ""),
            call_delta(0, None, None, B_TEXT),
        ),
        calls=(A, B),
        finish=TOOLS,
    ),
    Recorded(
        "interleaved",
        _calls(
            call_delta(0, "a", A[0], A_TEXT[:3]),
            call_delta(1, "b", B[0], B_TEXT[:4]),
            call_delta(0, None, None, A_TEXT[3:]),
            call_delta(1, None, None, B_TEXT[4:]),
        ),
        calls=(A, B),
        finish=TOOLS,
    ),
    Recorded(
        "no index, with ids",
        _calls(
            call_delta(None, "a", A[0], A_TEXT[:5]),
            call_delta(None, "a", None, A_TEXT[5:]),
            call_delta(None, "b", B[0], B_TEXT),
        ),
        calls=(A, B),
        finish=TOOLS,
    ),
    Recorded(
        "no index, no id, whole calls (Gemini)",
        _calls(call_delta(None, "", A[0], A_TEXT), call_delta(None, "", B[0], B_TEXT)),
        calls=(A, B),
        finish=TOOLS,
    ),
    Recorded(
        "no index, no id, streamed",
        _calls(call_delta(None, None, A[0], A_TEXT[:5]), call_delta(None, None, None, A_TEXT[5:])),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "empty id and empty names (LM Studio)",
        _calls(call_delta(0, "", A[0], ""), call_delta(0, "", "", A_TEXT)),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "a number as id",
        _calls({"index": 0, "id": 7, "function": {"name": A[0], "arguments": A_TEXT}}),
        calls=(A,),
        finish=TOOLS,
        ids=("7",),
    ),
    Recorded(
        "id and name repeated in every delta",
        _calls(call_delta(0, "a", A[0], A_TEXT[:5]), call_delta(0, "a", A[0], A_TEXT[5:])),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "name repeated, no id, no index",
        _calls(call_delta(None, None, A[0], A_TEXT[:5]), call_delta(None, None, A[0], A_TEXT[5:])),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "id after the name",
        _calls(call_delta(0, None, A[0], ""), call_delta(0, "a", None, A_TEXT)),
        calls=(A,),
        finish=TOOLS,
        ids=("a",),
    ),
    Recorded(
        "one call under two indexes",
        _calls(call_delta(0, "a", A[0], A_TEXT), call_delta(1, "a", A[0], A_TEXT)),
        calls=(A,),
        finish=TOOLS,
        ids=("a",),
    ),
    Recorded(
        "one call sent twice",
        _calls(call_delta(0, "a", A[0], A_TEXT), call_delta(0, "a", A[0], A_TEXT)),
        calls=(A,),
        finish=TOOLS,
        ids=("a",),
    ),
    Recorded(
        "one id for two calls",
        _calls(call_delta(0, "a", A[0], A_TEXT), call_delta(1, "a", B[0], B_TEXT)),
        calls=(A, B),
        finish=TOOLS,
    ),
    Recorded(
        "arguments as an object", _calls(call_delta(0, "a", B[0], B[1])), calls=(B,), finish=TOOLS
    ),
    Recorded(
        "no arguments at all",
        _calls(call_delta(0, "a", "now", "")),
        calls=(("now", {}),),
        finish=TOOLS,
    ),
    Recorded(
        "null where a call should be",
        delta(tool_calls=None) + delta(tool_calls=[None]) + HELLO + delta("stop"),
        "Hello",
    ),
    Recorded(
        "calls with finish reason stop",
        _calls(call_delta(0, "a", A[0], A_TEXT), end="stop"),
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "text, then a call",
        HELLO + _calls(call_delta(0, "a", A[0], A_TEXT)),
        "Hello",
        calls=(A,),
        finish=TOOLS,
    ),
    Recorded(
        "two equal calls with ids of their own",
        _calls(call_delta(0, "a", A[0], A_TEXT), call_delta(1, "b", A[0], A_TEXT)),
        calls=(A, A),
        finish=TOOLS,
    ),
)

BROKEN_CALL_SHAPES = (
    Recorded(
        "length inside arguments",
        _calls(call_delta(0, "a", A[0], A_TEXT[:-1]), end="length"),
        finish=FinishReason.LENGTH,
    ),
    Recorded(
        "length before any arguments",
        _calls(call_delta(0, "a", A[0], ""), end="length"),
        finish=FinishReason.LENGTH,
    ),
    Recorded(
        "length inside the second call",
        _calls(
            call_delta(0, "a", A[0], A_TEXT), call_delta(1, "b", B[0], B_TEXT[:3]), end="length"
        ),
        calls=(A,),
        finish=FinishReason.LENGTH,
    ),
    Recorded(
        "tool_calls with broken JSON",
        _calls(call_delta(0, "a", A[0], A_TEXT[:-1])),
        broken=(A[0],),
        finish=TOOLS,
    ),
    Recorded(
        "arguments that are no object",
        _calls(call_delta(0, "a", A[0], "[1]")),
        broken=(A[0],),
        finish=TOOLS,
    ),
    Recorded(
        "arguments with a number that JSON has not",
        _calls(call_delta(0, "a", A[0], '{"n": 1e999}')),
        broken=(A[0],),
        finish=TOOLS,
    ),
    Recorded(
        "arguments nested without end",
        _calls(call_delta(0, "a", A[0], "[" * 3000)),
        broken=(A[0],),
        finish=TOOLS,
    ),
    Recorded(
        "a call without a name",
        _calls(call_delta(0, "a", None, A_TEXT)),
        broken=("",),
        finish=TOOLS,
    ),
    Recorded(
        "filtered calls never run",
        _calls(call_delta(0, "a", A[0], A_TEXT), end="content_filter"),
        finish=FinishReason.FILTERED,
    ),
)

FAILURE_SHAPES = (
    Recorded(
        "OpenRouter error frame",
        HELLO
        + frame(
            {
                "error": {"code": 502, "message": "Provider disconnected"},
                "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
            }
        ),
        "Hello",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "flat vLLM error, then DONE",
        HELLO
        + frame({"object": "error", "message": "boom", "type": "InternalServerError", "code": 500})
        + DONE,
        "Hello",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "error field (llama.cpp)",
        HELLO + b'error: {"code":500,"message":"boom","type":"server_error"}\n\n',
        "Hello",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "error event",
        HELLO + b'event: error\ndata: {"code":429,"message":"slow"}\n\n',
        "Hello",
        finish=None,
        failure=ModelRateLimitError,
    ),
    Recorded(
        "error event without data",
        HELLO + b"event: error\n\n",
        "Hello",
        finish=None,
        failure=ModelRefusedError,
    ),
    Recorded(
        "error array in the stream (Gemini)",
        HELLO + frame([{"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED"}}]),
        "Hello",
        finish=None,
        failure=ModelRateLimitError,
    ),
    Recorded(
        "silent close after text (Ollama)",
        HELLO,
        "Hello",
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "DONE without a finish reason",
        HELLO + DONE,
        "Hello",
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "silent close inside arguments",
        delta(tool_calls=[call_delta(0, "a", A[0], A_TEXT[:4])]),
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "silent close after whole arguments",
        delta(tool_calls=[call_delta(0, "a", A[0], A_TEXT)]),
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "close inside a frame",
        HELLO + delta("stop")[:-12],
        "Hello",
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "error after a call",
        _calls(call_delta(0, "a", A[0], A_TEXT)) + _error_frame(error={"message": "boom"}),
        finish=None,
        failure=ModelRefusedError,
    ),
    Recorded(
        "first frame is an error",
        _error_frame(error={"message": "boom", "code": 500}),
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "error inside the choice",
        HELLO + frame({"choices": [{"error": {"code": 429}, "finish_reason": "stop"}]}),
        "Hello",
        finish=None,
        failure=ModelRateLimitError,
    ),
    Recorded(
        "error while text is held back",
        delta(content="<thi") + _error_frame(error={"message": "boom"}),
        "<thi",
        finish=None,
        failure=ModelRefusedError,
    ),
    Recorded(
        "finish reason error",
        HELLO + delta("error"),
        "Hello",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "200 with an error body (LM Studio)",
        json.dumps({"error": "Unexpected endpoint or method. (POST /chat/completions)"}).encode(),
        finish=None,
        failure=ModelProtocolError,
    ),
    Recorded(
        "200 with a text error",
        json.dumps({"error": "boom"}).encode(),
        finish=None,
        failure=ModelRefusedError,
    ),
    Recorded(
        "200 with some other JSON", b'{"hello": "world"}', finish=None, failure=ModelProtocolError
    ),
    Recorded(
        "200 with a web page",
        b"<!doctype html><title>Log in</title>",
        finish=None,
        failure=ModelProtocolError,
    ),
    Recorded(
        "200 with a JSON array that is nothing", b"[1, 2]", finish=None, failure=ModelProtocolError
    ),
    Recorded(
        "a frame that is not JSON",
        HELLO + b"data: oops\n\n" + delta("stop"),
        "Hello",
        finish=None,
        failure=ModelMalformedError,
    ),
    Recorded("an empty body", b"", finish=None, failure=ModelInterruptedError),
    Recorded("comments only", b": ping\n\n" * 5, finish=None, failure=ModelInterruptedError),
)

ALL_SHAPES = TEXT_SHAPES + REASONING_SHAPES + CALL_SHAPES + BROKEN_CALL_SHAPES + FAILURE_SHAPES
