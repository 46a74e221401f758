"""A model behind any server that speaks OpenAI's chat-completions wire format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from ankita.errors import ModelError, ModelInterruptedError, ModelTimeoutError
from ankita.integrations.models.chat_request import OPTIONAL_FIELDS, request_body
from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_address import read_address
from ankita.integrations.models.server_connection import (
    ApiKey,
    key_headers,
    network_error,
    new_client,
    read_at_most,
    read_key,
)
from ankita.integrations.models.server_errors import Refusal, sort_refusal, unknown_options
from ankita.integrations.models.server_words import MAX_ERROR_BYTES, parse_body
from ankita.integrations.models.stream_limits import Deadlines, StreamLimits, Wait
from ankita.messages import Json, ModelEvent, ModelInfo, ModelRequest

if TYPE_CHECKING:
    import httpx2

ERROR_BODY_SECONDS = 10.0
"""How long the text of a refusal is waited for; its status is known already."""

_OK = range(200, 300)
_REQUEST_REFUSED = frozenset({400, 422})


class OpenAIChatProvider:
    """Implements `protocols.ModelProvider`.

    `base_url` with or without `/v1`; a wrong one raises CommandRefusedError here.
    `api_key` is called for every request. Nothing is connected before the first one.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: ApiKey,
        limits: StreamLimits | None = None,
        label: str,
        is_local: bool,
    ) -> None:
        self._address = read_address(base_url)
        self._model = model
        self._api_key = api_key
        self._limits = limits or StreamLimits()
        self._info = ModelInfo(label=label, model=model, is_local=is_local)
        self._client: httpx2.AsyncClient | None = None
        self._refused_fields: frozenset[str] = frozenset()

    def info(self) -> ModelInfo:
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply; tool calls come at its end. Raises ModelError."""
        key = await read_key(self._api_key, self._address)
        deadlines = Deadlines(self._limits, _now())
        response = await self._open(request, key, deadlines)
        try:
            parser = ReplyParser(
                lambda body: self._refusal(200, body, {}, key), server=self._address.host
            )
            chunks = response.aiter_bytes()
            broken: ModelError | None = None
            while parser.failure is None and broken is None:
                before = _now()
                chunk, broken = await self._next_chunk(chunks, deadlines)
                if not chunk:
                    break
                events = parser.feed(chunk)
                deadlines.note(
                    _now() - before,
                    payloads=parser.payloads,
                    is_finished=parser.is_finished,
                    is_done=parser.is_done,
                )
                for event in events:
                    yield event
            for event in parser.close(broken):
                yield event
            if parser.failure is not None:
                raise parser.failure
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _open(self, request: ModelRequest, key: str, deadlines: Deadlines) -> httpx2.Response:
        """A response with a good status, not yet read. Raises ModelError."""
        response = await self._post(request, key, deadlines)
        if response.status_code in _OK:
            return response
        body = await self._error_body(response, deadlines)
        unknown = set(unknown_options(body, OPTIONAL_FIELDS)) - self._refused_fields
        if response.status_code in _REQUEST_REFUSED and unknown:
            # The only retry here: the same request without what this server never heard of.
            self._refused_fields |= unknown
            response = await self._post(request, key, deadlines)
            if response.status_code in _OK:
                return response
            body = await self._error_body(response, deadlines)
        raise self._refusal(response.status_code, body, dict(response.headers), key)

    async def _post(self, request: ModelRequest, key: str, deadlines: Deadlines) -> httpx2.Response:
        import httpx2

        if self._client is None:
            self._client = new_client(self._address, connect_seconds=self._limits.connect_seconds)
        body = request_body(
            self._model,
            request,
            # Small local models tend to call on and on when they may call twice.
            is_parallel=not self._info.is_local,
            without=self._refused_fields,
        )
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        allowed, wait = deadlines.next(_now())
        failure: ModelError
        try:
            post = self._client.build_request(
                "POST",
                self._address.endpoint("chat/completions"),
                content=body,
                headers=headers | key_headers(key),
            )
            async with asyncio.timeout(allowed):
                return await self._client.send(post, stream=True)
        except TimeoutError:
            failure = self._too_slow(wait)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = network_error(error, self._address)
        # Raised out here, so that it does not drag the request and its key along.
        raise failure

    async def _next_chunk(
        self, chunks: AsyncIterator[bytes], deadlines: Deadlines
    ) -> tuple[bytes, ModelError | None]:
        """The next bytes, or none at the end, then with the reason if it came too early."""
        import httpx2

        allowed, wait = deadlines.next(_now())
        try:
            async with asyncio.timeout(allowed):
                return await anext(chunks, b""), None
        except TimeoutError:
            return b"", self._too_slow(wait)
        except httpx2.HTTPError:
            return b"", ModelInterruptedError(
                f"The connection to {self._address.host} broke in the middle of the reply.",
                advice="Check that the server still runs, then try again.",
            )

    async def _error_body(self, response: httpx2.Response, deadlines: Deadlines) -> Json:
        """What can be had of an error's body; a broken one is as good as an empty one."""
        import httpx2

        allowed, _ = deadlines.next(_now())
        try:
            async with asyncio.timeout(min(allowed, ERROR_BODY_SECONDS)):
                body = await read_at_most(response, MAX_ERROR_BYTES)
        except (TimeoutError, httpx2.HTTPError):
            body = b""
        finally:
            await response.aclose()
        return parse_body(body.decode("utf-8", errors="replace"))

    def _refusal(self, status: int, body: Json, headers: dict[str, str], key: str) -> ModelError:
        return sort_refusal(
            Refusal(
                status=status,
                body=body,
                server=self._address.host,
                model=self._model,
                headers=headers,
                secret=key,
            )
        )

    def _too_slow(self, wait: Wait) -> ModelTimeoutError:
        server = self._address.host
        sentences = {
            Wait.FIRST_PAYLOAD: f"{server} did not begin to reply in time.",
            Wait.NEXT_PAYLOAD: f"{server} fell silent in the middle of the reply.",
        }
        return ModelTimeoutError(
            sentences.get(wait, f"The reply of {server} took too long and was ended."),
            advice="Try again, or choose a smaller model.",
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
