"""A model behind any server that speaks OpenAI's chat-completions wire format."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ankita.integrations.models.chat_request import optional_fields, request_body
from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.model_stream import ModelStream, SortError
from ankita.integrations.models.server_address import read_address
from ankita.integrations.models.server_connection import ApiKey, key_headers
from ankita.integrations.models.server_errors import unknown_options
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.messages import Json, ModelEvent, ModelInfo, ModelRequest


class OpenAIChatProvider:
    """Implements `protocols.ModelProvider`.

    `base_url` with or without `/v1`; a wrong one raises CommandRefusedError here.
    A function as `api_key` is called for every request. Nothing is connected before the first one.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: ApiKey,
        limits: StreamLimits | None = None,
        info: ModelInfo,
    ) -> None:
        address = read_address(base_url)
        self._info = info
        wire = _ChatWire(model, address.host, is_local=info.is_local)
        self._stream = ModelStream(address, wire, model=model, api_key=api_key, limits=limits)

    def info(self) -> ModelInfo:
        return self._info

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply; tool calls come at its end. Raises ModelError."""
        return self._stream.events(request)

    async def aclose(self) -> None:
        await self._stream.aclose()


class _ChatWire:
    """Implements `model_stream.Wire`."""

    path = "chat/completions"

    def __init__(self, model: str, server: str, *, is_local: bool) -> None:
        self._model = model
        self._server = server
        # Small local models tend to call on and on when they may call twice.
        self._is_parallel = not is_local
        self._refused_fields: frozenset[str] = frozenset()

    def headers(self, key: str) -> dict[str, str]:
        return key_headers(key)

    def body(self, request: ModelRequest) -> bytes:
        return request_body(
            self._model,
            request,
            server=self._server,
            is_parallel=self._is_parallel,
            without=self._refused_fields,
        )

    def adapted(self, request: ModelRequest, refusal: Json) -> ModelRequest | None:
        """The same request without what this server never heard of, from now on."""
        sent = set(optional_fields(request)) - self._refused_fields
        unknown = unknown_options(refusal, tuple(sent))
        self._refused_fields |= set(unknown)
        return request if unknown else None

    def parser(self, sort_error: SortError) -> ReplyParser:
        return ReplyParser(sort_error, server=self._server, model=self._model)
