"""A model behind any server that speaks Anthropic's messages wire format."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from ankita.config import WireFormat
from ankita.integrations.models.anthropic_limits import reply_limit
from ankita.integrations.models.anthropic_request import (
    DEFAULT_MAX_TOKENS,
    optional_fields,
    request_body,
)
from ankita.integrations.models.anthropic_stream import MessageParser
from ankita.integrations.models.model_stream import ModelStream, SortError
from ankita.integrations.models.server_address import read_address
from ankita.integrations.models.server_connection import ApiKey, key_headers
from ankita.integrations.models.server_errors import unknown_options
from ankita.integrations.models.server_words import read_words
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.messages import Json, ModelEvent, ModelInfo, ModelRequest


class AnthropicProvider:
    """Implements `protocols.ModelProvider`. `ModelRequest.reply_schema` is ignored.

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
        address = read_address(base_url, WireFormat.ANTHROPIC)
        self._info = info
        wire = _MessagesWire(model, address.host, is_local=info.is_local)
        self._stream = ModelStream(address, wire, model=model, api_key=api_key, limits=limits)

    def info(self) -> ModelInfo:
        return self._info

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply; tool calls come at its end. Raises ModelError."""
        return self._stream.events(request)

    async def aclose(self) -> None:
        await self._stream.aclose()


class _MessagesWire:
    """Implements `model_stream.Wire`."""

    path = "messages"

    def __init__(self, model: str, server: str, *, is_local: bool) -> None:
        self._model = model
        self._server = server
        # Small local models tend to call on and on when they may call twice.
        self._is_parallel = not is_local
        self._refused_fields: frozenset[str] = frozenset()
        self._max_tokens: int | None = None

    def headers(self, key: str) -> dict[str, str]:
        return key_headers(key, WireFormat.ANTHROPIC)

    def body(self, request: ModelRequest) -> bytes:
        return request_body(
            self._model,
            replace(request, max_tokens=self._allowed(request)),
            server=self._server,
            is_parallel=self._is_parallel,
            without=self._refused_fields,
        )

    def adapted(self, request: ModelRequest, refusal: Json) -> ModelRequest | None:
        """A shorter reply where the server says how long one may be, else fewer fields."""
        allowed = self._allowed(request)
        limit = reply_limit(read_words(refusal).text, allowed)
        if limit is not None:
            if limit.is_of_the_model:
                self._max_tokens = limit.tokens
            return replace(request, max_tokens=limit.tokens)
        sent = optional_fields(request, is_parallel=self._is_parallel)
        unknown = unknown_options(refusal, tuple(sorted(sent - self._refused_fields)))
        self._refused_fields |= set(unknown)
        return request if unknown else None

    def parser(self, sort_error: SortError) -> MessageParser:
        return MessageParser(sort_error, server=self._server, model=self._model)

    def _allowed(self, request: ModelRequest) -> int:
        wanted = request.max_tokens or DEFAULT_MAX_TOKENS
        return min(wanted, self._max_tokens or wanted)
