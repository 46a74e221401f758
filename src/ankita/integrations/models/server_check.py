"""Asks a model server whether it is there and what it offers; for the Test button."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ankita.config import WireFormat
from ankita.errors import (
    AnkitaError,
    ModelAuthenticationError,
    ModelError,
    ModelLoadingError,
    ModelRateLimitError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from ankita.integrations.models.model_list import free_rows
from ankita.integrations.models.server_address import ServerAddress, read_address
from ankita.integrations.models.server_connection import (
    ApiKey,
    key_headers,
    network_error,
    new_client,
    read_at_most,
    read_key,
)
from ankita.integrations.models.server_errors import Refusal, not_a_model_server, sort_refusal
from ankita.integrations.models.server_words import MAX_ERROR_BYTES, parse_body
from ankita.messages import Json

CHECK_SECONDS = 5.0
"""How long the whole question may take."""

MAX_LIST_BYTES = 4 * 1024 * 1024
"""The largest list of models that is read; the longest known one is below 1 MB."""


_LISTS = {WireFormat.OPENAI: "models", WireFormat.ANTHROPIC: "models?limit=1000"}
"""Anthropic's list comes in pages; this is the largest page."""


class ServerState(StrEnum):
    READY = "ready"
    NEEDS_KEY = "needs key"
    LOADING = "loading"
    BUSY = "busy"
    SLOW = "slow"
    GONE = "gone"
    WRONG = "wrong"


_STATES: tuple[tuple[type[ModelError], ServerState], ...] = (
    (ModelAuthenticationError, ServerState.NEEDS_KEY),
    (ModelLoadingError, ServerState.LOADING),
    (ModelRateLimitError, ServerState.BUSY),
    (ModelTimeoutError, ServerState.SLOW),
    (ModelUnreachableError, ServerState.GONE),
)
"""Any other error means that this is not a usable model server."""


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """What was found. `sentence` is for the user; `base_url` is the address in its full form.

    `models` are the ids that the server lists. `is_local`: the server runs on this machine.
    """

    state: ServerState
    sentence: str
    models: tuple[str, ...] = ()
    base_url: str = ""
    is_local: bool = False


async def check(
    base_url: str,
    api_key: ApiKey,
    *,
    wire: WireFormat = WireFormat.OPENAI,
    timeout_seconds: float = CHECK_SECONDS,
) -> ServerCheck:
    """Ask for the list of models. Never raises an AnkitaError; the answer says what is wrong."""
    try:
        address = read_address(base_url, wire)
    except AnkitaError as error:
        return ServerCheck(ServerState.WRONG, error.sentence())
    found = ServerCheck(ServerState.READY, "", base_url=address.base, is_local=address.is_local)
    try:
        models = await _list_models(address, api_key, wire, timeout_seconds)
    except ModelError as error:
        states = (state for kind, state in _STATES if isinstance(error, kind))
        state = next(states, ServerState.WRONG)
        return replace(found, state=state, sentence=error.sentence())
    return replace(found, sentence=_ready_sentence(address, models), models=models)


async def _list_models(
    address: ServerAddress, api_key: ApiKey, wire: WireFormat, timeout_seconds: float
) -> tuple[str, ...]:
    import httpx2

    key = await read_key(api_key, address)
    failure: ModelError
    try:
        async with (
            asyncio.timeout(timeout_seconds),
            new_client(address, connect_seconds=timeout_seconds / 2) as client,
            client.stream(
                "GET", address.endpoint(_LISTS[wire]), headers=key_headers(key, wire)
            ) as response,
        ):
            status, headers = response.status_code, dict(response.headers)
            limit = MAX_LIST_BYTES if status == 200 else MAX_ERROR_BYTES
            body = parse_body((await read_at_most(response, limit)).decode("utf-8", "replace"))
    except TimeoutError:
        failure = ModelTimeoutError(
            f"{address.host} did not answer within {timeout_seconds:g} seconds.",
            advice="It may be busy or still starting; try again.",
        )
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        failure = network_error(error, address)
    else:
        models = _model_ids(body, is_keyless=not key) if status == 200 else None
        if models is not None:
            return models
        has_error = status != 200 or (isinstance(body, Mapping) and body.get("error"))
        failure = (
            sort_refusal(Refusal(status, body, address.host, "", headers, key))
            if has_error
            else not_a_model_server(address.host)
        )
    raise failure


def _model_ids(body: Json, *, is_keyless: bool) -> tuple[str, ...] | None:
    """The ids, or None when this is not a list of models.

    Without a key those are left out that say that they need payment or an account.
    """
    if isinstance(body, Mapping) and "data" in body and not body.get("error"):
        body = body["data"] or []
    if not isinstance(body, list):
        return None
    named = [row for row in body if isinstance(row, Mapping) and _is_name(row.get("id"))]
    shown = free_rows(named) if is_keyless else named
    return tuple(str(row["id"]) for row in shown) if named or not body else None


def _is_name(value: Json) -> bool:
    return isinstance(value, str) and bool(value)


def _ready_sentence(address: ServerAddress, models: tuple[str, ...]) -> str:
    if not models:
        return f"{address.host} answers, but offers no model. Load or download one there."
    noun = "model" if len(models) == 1 else "models"
    return f"{address.host} answers and offers {len(models)} {noun}."
