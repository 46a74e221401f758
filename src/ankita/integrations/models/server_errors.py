"""Sorts what a model server answers instead of a reply into the classes of ModelError.

Pure. The sentences are ours; a server's own words are shown only where they fit no
class, shortened, as plain text, and never when they hold a part of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ankita.errors import (
    ModelAuthenticationError,
    ModelContextError,
    ModelError,
    ModelLoadingError,
    ModelProtocolError,
    ModelRateLimitError,
    ModelRefusedError,
)
from ankita.integrations.models.server_words import ServerWords, read_words, retry_after_seconds
from ankita.messages import Json


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is not a reply.

    `status` is the HTTP status, 200 for an error inside a stream. `body` is parsed
    JSON or text. `headers` has lower-case names. `server` is what the user sees
    ("127.0.0.1:8080"). `secret` is only compared, never shown.
    """

    status: int
    body: Json
    server: str
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class _Case:
    refusal: Refusal
    words: ServerWords
    status: int
    text: str

    def says(self, *phrases: str) -> bool:
        return any(phrase in self.text for phrase in phrases)

    def has_code(self, *codes: str) -> bool:
        return any(code in self.words.codes for code in codes)


def sort_refusal(refusal: Refusal) -> ModelError:
    """The error to raise for this answer."""
    words = read_words(refusal.body)
    status = refusal.status if refusal.status >= 300 else words.status_code() or refusal.status
    case = _Case(refusal, words, status, words.text)
    for applies, build in _RULES:
        if applies(case):
            return build(case)
    return _refused(case)


def not_a_model_server(server: str) -> ModelProtocolError:
    """The error for an answer that no model server would give."""
    return ModelProtocolError(
        f"{server} answers, but not as a model server does at this address.",
        advice="Check the address in Settings; most servers want it to end in /v1.",
    )


def unknown_options(body: Json, options: tuple[str, ...]) -> tuple[str, ...]:
    """Those of `options` that a server's refusal names."""
    words = read_words(body)
    named = words.text + " " + " ".join(words.codes)
    return tuple(option for option in options if option in named)


def _is_client_only(case: _Case) -> bool:
    return case.has_code("access_terminated_error") or case.says("available for coding agents")


def _client_only(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"{case.refusal.server} serves this model only to certain other programs.",
        advice="Choose another model, or a key that is meant for general use.",
    )


def _is_loading(case: _Case) -> bool:
    return case.status == 503 and case.says("loading model", "model is loading")


def _loading(case: _Case) -> ModelError:
    return ModelLoadingError(
        f"{case.refusal.server} is still loading the model.",
        advice="Try again in a moment.",
    )


def _is_context(case: _Case) -> bool:
    if case.status in (401, 402, 403, 429):
        return False
    codes = ("context_length_exceeded", "exceed_context_size_error", "request_too_large")
    return case.has_code(*codes) or case.says(
        "maximum context length",
        "context length exceeded",
        "exceeds the available context size",
        "exceeds the context window",
        "exceeds the maximum number of tokens",
        "exceed context limit",
        "prompt is too long",
    )


def _context(case: _Case) -> ModelError:
    used, room = (case.words.numbers.get(name) for name in ("n_prompt_tokens", "n_ctx"))
    figures = f" ({used:,} of {room:,} tokens)" if used and room else ""
    return ModelContextError(
        f"The conversation is longer than the model can read{figures}.",
        advice="Start a new thread, shorten the message, or give the model a larger context.",
    )


def _is_without_tools(case: _Case) -> bool:
    return case.says(
        "does not support tools",
        "tool choice requires",
        "tool-call-parser",
        "no endpoints found that support tool use",
    )


def _without_tools(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"The model {case.refusal.model} cannot use tools on {case.refusal.server}.",
        advice="Choose a model with tool support, or turn tool calls on in the server.",
    )


def _is_paid_model(case: _Case) -> bool:
    return case.has_code("paid_model_auth_required")


def _paid_model(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"The model {case.refusal.model} must be paid for at {case.refusal.server}.",
        advice="Choose a free model, or add a key of an account with credit.",
    )


def _is_quota(case: _Case) -> bool:
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


def _quota(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"The quota or credit at {case.refusal.server} is used up.",
        advice="Add credit there, wait until the quota is renewed, or choose another model.",
    )


def _is_rate(case: _Case) -> bool:
    return case.status == 429 or case.has_code(
        "rate_limit_exceeded",
        "rate_limit_error",
        "slow_down",
        "resource_exhausted",
        "promotion_model_limit_reached",
        "openrouter_in_flight_budget",
    )


def _rate(case: _Case) -> ModelError:
    wait = retry_after_seconds(case.words, case.refusal.headers)
    return ModelRateLimitError(
        f"{case.refusal.server} accepts no more requests for now.",
        advice=f"Try again in {_in_words(wait)}." if wait else "Try again in a moment.",
        retry_after_seconds=wait,
    )


def _is_authentication(case: _Case) -> bool:
    codes = ("invalid_api_key", "authentication_error", "api_key_invalid")
    names_a_key = case.says("api key", "api-key", "apikey", "credential", "access token")
    return (
        case.status == 401
        or case.has_code(*codes)
        or (case.status == 403 and names_a_key)
        or case.says("api key not valid", "invalid api key", "incorrect api key")
    )


def _authentication(case: _Case) -> ModelError:
    if case.refusal.secret:
        return ModelAuthenticationError(
            f"{case.refusal.server} refused the key.",
            advice="Check the key in Settings; it may be mistyped, expired or revoked.",
        )
    return ModelAuthenticationError(
        f"{case.refusal.server} wants a key.", advice="Add the key in Settings."
    )


def _is_missing_model(case: _Case) -> bool:
    return (
        case.has_code("model_not_found")
        or case.says("no models loaded", "model not found")
        or (case.status == 404 and case.says("model"))
    )


def _missing_model(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"{case.refusal.server} has no model named {case.refusal.model}.",
        advice="Load or download the model there, or choose another one in Settings.",
    )


def _is_wrong_address(case: _Case) -> bool:
    wrong_path = case.says("unexpected endpoint", "invalid path")
    return 300 <= case.status < 400 or case.status in (404, 405) or wrong_path


def _wrong_address(case: _Case) -> ModelError:
    return not_a_model_server(case.refusal.server)


def _is_policy(case: _Case) -> bool:
    return case.status == 403 or case.has_code("content_filter", "content_policy_violation")


def _policy(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"{case.refusal.server} does not allow this request.",
        advice=_with_quote("The key is kept.", case),
    )


def _is_unavailable(case: _Case) -> bool:
    codes = ("overloaded_error", "unavailable_error", "server_error", "api_error", "timeout_error")
    return case.status in (408, 500, 502, 503, 504, 529) or case.has_code(*codes)


def _unavailable(case: _Case) -> ModelError:
    return ModelRefusedError(
        f"{case.refusal.server} could not serve the model just now.",
        advice=_with_quote("Try again in a moment, or choose another model.", case),
    )


def _refused(case: _Case) -> ModelError:
    status = f" (status {case.status})" if case.status >= 400 else ""
    return ModelRefusedError(
        f"{case.refusal.server} refused the request{status}.",
        advice=_with_quote("Choose another model or check the server.", case),
    )


def _with_quote(advice: str, case: _Case) -> str:
    quote = case.words.quoted(case.refusal.secret)
    return f"{advice} The server says: “{quote}”" if quote else advice


def _in_words(seconds: float) -> str:
    if seconds < 90:
        count = max(1, round(seconds))
        return f"{count} second{'s' if count > 1 else ''}"
    return f"{round(seconds / 60)} minutes"


_RULES: tuple[tuple[Callable[[_Case], bool], Callable[[_Case], ModelError]], ...] = (
    (_is_client_only, _client_only),
    (_is_loading, _loading),
    (_is_context, _context),
    (_is_without_tools, _without_tools),
    (_is_paid_model, _paid_model),
    (_is_quota, _quota),
    (_is_rate, _rate),
    (_is_authentication, _authentication),
    (_is_missing_model, _missing_model),
    (_is_wrong_address, _wrong_address),
    (_is_policy, _policy),
    (_is_unavailable, _unavailable),
)
"""The first rule that applies decides, so the more particular ones stand first."""
