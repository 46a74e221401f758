"""Asks a model again when it could not begin to answer (PRV-6). A wrapper around any model.

Never after the first event: what was shown is not asked for again by itself.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from ankita.errors import (
    ModelError,
    ModelInterruptedError,
    ModelLoadingError,
    ModelMalformedError,
    ModelNotRunnableError,
    ModelRateLimitError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from ankita.messages import AskingAgain, ModelEvent, ModelInfo, ModelRequest
from ankita.protocols import ModelProvider


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds, and how often is asked in all. A longer hint of the server is not waited for."""

    tries: int = 4
    broken_tries: int = 2
    """For a connection that broke: a kept one that the server had closed, or it is gone."""
    first_seconds: float = 0.5
    most_seconds: float = 20.0
    longest_hint: float = 60.0
    loading_seconds: float = 180.0
    loading_pause: float = 3.0
    longest_try: float = 60.0
    """After a longer try the model may have worked all that time; it isn't made to again."""

    def pause(self, error: ModelError, tries: int, waited: float, chance: float) -> float | None:
        """How long to wait before asking again; None to give up.

        `tries` is how often was asked, `waited` the seconds waited so far, also in tries
        that ended with the model still loading, `chance` a
        random number from 0 to 1.
        """
        match error:
            case ModelNotRunnableError():
                return None
            case ModelLoadingError():
                pause = self.loading_pause * (0.5 + chance)
                return pause if waited + pause <= self.loading_seconds else None
            case ModelRateLimitError() | ModelUnavailableError():
                return self._hinted(error.retry_after_seconds, tries, chance)
            case ModelUnreachableError() | ModelInterruptedError() | ModelMalformedError():
                return self._backed_off(tries, chance) if tries < self.broken_tries else None
            case _:
                return None

    def _hinted(self, hint: float | None, tries: int, chance: float) -> float | None:
        if tries >= self.tries or (hint is not None and hint > self.longest_hint):
            return None
        backed_off = self._backed_off(tries, chance)
        # Not all of those who were told the same second shall come at that second.
        return backed_off if hint is None else hint + chance * self.first_seconds

    def _backed_off(self, tries: int, chance: float) -> float:
        # Never down to nothing: then the second wait could be shorter than the first, which
        # a server in trouble takes for no back-off at all.
        return (0.6 + 0.4 * chance) * min(self.most_seconds, self.first_seconds * 2.0**tries)


class Retrying:
    """Implements `protocols.ModelProvider` around another one."""

    def __init__(
        self,
        provider: ModelProvider,
        *,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._chance = chance
        self._now = now

    def info(self) -> ModelInfo:
        return self._provider.info()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply, asked for as often as the policy says. Raises the last ModelError."""
        tries, waited = 1, 0.0
        while True:
            has_begun, began = False, self._now()
            try:
                # Providers stream with generators; one that is left early must be closed.
                stream = cast("AsyncGenerator[ModelEvent]", self._provider.stream(request))
                async with aclosing(stream) as events:
                    async for event in events:
                        has_begun = True
                        yield event
                return
            except ModelError as error:
                took = self._now() - began
                if isinstance(error, ModelLoadingError):
                    # It waited for the model, which has done nothing yet that could cost.
                    waited, took = waited + took, 0.0
                pause = self._policy.pause(error, tries, waited, self._chance())
                if has_begun or took > self._policy.longest_try or pause is None:
                    raise
                yield AskingAgain(pause, error.message)
            await self._sleep(pause)
            tries, waited = tries + 1, waited + pause

    async def aclose(self) -> None:
        await self._provider.aclose()
