"""Sorts what a model server answers instead of a reply into the classes of ModelError. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ankita.errors import ModelError
from ankita.integrations.models import refusal_sentences as sentences
from ankita.integrations.models import refusal_signs as signs
from ankita.integrations.models.refusal_sentences import not_a_model_server
from ankita.integrations.models.refusal_signs import RefusalCase
from ankita.integrations.models.server_words import read_words
from ankita.messages import Json

__all__ = ["Refusal", "not_a_model_server", "sort_refusal", "unknown_options"]


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


def sort_refusal(refusal: Refusal) -> ModelError:
    """The error to raise for this answer."""
    case = _case(refusal)
    for applies, build in _RULES:
        if applies(case):
            return build(case)
    return sentences.refused(case)


def unknown_options(body: Json, options: tuple[str, ...]) -> tuple[str, ...]:
    """Those of `options` that a server's refusal names."""
    words = read_words(body)
    named = words.text + " " + " ".join(words.codes)
    return tuple(option for option in options if option in named)


def _case(refusal: Refusal) -> RefusalCase:
    words = read_words(refusal.body)
    status = refusal.status if refusal.status >= 300 else words.status_code() or refusal.status
    return RefusalCase(
        status,
        words,
        words.text,
        headers=refusal.headers,
        server=refusal.server,
        model=refusal.model,
        secret=refusal.secret,
    )


_RULES: tuple[tuple[Callable[[RefusalCase], bool], Callable[[RefusalCase], ModelError]], ...] = (
    (signs.is_client_only, sentences.client_only),
    (signs.is_loading, sentences.loading),
    (signs.is_context, sentences.context),
    (signs.is_without_tools, sentences.without_tools),
    (signs.is_paid_model, sentences.paid_model),
    (signs.is_quota, sentences.quota),
    (signs.is_rate, sentences.rate),
    (signs.is_authentication, sentences.authentication),
    (signs.is_missing_model, sentences.missing_model),
    (signs.is_wrong_address, sentences.wrong_address),
    (signs.is_policy, sentences.policy),
    (signs.is_unavailable, sentences.unavailable),
)
"""The first rule that applies decides, so the more particular ones stand first."""
