"""How many tokens a request of so many bytes has, learned for each model from its server."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ankita.errors import ModelContextError
from ankita.messages import ModelInfo

FIRST_TOKENS_A_BYTE = 0.3
"""Before a server said anything: 3.3 bytes a token, on the safe side for prose and JSON."""

LEAST_RATIO, MOST_RATIO = 0.12, 1.5
TOLERANCE = 0.15
"""A learned ratio that is this close to the present one changes nothing: each change moves
the place where a long history is cut, and with it what the server had cached."""

USUAL_WINDOWS = (131_072, 32_768, 16_384, 8_192, 4_096, 2_048, 1_024, 512)
"""A refusal without figures: the next of these below what was sent is tried."""

REFUSED_SHARE = 0.85
"""What was refused is at least this much too long for a window to be tried next."""


@dataclass(frozen=True, slots=True)
class TokenMeter:
    """Tokens for bytes. `context_tokens` None means that no limit is known."""

    tokens_a_byte: float = FIRST_TOKENS_A_BYTE
    context_tokens: int | None = None

    def tokens(self, size: int) -> int:
        return round(size * self.tokens_a_byte)

    def size(self, tokens: int) -> int:
        """How many bytes that many tokens are about."""
        return round(tokens / self.tokens_a_byte)

    def counted(self, size: int, tokens: int) -> TokenMeter:
        """After the server counted `tokens` for a request of `size` bytes."""
        if size <= 0 or tokens <= 0:
            return self
        ratio = min(MOST_RATIO, max(LEAST_RATIO, tokens / size))
        if abs(ratio - self.tokens_a_byte) <= TOLERANCE * self.tokens_a_byte:
            return self
        return replace(self, tokens_a_byte=round(ratio, 2))

    def refused(self, size: int, error: ModelContextError) -> TokenMeter:
        """After the server found a request of `size` bytes too long. Always asks for less."""
        meter = self
        if error.prompt_tokens:
            meter = self.counted(size, error.prompt_tokens)
        sent = error.prompt_tokens or meter.tokens(size)
        room = error.context_tokens or _next_window(sent)
        known = meter.context_tokens
        if known is not None and room >= known and meter.tokens_a_byte == self.tokens_a_byte:
            # It refuses what should have fitted, and the count was right: a part of the window
            # is taken by something else.
            room = round(known * REFUSED_SHARE)
        return replace(meter, context_tokens=max(USUAL_WINDOWS[-1], room))


def _next_window(sent: int) -> int:
    below = (window for window in USUAL_WINDOWS if window <= sent * REFUSED_SHARE)
    return next(below, USUAL_WINDOWS[-1])


class TokenMeters:
    """One meter for each model, for as long as the app runs."""

    def __init__(self) -> None:
        self._meters: dict[tuple[str, str], TokenMeter] = {}
        self._refused: set[tuple[str, str]] = set()

    def of(self, info: ModelInfo) -> TokenMeter:
        """The model's meter; without a limit for the built-in assistant."""
        if info.is_built_in:
            return TokenMeter()
        known = self._meters.get(_key(info), TokenMeter())
        if _key(info) in self._refused:
            return known
        # Not what it was at the first request: a self-test may have found the window since.
        return replace(known, context_tokens=info.context_tokens)

    def counted(self, info: ModelInfo, size: int, tokens: int) -> None:
        self._meters[_key(info)] = self.of(info).counted(size, tokens)

    def refused(self, info: ModelInfo, size: int, error: ModelContextError) -> None:
        self._meters[_key(info)] = self.of(info).refused(size, error)
        self._refused.add(_key(info))


def _key(info: ModelInfo) -> tuple[str, str]:
    return info.label, info.model
