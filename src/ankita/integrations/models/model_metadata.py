"""Asks a server that the user has accepted what its model can do and how much it can hold."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ankita.errors import ModelError, ModelTimeoutError
from ankita.integrations.models.model_abilities import (
    UNKNOWN,
    ModelAbilities,
    from_llama_cpp,
    from_lm_studio,
    from_ollama_loaded,
    from_ollama_show,
    from_row,
    lm_studio_row,
)
from ankita.integrations.models.model_list import model_name, model_rows
from ankita.integrations.models.server_address import ServerAddress, read_address
from ankita.integrations.models.server_connection import (
    key_headers,
    network_error,
    new_client,
    read_key,
)
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.integrations.models.server_question import Answer, question
from ankita.messages import Json

if TYPE_CHECKING:
    import httpx2

__all__ = ["ModelAbilities", "describe_model"]

TIMEOUT_SECONDS = 5.0


async def describe_model(
    base_url: str, model: str, key: str | None, *, timeout_seconds: float = TIMEOUT_SECONDS
) -> ModelAbilities:
    """What the server advertises about the model; nothing is guessed from its name.

    Raises CommandRefusedError for an unusable address and ModelError when the server does
    not answer or refuses the key.
    """
    address = read_address(base_url)
    secret = await read_key(key, address)
    async with new_client(address, connect_seconds=timeout_seconds) as client:
        asked = _Asked(client, address, secret, model)
        try:
            async with asyncio.timeout(timeout_seconds):
                return await asked.abilities()
        except TimeoutError:
            pass
    raise ModelTimeoutError(
        f"{address.host} did not say in time what its model can do.",
        advice="It may be busy or still starting; try again.",
    )


class _Asked:
    """One server, asked about one model."""

    def __init__(
        self, client: httpx2.AsyncClient, address: ServerAddress, key: str, model: str
    ) -> None:
        self._client = client
        self._address = address
        self._key = key
        self._model = model
        scheme, _, _ = address.base.partition("://")
        self._root = f"{scheme}://{address.host}"

    async def abilities(self) -> ModelAbilities:
        listed, is_ollama = self._listed(await self._list())
        if listed.is_complete or not (self._address.is_private or is_ollama):
            return listed
        loaded, shown, present, former, props = await asyncio.gather(
            self._ask(f"{self._root}/api/ps"),
            self._ask(f"{self._root}/api/show", {"model": self._model}),
            self._ask(f"{self._root}/api/v1/models"),
            self._ask(f"{self._root}/api/v0/models"),
            self._ask(f"{self._root}/props"),
        )
        told = (
            from_ollama_loaded(loaded, self._model),
            from_ollama_show(shown),
            from_lm_studio(lm_studio_row(present, self._model)),
            from_lm_studio(lm_studio_row(former, self._model)),
            listed,
            from_llama_cpp(props),
        )
        whole = UNKNOWN
        for abilities in told:
            whole = whole.filled_from(abilities)
        return whole

    def _listed(self, answer: Answer) -> tuple[ModelAbilities, bool]:
        """What the list of models says, and whether it has the form of Ollama's."""
        found = model_rows(answer.body) or ()
        row = next((row for row in found if model_name(row) == self._model), None)
        if row is None and len(found) == 1:
            row = found[0]  # A server with one model answers to any name.
        return from_row(row or {}), bool(row) and (row or {}).get("owned_by") == "library"

    async def _list(self) -> Answer:
        import httpx2

        failure: ModelError
        try:
            answer = await question(
                self._client, self._address.endpoint("models"), headers=key_headers(self._key)
            )
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = network_error(error, self._address)
        else:
            if answer.is_good or answer.status in (404, 405):
                return answer  # A server without a list may still answer.
            failure = sort_refusal(
                Refusal(
                    answer.status,
                    answer.body,
                    self._address.host,
                    self._model,
                    answer.headers,
                    self._key,
                )
            )
        raise failure

    async def _ask(self, url: str, post: Json = None) -> Json:
        """The body, or None where the server does not know this question."""
        import httpx2

        sent = None if post is None else json.dumps(post).encode()
        try:
            answer = await question(self._client, url, headers=key_headers(self._key), post=sent)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return None
        return answer.body if answer.is_good else None
