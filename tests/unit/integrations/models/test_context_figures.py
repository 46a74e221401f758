"""The figures of a refusal for length are read from every known wording."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ankita.errors import ModelContextError
from ankita.integrations.models.server_errors import Refusal, sort_refusal

pytestmark = pytest.mark.spec("PRV-4")

LLAMA = {
    "code": 400,
    "message": "request (40019 tokens) exceeds the available context size (16384 tokens)",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 40019,
    "n_ctx": 16384,
}


def told(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


CASES = {
    "llama.cpp": ({"error": LLAMA}, 40019, 16384),
    "llama.cpp, fields alone": (
        told("too big", type="exceed_context_size_error", n_prompt_tokens=9000, n_ctx=4096),
        9000, 4096),
    "llama.cpp, words alone": (told(LLAMA["message"]), 40019, 16384),
    "llama.cpp, older": (told("the request exceeds the available context size (4096 tokens), try "
                              "increasing it"), None, 4096),
    "LM Studio, wrapped twice": (
        {"error": "Engine protocol predict request returned 400: " + json.dumps({"error": LLAMA})},
        40019, 16384),
    "LM Studio, own words": (
        {"error": "Trying to keep the first 5210 tokens when context the overflows. However, the "
                  "model is loaded with context length of only 4096 tokens."}, 5210, 4096),
    "OpenAI": (told("This model's maximum context length is 8192 tokens. However, your messages "
                    "resulted in 9001 tokens.", code="context_length_exceeded"), 9001, 8192),
    "vLLM, flat": (
        {"object": "error", "code": 400, "type": "BadRequestError",
         "message": "This model's maximum context length is 4096 tokens. However, you requested "
                    "5200 tokens (5000 in the messages, 200 in the completion)."}, 5000, 4096),
    "vLLM, newer": (told("You passed 5000 input tokens and requested 100 output tokens. However, "
                         "the model's context length is only 4096 tokens."), 5000, 4096),
    "OpenRouter": (
        told("This endpoint's maximum context length is 131072 tokens. However, you requested "
             "about 150,500 tokens (150000 of text input, 500 of tool input).", code=400),
        150000, 131072),
    "DeepSeek": (told("This model's maximum context length is 65536 tokens. However, you requested "
                      "70000 tokens."), 70000, 65536),
    "Gemini": ([told("The input token count (1200000) exceeds the maximum number of tokens "
                     "allowed (1048576).", status="INVALID_ARGUMENT")], 1200000, 1048576),
    "Anthropic's words": (told("prompt is too long: 210000 tokens > 200000 maximum"),
                          210000, 200000),
    "Mistral": (told("Prompt contains 40000 tokens and 0 draft tokens, too large for model with "
                     "32768 maximum context length"), 40000, 32768),
    "xAI": (told("This model's maximum prompt length is 131072 but the request contains 200000 "
                 "tokens."), 200000, 131072),
    "Groq, no figures": (told("Please reduce the length.", code="context_length_exceeded"),
                         None, None),
}  # fmt: skip


@pytest.mark.parametrize(("body", "used", "room"), CASES.values(), ids=CASES.keys())
def test_the_figures_are_found(body: Any, used: int | None, room: int | None) -> None:
    error = sort_refusal(Refusal(400, body, "host:1", "the-model"))
    assert type(error) is ModelContextError
    assert (error.prompt_tokens, error.context_tokens) == (used, room)
    if used and room:
        assert f"({used:,} of {room:,} tokens)" in error.message
    elif room:
        assert f"{room:,} tokens" in error.message
