"""The ports. The engine knows these and nothing behind them; each has at most four methods."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ankita.ids import CallId, ThreadId, TurnId
from ankita.messages import (
    DocumentText,
    JsonObject,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ToolResult,
    ToolSpec,
)


class ModelProvider(Protocol):
    """A source of replies."""

    def info(self) -> ModelInfo:
        """Who answers; cheap, never touches the network."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one reply. Raises ModelError. The last event of a whole reply is Finished."""
        ...

    async def aclose(self) -> None:
        """Release connections. May be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a running tool knows about the call it serves.

    `report` takes lines of output while the tool runs; it never blocks and may be
    called from any thread.
    """

    thread_id: ThreadId
    turn_id: TurnId
    call_id: CallId
    report: Callable[[str], None]


class ToolProvider(Protocol):
    """A set of tools. Only the gate calls `call`."""

    def tools(self) -> Sequence[ToolSpec]:
        """The tools offered now; cheap."""
        ...

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Run one tool. Raises ToolError. Cancelling the task ends everything it started."""
        ...

    async def end_turn(self, turn_id: TurnId) -> None:
        """A turn was stopped: end what its calls left running in the background."""
        ...

    async def aclose(self) -> None:
        """End all background work and processes. May be called twice."""
        ...


class DocumentReader(Protocol):
    """Turns a file into text."""

    async def read(self, path: Path, progress: Callable[[int, int], None]) -> DocumentText:
        """Read the file. `progress(done, total)` counts pages or parts; total 0 is unknown.

        Raises DocumentError. Cancelling the task ends the work at once.
        """
        ...


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a web search, as plain text."""

    title: str
    url: str
    snippet: str


class WebSearch(Protocol):
    """Finds pages."""

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """At most `count` results, the best first; an empty list means that nothing was found.

        Raises ToolError when the search did not work: never an empty list for that.
        """
        ...

    def describe(self) -> str:
        """Whom the words are sent to, for the user: "DuckDuckGo", "searx.example.org"."""
        ...


class Vault(Protocol):
    """Where keys live. Names are short slugs; values are text of any length."""

    def get(self, name: str) -> str | None:
        """The value, or None when there is none. Raises VaultError."""
        ...

    def set(self, name: str, value: str) -> None:
        """Store, read back and compare before returning. Raises VaultError."""
        ...

    def delete(self, name: str) -> None:
        """Remove; no error when there is none. Raises VaultError."""
        ...

    def describe(self) -> str:
        """One plain phrase for the user: "system keychain", "encrypted file", ..."""
        ...
