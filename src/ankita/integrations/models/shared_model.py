"""One connection to a model for all who use it, closed once it is retired and idle."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace

from ankita.messages import ModelEvent, ModelInfo, ModelRequest
from ankita.protocols import ModelProvider


class SharedModel:
    """Implements `protocols.ModelProvider`. Replies that stream keep it open.

    `make` gives the provider, at once and again when a turn that still holds this one
    asks after it was closed. After `retire` it closes as soon as no reply streams.
    """

    def __init__(self, make: Callable[[], ModelProvider]) -> None:
        self._make = make
        self._provider: ModelProvider | None = make()
        self._info = self._provider.info()
        self._streaming = 0
        self._is_retired = False

    def info(self) -> ModelInfo:
        return self._provider.info() if self._provider else self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self._provider = self._provider or self._make()
        self._streaming += 1
        events = self._provider.stream(request)
        try:
            async for event in events:
                yield event
        finally:
            try:
                if isinstance(events, AsyncGenerator):
                    await events.aclose()
            finally:
                self._streaming -= 1
                if self._is_retired and not self._streaming:
                    await self.aclose()

    async def retire(self) -> None:
        """Nobody begins to use it any more."""
        self._is_retired = True
        if not self._streaming:
            await self.aclose()

    async def aclose(self) -> None:
        provider, self._provider = self._provider, None
        if provider is not None:
            self._info = provider.info()
            await provider.aclose()


class DescribedModel:
    """Implements `protocols.ModelProvider`: another one, under its own description.

    A context size that the description lacks is the one that the other knows.
    """

    def __init__(self, provider: ModelProvider, info: ModelInfo) -> None:
        self._provider = provider
        self._info = info

    def info(self) -> ModelInfo:
        known = self._info.context_tokens or self._provider.info().context_tokens
        return replace(self._info, context_tokens=known)

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        return self._provider.stream(request)

    async def aclose(self) -> None:
        await self._provider.aclose()
