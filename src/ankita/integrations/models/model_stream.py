"""Streams one reply of a model server, whatever its wire format: deadlines, chunks, refusals.

A wire format brings a path, headers, a body and a parser; everything else about a
request is here, so that each of them waits, breaks off and refuses in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Protocol

from ankita.errors import ModelError, ModelInterruptedError, ModelTimeoutError
from ankita.integrations.models.server_address import ServerAddress
from ankita.integrations.models.server_connection import (
    ApiKey,
    network_error,
    new_client,
    read_at_most,
    read_key,
)
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.integrations.models.server_words import MAX_ERROR_BYTES, parse_body
from ankita.integrations.models.stream_limits import Deadlines, StreamLimits, Wait
from ankita.messages import Json, ModelEvent, ModelRequest

if TYPE_CHECKING:
    import httpx2

ERROR_BODY_SECONDS = 10.0
"""How long the text of a refusal is waited for; its status is known already."""

MAX_ADAPTATIONS = 6
"""How often one request is put differently because the server refused its form."""

_OK = range(200, 300)
_REQUEST_REFUSED = frozenset({400, 422})

SortError = Callable[[Json], ModelError]
"""Turns an error body inside an answer with status 200 into the error to raise."""


class StreamParser(Protocol):
    """Turns the bytes of one answer with status 200 into events; does no I/O.

    After `close` its `failure` is the error to raise, or None when the reply is whole.
    `payloads` counts what was more than a sign of life.
    """

    failure: ModelError | None
    payloads: int
    is_done: bool

    @property
    def is_finished(self) -> bool:
        """Only figures can still follow."""
        ...

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """The events that this chunk completes."""
        ...

    def close(self, because: ModelError | None = None) -> list[ModelEvent]:
        """The rest. `because` is the reason why no more was read, if it was not the end."""
        ...


class Wire(Protocol):
    """How one server is asked. Remembers what that server refuses."""

    path: str
    """Of the endpoint, without the version ("chat/completions")."""

    def headers(self, key: str) -> dict[str, str]:
        """What identifies the asker. `key` may be empty."""
        ...

    def body(self, request: ModelRequest) -> bytes:
        """The JSON to post."""
        ...

    def adapted(self, request: ModelRequest, refusal: Json) -> ModelRequest | None:
        """The request to send after this refusal, or None when the refusal stands."""
        ...

    def parser(self, sort_error: SortError) -> StreamParser:
        """A parser for one answer."""
        ...


class ModelStream:
    """A server and the wire format in which it is asked.

    A function as `api_key` is called for every request. Nothing is connected before the first one.
    """

    def __init__(
        self,
        address: ServerAddress,
        wire: Wire,
        *,
        model: str,
        api_key: ApiKey,
        limits: StreamLimits | None,
    ) -> None:
        self._address = address
        self._wire = wire
        self._model = model
        self._api_key = api_key
        self._limits = limits or StreamLimits()
        self._client: httpx2.AsyncClient | None = None

    async def events(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply; tool calls come at its end. Raises ModelError."""
        key = await read_key(self._api_key, self._address)
        deadlines = Deadlines(self._limits, _now())
        response = await self._open(request, key, deadlines)
        try:
            parser = self._wire.parser(lambda body: self._refusal(200, body, {}, key))
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
        """Release connections. May be called twice."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _open(self, request: ModelRequest, key: str, deadlines: Deadlines) -> httpx2.Response:
        """A response with a good status, not yet read. Raises ModelError.

        The only thing asked again here is a request whose form the server refused.
        """
        for _ in range(MAX_ADAPTATIONS + 1):
            response = await self._post(request, key, deadlines)
            status = response.status_code
            if status in _OK:
                return response
            body = await self._error_body(response, deadlines)
            adapted = self._wire.adapted(request, body) if status in _REQUEST_REFUSED else None
            if adapted is None:
                break
            request = adapted
        raise self._refusal(status, body, dict(response.headers), key)

    async def _post(self, request: ModelRequest, key: str, deadlines: Deadlines) -> httpx2.Response:
        import httpx2

        if self._client is None:
            self._client = new_client(self._address, connect_seconds=self._limits.connect_seconds)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        allowed, wait = deadlines.next(_now())
        failure: ModelError
        try:
            post = self._client.build_request(
                "POST",
                self._address.endpoint(self._wire.path),
                content=self._wire.body(request),
                headers=headers | self._wire.headers(key),
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
