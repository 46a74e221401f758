"""Whole replies in the dress of each server, as its own wire format has them.

Written after the wire behaviour of the server each is named for; none is a copy of a
capture. `recorded_replies` has the single shapes, these have them as they come together.
"""

from __future__ import annotations

from typing import Any

from ankita.errors import (
    ModelContextError,
    ModelInterruptedError,
    ModelRateLimitError,
    ModelUnavailableError,
)
from ankita.messages import FinishReason
from tests.servers.recorded_replies import A_TEXT, B_TEXT, TOOLS, A, B, Recorded
from tests.servers.scripted_chat_server import COMMENT, DONE, call_delta, delta, frame, usage

FIGURES = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def chunk(delta_: Any, finish: str | None = None, **top: Any) -> bytes:
    """One frame whose choice and top have more fields than are read."""
    choice = {"index": 0, "delta": delta_, "logprobs": None, "finish_reason": finish}
    return frame({"id": "chatcmpl-1", "created": 1, "choices": [choice], **top})


def signed(name: str, arguments: str, signature: str | None) -> dict[str, Any]:
    extra = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
    return {**call_delta(None, "", name, arguments), **extra}


SERVER_SHAPES = (
    Recorded(
        "Ollama: thinking, then a call, usage apart",
        chunk({"role": "assistant", "content": "", "reasoning": "Hmm"})
        + chunk({"role": "assistant", "content": "Hello"})
        + chunk({"content": "", "tool_calls": [call_delta(0, "a", A[0], A_TEXT)]})
        + chunk({"content": "", "tool_calls": [call_delta(0, "b", B[0], B_TEXT)]})
        + chunk({"role": "assistant", "content": ""}, "tool_calls")
        + usage()
        + DONE,
        "Hello",
        "Hmm",
        calls=(A, B),
        finish=TOOLS,
        has_usage=True,
    ),
    Recorded(
        "Ollama: an error that is swallowed",
        chunk({"role": "assistant", "content": "Hel"}) + chunk({"content": ""}),
        "Hel",
        finish=None,
        failure=ModelInterruptedError,
    ),
    Recorded(
        "LM Studio: bare number as id, name in the first piece only",
        chunk({"role": "assistant", "reasoning_content": "Hmm"})
        + chunk({"tool_calls": [{"index": 0, "id": 41, "function": {"name": A[0]}}]})
        + chunk({"tool_calls": [call_delta(0, None, "", A_TEXT[:4])]})
        + chunk({"tool_calls": [call_delta(0, None, "", A_TEXT[4:])]})
        + chunk({}, "tool_calls")
        + usage()
        + DONE,
        "",
        "Hmm",
        calls=(A,),
        finish=TOOLS,
        has_usage=True,
        ids=("41",),
    ),
    Recorded(
        "LM Studio: the model's template fails inside the stream",
        b'event: error\ndata: {"error":{"message":"Error rendering prompt with jinja template",'
        b'"code":500}}\n\n',
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "llama.cpp: timings on the last frame",
        chunk({"role": "assistant", "content": None})
        + chunk({"reasoning_content": "Hm"})
        + chunk({"reasoning_content": "m"})
        + chunk({"content": "Hello"})
        + chunk({}, "stop", usage=FIGURES, timings={"prompt_n": 7})
        + DONE,
        "Hello",
        "Hmm",
        has_usage=True,
    ),
    Recorded(
        "llama.cpp: the error field holds a context error",
        b'error: {"code":400,"message":"too long","type":"exceed_context_size_error",'
        b'"n_prompt_tokens":9,"n_ctx":8}\n\n',
        finish=None,
        failure=ModelContextError,
    ),
    Recorded(
        "vLLM: reasoning, calls and a frame of usage",
        chunk({"role": "assistant", "content": ""})
        + chunk({"reasoning": "Hmm"})
        + chunk({"tool_calls": [call_delta(0, "a", A[0], None)]})
        + chunk({"tool_calls": [call_delta(0, None, None, A_TEXT)]})
        + chunk({"content": ""}, "tool_calls", stop_reason=None)
        + usage()
        + DONE,
        "",
        "Hmm",
        calls=(A,),
        finish=TOOLS,
        has_usage=True,
    ),
    Recorded(
        "vLLM: nested error, then DONE",
        chunk({"role": "assistant", "content": "Hel"})
        + frame({"error": {"message": "boom", "type": "InternalServerError", "code": 500}})
        + DONE,
        "Hel",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "OpenRouter: comments, details, native reason",
        b": OPENROUTER PROCESSING\n\n" * 3
        + chunk(
            {
                "role": "assistant",
                "content": "",
                "reasoning": "Hmm",
                "reasoning_details": [{"type": "reasoning.text", "text": "Hmm", "index": 0}],
            }
        )
        + chunk({"content": "Hello"})
        + frame(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "content": ""},
                        "finish_reason": "stop",
                        "native_finish_reason": "end_turn",
                    }
                ],
                "usage": FIGURES,
            }
        )
        + DONE,
        "Hello",
        "Hmm",
        has_usage=True,
    ),
    Recorded(
        "OpenRouter: an upstream's malformed call",
        b": OPENROUTER PROCESSING\n\n"
        + frame(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": ""},
                        "finish_reason": "error",
                        "native_finish_reason": "MALFORMED_FUNCTION_CALL",
                    }
                ]
            }
        ),
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "OpenRouter: the first frame says rate",
        frame(
            {
                "error": {"code": 429, "message": "slow"},
                "choices": [{"delta": {"content": ""}, "finish_reason": "error"}],
            }
        ),
        finish=None,
        failure=ModelRateLimitError,
    ),
    Recorded(
        "Groq: whole calls, its own usage",
        chunk({"role": "assistant", "content": None}, x_groq={"id": "req_1"})
        + chunk({"reasoning": "Hmm"})
        + chunk(
            {"tool_calls": [call_delta(0, "a", A[0], A_TEXT), call_delta(1, "b", B[0], B_TEXT)]}
        )
        + chunk({}, "tool_calls", x_groq={"id": "req_1", "usage": FIGURES})
        + DONE,
        "",
        "Hmm",
        calls=(A, B),
        finish=TOOLS,
        has_usage=True,
        ids=("a", "b"),
    ),
    Recorded(
        "Gemini: signed calls in chunks of their own, usage in each",
        chunk({"role": "assistant", "tool_calls": [signed(A[0], A_TEXT, "s1")]}, usage=FIGURES)
        + chunk({"role": "assistant", "tool_calls": [signed(B[0], B_TEXT, None)]}, usage=FIGURES)
        + chunk({"role": "assistant"}, "stop", usage=FIGURES)
        + DONE,
        calls=(A, B),
        finish=TOOLS,
        has_usage=True,
    ),
    Recorded(
        "Gemini: a call that it could not write",
        chunk({"role": "assistant"}, "function_call_filter: MALFORMED_FUNCTION_CALL") + DONE,
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "DeepSeek: keep-alives between thoughts",
        b": keep-alive\n\n"
        + chunk({"role": "assistant", "content": None, "reasoning_content": "Hm"})
        + b": keep-alive\n\n"
        + chunk({"content": None, "reasoning_content": "m"})
        + chunk({"content": "Hello", "reasoning_content": None})
        + chunk({"content": "", "reasoning_content": None}, "stop")
        + usage()
        + DONE,
        "Hello",
        "Hmm",
        has_usage=True,
    ),
    Recorded(
        "DeepSeek: out of resources",
        chunk({"role": "assistant", "content": "Hel"})
        + chunk({"content": ""}, "insufficient_system_resource")
        + DONE,
        "Hel",
        finish=None,
        failure=ModelUnavailableError,
    ),
    Recorded(
        "Kilo: comments, usage on the tail",
        b": KILO PROCESSING\n\n"
        + COMMENT
        + chunk({"role": "assistant", "content": "Hel"})
        + chunk({"content": "lo"})
        + chunk({}, "stop", usage=FIGURES)
        + DONE,
        "Hello",
        has_usage=True,
    ),
    Recorded(
        "a gateway that wraps lines and ends them with CRLF",
        b'data: {"choices":[{"delta":\r\ndata: {"content":"Hello"},\r\n'
        b'data: "finish_reason":"stop"}]}\r\n\r\n',
        "Hello",
    ),
    Recorded(
        "a thinking model that reached its limit",
        chunk({"role": "assistant", "reasoning": "Hmm"}) + delta("length") + DONE,
        "",
        "Hmm",
        finish=FinishReason.LENGTH,
    ),
)
