"""The fence of one turn: once it is stopped, nothing new of that turn is admitted (ENG-3)."""

from __future__ import annotations

from ankita.errors import AnkitaError


class TurnStoppedError(AnkitaError):
    """The turn was stopped; this act was not admitted."""


class TurnFence:
    """Open until `stop`; never opens again.

    `is_closing` tells a Stop by the user from the app's own end: then a question that
    waits for a person is left waiting, and the next start makes the rest true.
    """

    def __init__(self) -> None:
        self._stopped = False
        self._closing = False

    @property
    def is_closing(self) -> bool:
        return self._closing

    @property
    def is_stopped(self) -> bool:
        return self._stopped

    def stop(self, *, closing: bool = False) -> None:
        self._stopped = True
        # A Stop that comes while Ankita closes does not make it a Stop by the user.
        self._closing = self._closing or closing

    def check(self) -> None:
        """Raises TurnStoppedError once the turn was stopped."""
        if self._stopped:
            raise TurnStoppedError("The turn was stopped.")
