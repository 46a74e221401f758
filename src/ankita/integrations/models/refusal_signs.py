"""The signs by which a server's refusal is told apart, each of them one question. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ankita.integrations.models.server_words import ServerWords


@dataclass(frozen=True, slots=True)
class RefusalCase:
    """A refusal as it is judged. `status` is the one that counts, from the line or the body.

    `text` is everything that was said, in lower case.
    """

    status: int
    words: ServerWords
    text: str
    headers: Mapping[str, str]
    server: str
    model: str
    secret: str

    def says(self, *phrases: str) -> bool:
        return any(phrase in self.text for phrase in phrases)

    def has_code(self, *codes: str) -> bool:
        return any(code in self.words.codes for code in codes)


def is_client_only(case: RefusalCase) -> bool:
    return case.has_code("access_terminated_error") or case.says("available for coding agents")


def is_loading(case: RefusalCase) -> bool:
    return case.status == 503 and case.says("loading model", "model is loading")


def is_context(case: RefusalCase) -> bool:
    if case.status in (401, 402, 403, 429):
        return False
    codes = ("context_length_exceeded", "exceed_context_size_error", "request_too_large")
    return case.status == 413 or case.has_code(*codes) or case.says(*_CONTEXT_PHRASES)


_CONTEXT_PHRASES = (
    "maximum context length",
    "maximum prompt length",
    "context length is only",
    "context length of only",
    "context length exceeded",
    "exceeds the available context size",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "exceed context limit",
    "prompt is too long",
)


def is_without_tools(case: RefusalCase) -> bool:
    return case.says(
        "does not support tools",
        "tool choice requires",
        "tool-call-parser",
        "no endpoints found that support tool use",
    )


def is_paid_model(case: RefusalCase) -> bool:
    """A model that costs, as against an account whose credit ran out."""
    return case.has_code("paid_model_auth_required") or "buycreditsurl" in case.words.fields


def is_quota(case: RefusalCase) -> bool:
    if case.has_code("openrouter_in_flight_budget"):
        return False
    codes = (
        "insufficient_quota",
        "billing_error",
        "billing_hard_limit_reached",
        "credit_balance_exhausted",
        "enforced_spend_limit_reached",
    )
    is_spent = "usage limits" in case.text and "regain access" in case.text
    is_spent = is_spent or case.says("credit balance is too low")
    return case.status == 402 or case.has_code(*codes) or is_spent


def is_rate(case: RefusalCase) -> bool:
    return case.status == 429 or case.has_code(
        "rate_limit_exceeded",
        "rate_limit_error",
        "slow_down",
        "resource_exhausted",
        "promotion_model_limit_reached",
        "openrouter_in_flight_budget",
    )


def is_authentication(case: RefusalCase) -> bool:
    codes = ("invalid_api_key", "authentication_error", "api_key_invalid")
    names_a_key = case.says("api key", "api-key", "apikey", "credential", "access token")
    return (
        case.status == 401
        or case.has_code(*codes)
        or (case.status == 403 and names_a_key)
        or case.says("api key not valid", "invalid api key", "incorrect api key")
    )


def is_missing_model(case: RefusalCase) -> bool:
    return (
        case.has_code("model_not_found")
        or case.says("no models loaded", "model not found")
        or (case.status == 404 and case.says("model"))
    )


def is_wrong_address(case: RefusalCase) -> bool:
    wrong_path = case.says("unexpected endpoint", "invalid path")
    return 300 <= case.status < 400 or case.status in (404, 405) or wrong_path


def is_policy(case: RefusalCase) -> bool:
    return case.status == 403 or case.has_code("content_filter", "content_policy_violation")


def is_unavailable(case: RefusalCase) -> bool:
    codes = ("overloaded_error", "unavailable_error", "server_error", "api_error", "timeout_error")
    return case.status in (408, 409, 500, 502, 503, 504, 529) or case.has_code(*codes)
