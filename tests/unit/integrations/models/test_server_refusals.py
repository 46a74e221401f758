"""What each kind of server answers instead of a reply, in the bodies it really uses."""

from __future__ import annotations

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
from ankita.integrations.models.server_errors import Refusal, sort_refusal

pytestmark = pytest.mark.spec("PRV-4")


def told(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def flat(message: str, kind: str, code: int) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def google(code: int, status: str, message: str, **more: Any) -> list[dict[str, Any]]:
    return [{"error": {"code": code, "message": message, "status": status, **more}}]


TOO_MANY = told("Rate limit reached. Please try again in 6m0s.", code="rate_limit_exceeded")
NO_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'

CASES: dict[str, tuple[int, Any, type[ModelError]]] = {
    "Ollama: model": (404, told('model "x" not found, try pulling it first', type="api_error"),
                      ModelRefusedError),
    "Ollama: tools": (400, told("registry.test/x does not support tools"), ModelRefusedError),
    "Ollama: broken": (500, told("llama runner process has terminated", type="api_error"),
                       ModelUnavailableError),
    "LM Studio: path": (200, {"error": "Unexpected endpoint or method. (POST /v1/x)"},
                        ModelProtocolError),
    "LM Studio: none loaded": (404, {"error": "No models loaded. Please load a model."},
                               ModelRefusedError),
    "llama.cpp: loading": (503, told("Loading model", type="unavailable_error", code=503),
                           ModelLoadingError),
    "llama.cpp: key": (401, told("Invalid API Key", type="authentication_error", code=401),
                       ModelAuthenticationError),
    "llama.cpp: broken": (500, told("boom", type="server_error", code=500), ModelUnavailableError),
    "vLLM: flat, model": (404, flat("The model `x` does not exist.", "NotFoundError", 404),
                          ModelRefusedError),
    "vLLM: nested, model": (404, told("The model `x` does not exist.", type="NotFoundError"),
                            ModelRefusedError),
    "vLLM: flat, tools": (400, flat(NO_TOOLS, "BadRequestError", 400), ModelRefusedError),
    "vLLM: nested, tools": (400, told(NO_TOOLS, type="BadRequestError"), ModelRefusedError),
    "vLLM: flat, in the stream": (200, flat("boom", "InternalServerError", 500),
                                  ModelUnavailableError),
    "OpenRouter: key": (401, told("User not found.", code=401), ModelAuthenticationError),
    "OpenRouter: credit": (402, told("Insufficient credits", code=402), ModelQuotaError),
    "OpenRouter: in flight": (
        402, told("x", code=402, metadata={"limit_source": "openrouter_in_flight_budget"}),
        ModelRateLimitError),
    "OpenRouter: moderation": (403, told("Flagged", code=403, metadata={"reasons": ["x"]}),
                               ModelRefusedError),
    "OpenRouter: upstream": (502, told("Provider returned error", code=502),
                             ModelUnavailableError),
    "OpenRouter: no provider": (503, told("No instances available", code=503),
                                ModelUnavailableError),
    "Groq: rate": (429, TOO_MANY, ModelRateLimitError),
    "Groq: too large": (413, told("Request too large for model", code="rate_limit_exceeded"),
                        ModelContextError),
    "Groq: overloaded": (498, told("capacity exceeded", code="slow_down"), ModelRateLimitError),
    "Gemini: key": (400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass one."),
                    ModelAuthenticationError),
    "Gemini: rate": (429, google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric x "
                                 "per minute", details=[{"retryDelay": "13s"}]),
                     ModelRateLimitError),
    "Gemini: overloaded": (503, google(503, "UNAVAILABLE", "The model is overloaded."),
                           ModelUnavailableError),
    "DeepSeek: balance": (402, told("Insufficient Balance", type="unknown_error"),
                          ModelQuotaError),
    "DeepSeek: key": (401, told("Authentication Fails", type="authentication_error"),
                      ModelAuthenticationError),
    "Kilo: paid": (401, told("Sign in", code="PAID_MODEL_AUTH_REQUIRED"), ModelPaidError),
    "Kilo: credit": (402, told("Add credits", title="Paid model", balance=0,
                               buyCreditsUrl="https://x.test"), ModelPaidError),
    "Kilo: promotion": (401, told("Later", code="PROMOTION_MODEL_LIMIT_REACHED"),
                        ModelRateLimitError),
    "Kilo: model": (404, {"error": "Model not found", "message": "Model not found"},
                    ModelRefusedError),
    "Kilo: path": (400, {"error": "Invalid path", "message": "Invalid path"}, ModelProtocolError),
    "Kimi: client only": (403, told("only available for Coding Agents",
                                    type="access_terminated_error"), ModelClientError),
    "OpenAI: quota": (429, told("You exceeded your current quota", type="insufficient_quota"),
                      ModelQuotaError),
    "a conflict": (409, told("conflict"), ModelUnavailableError),
    "a proxy's page": (504, "<html>Gateway timeout</html>", ModelUnavailableError),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind"), CASES.values(), ids=CASES.keys())
def test_each_server_is_understood(status: int, body: Any, kind: type[ModelError]) -> None:
    error = sort_refusal(Refusal(status, body, "host:1", "the-model"))
    assert type(error) is kind
    assert error.message.endswith(".")
    assert error.advice
    assert "<html" not in error.sentence()


@pytest.mark.parametrize("status", [429, 503])
def test_the_wait_is_given_to_who_asks_again(status: int) -> None:
    error = sort_refusal(Refusal(status, "", "host:1", "the-model", {"retry-after": "12"}))
    assert isinstance(error, ModelRateLimitError | ModelUnavailableError)
    assert error.retry_after_seconds == 12
    assert "12 seconds" in error.advice
