"""Reads an OpenAI-compatible list of models: whether it is one, and who may use them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ankita.integrations.models.model_abilities import mapping, rows
from ankita.messages import Json, JsonObject

MAX_MODELS = 2_000
"""More rows than this are not looked at."""

MAX_NAME_CHARACTERS = 300

_ROW_SIGNS = ("owned_by", "context_length", "max_model_len", "context_window", "pricing")
_PRICES = ("prompt", "completion", "request")


def model_rows(body: Json) -> tuple[JsonObject, ...] | None:
    """The rows with a usable id, or None when this is not a list of models.

    A web site may well have something with an id at the same address; the form of the
    list or of its rows has to be that of a model server.
    """
    whole = mapping(body)
    if "data" not in whole or whole.get("error"):
        return None
    is_list = whole.get("object") == "list"
    found = tuple(row for row in rows(whole["data"])[:MAX_MODELS] if model_name(row))
    if not found:
        return () if is_list and whole["data"] in (None, []) else None
    has_signs = all(row.get("object") == "model" or _has_sign(row) for row in found)
    return found if is_list or has_signs else None


def model_name(row: JsonObject) -> str:
    """The id, or "" when it is none that can be shown and sent."""
    name = row.get("id")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        return ""
    return name if len(name) <= MAX_NAME_CHARACTERS else ""


def free_rows(found: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
    """The rows that are for everyone: nothing that says it needs payment or an account."""
    return tuple(row for row in found if not _must_be_paid(row))


def _must_be_paid(row: JsonObject) -> bool:
    if isinstance(row.get("isFree"), bool):
        return not row["isFree"]
    pricing = row.get("pricing")
    if not isinstance(pricing, Mapping):
        return False
    return any(_is_price(pricing.get(name)) for name in _PRICES)


def _is_price(value: Json) -> bool:
    """Whether this is more than nothing; what cannot be read is not free."""
    if value is None:
        return False
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return True
    try:
        return float(value) != 0
    except ValueError:
        return True


def _has_sign(row: JsonObject) -> bool:
    return any(sign in row for sign in _ROW_SIGNS)
