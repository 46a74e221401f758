"""The error for each class of refusal: what happened, in our words, and what to do. Pure.

A server's own words are shown only where they fit no class, shortened, as plain text,
and never when they hold a part of the key.
"""

from __future__ import annotations

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
from ankita.integrations.models.context_figures import context_figures
from ankita.integrations.models.refusal_signs import RefusalCase
from ankita.integrations.models.server_words import retry_after_seconds


def not_a_model_server(server: str) -> ModelProtocolError:
    """The error for an answer that no model server would give."""
    return ModelProtocolError(
        f"{server} answers, but not as a model server does at this address.",
        advice="Check the address in Settings; most servers want it to end in /v1.",
    )


def client_only(case: RefusalCase) -> ModelError:
    return ModelClientError(
        f"{case.server} serves this model only to certain other programs.",
        advice="Choose another model, or a key that is meant for general use.",
    )


def loading(case: RefusalCase) -> ModelError:
    return ModelLoadingError(
        f"{case.server} is still loading the model.", advice="Try again in a moment."
    )


def context(case: RefusalCase) -> ModelError:
    used, room = context_figures(case.words)
    figures = f" ({used:,} of {room:,} tokens)" if used and room else ""
    if not figures and room:
        figures = f" (it takes {room:,} tokens)"
    return ModelContextError(
        f"The conversation is longer than the model can read{figures}.",
        advice="Start a new thread, shorten the message, or give the model a larger context.",
        prompt_tokens=used,
        context_tokens=room,
    )


def without_tools(case: RefusalCase) -> ModelError:
    return ModelRefusedError(
        f"The model {case.model} cannot use tools on {case.server}.",
        advice="Choose a model with tool support, or turn tool calls on in the server.",
    )


def paid_model(case: RefusalCase) -> ModelError:
    return ModelPaidError(
        f"The model {case.model} must be paid for at {case.server}.",
        advice="Choose a free model, or add a key of an account with credit.",
    )


def quota(case: RefusalCase) -> ModelError:
    return ModelQuotaError(
        f"The quota or credit at {case.server} is used up.",
        advice="Add credit there, wait until the quota is renewed, or choose another model.",
    )


def rate(case: RefusalCase) -> ModelError:
    wait = retry_after_seconds(case.words, case.headers)
    return ModelRateLimitError(
        f"{case.server} accepts no more requests for now.",
        advice=f"Try again in {_when(wait)}.",
        retry_after_seconds=wait,
    )


def authentication(case: RefusalCase) -> ModelError:
    if case.secret:
        return ModelAuthenticationError(
            f"{case.server} refused the key.",
            advice="Check the key in Settings; it may be mistyped, expired or revoked.",
        )
    return ModelAuthenticationError(
        f"{case.server} wants a key.", advice="Add the key in Settings."
    )


def missing_model(case: RefusalCase) -> ModelError:
    return ModelRefusedError(
        f"{case.server} has no model named {case.model}.",
        advice="Load or download the model there, or choose another one in Settings.",
    )


def wrong_address(case: RefusalCase) -> ModelError:
    return not_a_model_server(case.server)


def policy(case: RefusalCase) -> ModelError:
    return ModelRefusedError(
        f"{case.server} does not allow this request.", advice=_with_quote("The key is kept.", case)
    )


def unavailable(case: RefusalCase) -> ModelError:
    wait = retry_after_seconds(case.words, case.headers)
    return ModelUnavailableError(
        f"{case.server} could not serve the model just now.",
        advice=_with_quote(f"Try again in {_when(wait)}, or choose another model.", case),
        retry_after_seconds=wait,
    )


def refused(case: RefusalCase) -> ModelError:
    status = f" (status {case.status})" if case.status >= 400 else ""
    return ModelRefusedError(
        f"{case.server} refused the request{status}.",
        advice=_with_quote("Choose another model or check the server.", case),
    )


def _with_quote(advice: str, case: RefusalCase) -> str:
    quote = case.words.quoted(case.secret)
    return f"{advice} The server says: “{quote}”" if quote else advice


def _when(seconds: float | None) -> str:
    """Follows "Try again in"."""
    if not seconds:
        return "a moment"
    if seconds < 90:
        count = max(1, round(seconds))
        return f"{count} second{'s' if count > 1 else ''}"
    return f"{round(seconds / 60)} minutes"
