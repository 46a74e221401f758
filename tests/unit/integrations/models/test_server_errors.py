"""Every known refusal lands in the class that tells the user what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ankita.errors import (
    ModelAuthenticationError,
    ModelClientError,
    ModelContextError,
    ModelError,
    ModelLoadingError,
    ModelPaidError,
    ModelProtocolError,
    ModelQuotaError,
    ModelRateLimitError,
    ModelRefusedError,
    ModelUnavailableError,
)
from ankita.integrations.models.server_errors import Refusal, sort_refusal, unknown_options
from ankita.integrations.models.server_words import (
    MAX_QUOTED_CHARACTERS,
    MAX_RETRY_AFTER_SECONDS,
)

KEY = "sk-secret-0123456789"


def sort(status: int, body: Any, key: str = "", **headers: str) -> ModelError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sort_refusal(Refusal(status, body, "host:1", "the-model", named, key))


def nested(message: str = "", **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


LM_STUDIO_CONTEXT = {
    "error": "Engine protocol predict request returned 400: "
    + json.dumps(nested("too big", type="exceed_context_size_error", n_ctx=4096))
}
GOOGLE_RATE = [
    {
        "error": {
            "code": 429,
            "message": "Quota exceeded for quota metric 'requests' per minute",
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/RetryInfo", "retryDelay": "13s"}],
        }
    }
]
KILO_CREDIT = nested("Add credits", title="Credit", balance=0, buyCreditsUrl="https://x.test")

CASES = [
    ("key refused", 401, nested("x", code="invalid_api_key"), ModelAuthenticationError, "key"),
    ("llama.cpp key", 401, nested("Invalid API Key", type="authentication_error"),
     ModelAuthenticationError, "key"),
    ("Gemini key", 400, [nested("API key not valid. Please pass a valid API key.")],
     ModelAuthenticationError, "key"),
    ("OpenRouter key", 401, nested("User not found.", code=401), ModelAuthenticationError, "key"),
    ("403 about a key", 403, nested("This API key has no access"), ModelAuthenticationError, "key"),
    ("403 without a word of a key", 403, nested("flagged by moderation"), ModelRefusedError,
     "does not allow"),
    ("403 country", 403, nested("Country not supported", code="unsupported_country"),
     ModelRefusedError, "does not allow"),
    ("402", 402, "anything", ModelQuotaError, "used up"),
    ("OpenAI quota", 429, nested("x", type="insufficient_quota"), ModelQuotaError, "used up"),
    ("spend limit", 429, nested("x", code="enforced_spend_limit_reached"), ModelQuotaError,
     "used up"),
    ("usage limits", 400, nested("You reached your usage limits. You will regain access on Mon."),
     ModelQuotaError, "used up"),
    ("OpenRouter budget in flight", 402,
     nested("x", metadata={"limit_source": "openrouter_in_flight_budget"}),
     ModelRateLimitError, "no more requests"),
    ("Kilo credit", 402, KILO_CREDIT, ModelPaidError, "paid for"),
    ("Kilo paid model", 401, nested("x", code="PAID_MODEL_AUTH_REQUIRED"), ModelPaidError,
     "paid for"),
    ("Kilo promotion limit", 401, nested("x", code="PROMOTION_MODEL_LIMIT_REACHED"),
     ModelRateLimitError, "no more requests"),
    ("Kimi coding route", 403, nested("x", type="access_terminated_error"), ModelClientError,
     "certain other programs"),
    ("coding agents only", 403, nested("Kimi is currently only available for Coding Agents"),
     ModelClientError, "certain other programs"),
    ("plain 429", 429, "", ModelRateLimitError, "no more requests"),
    ("Google per minute", 429, GOOGLE_RATE, ModelRateLimitError, "no more requests"),
    ("slow down", 503, nested("x", code="slow_down"), ModelRateLimitError, "no more requests"),
    ("OpenAI model", 404, nested("x", code="model_not_found"), ModelRefusedError, "no model named"),
    ("Ollama model", 404, nested("model 'x' not found"), ModelRefusedError, "no model named"),
    ("LM Studio no model", 400, {"error": "No models loaded. Please load one."},
     ModelRefusedError, "no model named"),
    ("vLLM model", 404, {"object": "error", "message": "The model `x` does not exist.",
     "type": "NotFoundError", "code": 404}, ModelRefusedError, "no model named"),
    ("Ollama tools", 400, nested("registry/x does not support tools"), ModelRefusedError,
     "cannot use tools"),
    ("vLLM tools", 400, nested('"auto" tool choice requires --enable-auto-tool-choice'),
     ModelRefusedError, "cannot use tools"),
    ("OpenAI context", 400, nested("x", code="context_length_exceeded"), ModelContextError,
     "longer"),
    ("llama.cpp context", 400, nested("x", type="exceed_context_size_error",
     n_prompt_tokens=40019, n_ctx=16384), ModelContextError, "40,019 of 16,384"),
    ("LM Studio context, wrapped twice", 400, LM_STUDIO_CONTEXT, ModelContextError, "longer"),
    ("loading", 503, nested("Loading model", type="unavailable_error", code=503),
     ModelLoadingError, "still loading"),
    ("upstream down", 502, "<html>Bad gateway</html>", ModelUnavailableError, "could not serve"),
    ("overloaded", 529, nested("x", type="overloaded_error"), ModelUnavailableError,
     "could not serve"),
    ("malformed tools at llama.cpp", 500, nested("boom"), ModelUnavailableError, "could not serve"),
    ("wrong path", 404, {"detail": "Not Found"}, ModelProtocolError, "not as a model server"),
    ("wrong method", 405, "", ModelProtocolError, "not as a model server"),
    ("redirect", 302, "", ModelProtocolError, "not as a model server"),
    ("LM Studio wrong path with 200", 200, {"error": "Unexpected endpoint or method. (GET /x)"},
     ModelProtocolError, "not as a model server"),
    ("Kilo wrong path", 400, {"error": "Invalid path", "message": "Invalid path"},
     ModelProtocolError, "not as a model server"),
    ("anything else", 418, nested("short and stout"), ModelRefusedError, "status 418"),
    ("a number in a text is no status", 200, nested("error 429 in line 401"), ModelRefusedError,
     "refused the request"),
    ("status in the body of a stream", 200, nested("x", code=429), ModelRateLimitError,
     "no more requests"),
]  # fmt: skip


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    ("status", "body", "kind", "words"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_known_refusal_is_told_apart(
    status: int, body: Any, kind: type[ModelError], words: str
) -> None:
    error = sort(status, body)
    assert type(error) is kind
    assert words in error.message
    assert error.message.startswith(("host:1", "The "))
    assert error.message.endswith(".")
    assert error.advice


@pytest.mark.spec("PRV-4")
def test_a_refused_key_and_a_missing_one_read_differently() -> None:
    assert "wants a key" in sort(401, "").message
    assert "refused the key" in sort(401, "", key=KEY).message


@pytest.mark.spec("PRV-4")
@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry_after": "12"}, "", 12.0),
        ({"retry_after": "12", "retry_after_ms": "1500"}, "", 1.5),
        ({"retry_after": "10000000000"}, "", MAX_RETRY_AFTER_SECONDS),
        ({"retry_after": "9" * 400}, "", MAX_RETRY_AFTER_SECONDS),
        ({"retry_after": "nan"}, "", None),
        ({"retry_after": "-5"}, "", None),
        ({"retry_after": "soon"}, "", None),
        (
            {
                "retry_after": "Mon, 30 Nov 2026 10:00:30 GMT",
                "date": "Mon, 30 Nov 2026 10:00:00 GMT",
            },
            "",
            30.0,
        ),
        ({"retry_after": "Mon, 30 Nov 2026 10:00:30 GMT"}, "", None),
        ({}, nested("Please try again in 6m0s."), 360.0),
        ({}, nested("Please try again in 250ms."), 0.25),
        ({}, nested("Please try again in 7.5 seconds"), 7.5),
        ({}, GOOGLE_RATE, 13.0),
        (
            {
                "x_ratelimit_remaining_requests": "0",
                "x_ratelimit_reset_requests": "1m30s",
                "x_ratelimit_remaining_tokens": "9",
                "x_ratelimit_reset_tokens": "1s",
            },
            "",
            90.0,
        ),
        ({}, nested("Slow down, please."), None),
    ],
)
def test_the_wait_is_read_from_wherever_the_server_puts_it(
    headers: dict[str, str], body: Any, seconds: float | None
) -> None:
    error = sort(429, body, **headers)
    assert isinstance(error, ModelRateLimitError)
    assert error.retry_after_seconds == seconds


@pytest.mark.spec("PRV-4")
def test_the_wait_is_said_in_words() -> None:
    assert "in 12 seconds" in sort(429, "", retry_after="12").advice
    assert "in 1 second." in sort(429, "", retry_after="0.2").advice
    assert "in 5 minutes" in sort(429, "", retry_after="300").advice


@pytest.mark.spec("PRV-8")
@pytest.mark.parametrize("status", [400, 401, 403, 418, 429, 500, 200])
@pytest.mark.parametrize("said", [KEY, f"bad key {KEY}!", f"key ends in {KEY[-9:]}", KEY[:10]])
def test_no_error_repeats_any_part_of_the_key(status: int, said: str) -> None:
    error = sort(status, nested(said), key=KEY)
    assert not any(KEY[start : start + 8] in error.sentence() for start in range(len(KEY) - 7))
    assert KEY not in repr(Refusal(status, "", "host", "model", {}, KEY))


@pytest.mark.spec("PRV-4")
def test_a_servers_own_words_are_quoted_as_one_short_plain_line() -> None:
    spoken = "line one\nline\u202e two\x00 " + "long " * 100
    advice = sort(418, nested(spoken)).advice
    quote = advice.partition("“")[2].removesuffix("”")
    assert quote.startswith("line one line two long")
    assert quote.isprintable()
    assert len(quote) == MAX_QUOTED_CHARACTERS


def test_a_body_nested_without_end_is_survived() -> None:
    body: Any = "deep"
    for _ in range(5000):
        body = [body]
    assert isinstance(sort(400, body), ModelRefusedError)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (nested("Unrecognized request argument supplied: stream_options"), ("stream_options",)),
        (nested("x", param="parallel_tool_calls"), ("parallel_tool_calls",)),
        (
            {"detail": [{"loc": ["body", "stream_options"], "msg": "extra inputs"}]},
            ("stream_options",),
        ),
        (nested("messages is wrong"), ()),
    ],
)
def test_the_option_that_a_server_does_not_know_is_found(body: Any, named: Any) -> None:
    assert unknown_options(body, ("stream_options", "parallel_tool_calls")) == named
