"""What the engine needs of models and their servers, so that tests can stand in for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ankita.config import ServerSettings, ToolMode, WireFormat
from ankita.engine.commands import ModelOffer, ServerReport
from ankita.engine.state import ServerOffer
from ankita.errors import AnkitaError
from ankita.messages import ModelInfo
from ankita.protocols import ModelProvider

DownloadProgress = Callable[[int, int, bool], None]
"""Called with bytes done, bytes in all, and whether the hash is being checked."""


class SharedConnection(ModelProvider, Protocol):
    """A provider that closes by itself once it is retired and no reply streams."""

    async def retire(self) -> None: ...


@dataclass(frozen=True, slots=True)
class LocalModels:
    """Model files that Ankita runs itself. `check_file` gives the model's name.

    `check_available` raises CommandRefusedError where none can be run here, `check_file`
    (which reads) for a file that is no model. `list_models` raises ModelError. `download` gives
    the checked file; it goes on with what was fetched before, and leaves its part when
    it is cancelled; `discard` deletes the part.
    """

    check_available: Callable[[], None]
    check_file: Callable[[Path], str]
    list_models: Callable[[], Awaitable[Sequence[ModelOffer]]]
    download: Callable[[ModelOffer, Path, DownloadProgress], Awaitable[Path]]
    discard: Callable[[ModelOffer, Path], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ModelFactory:
    """How providers are made and asked about; see providers.py for the real ones.

    `server` gives the connection to a server with its key; `acting` lets a model behind
    it act in the way that the settings name. `server_info` raises CommandRefusedError for
    an unusable address. `try_tools` and `context_of` raise ModelError.
    """

    built_in: Callable[[], ModelProvider]
    built_in_info: ModelInfo
    server: Callable[[ServerSettings, str | None], ModelProvider]
    acting: Callable[[ModelProvider, ServerSettings], ModelProvider]
    shared: Callable[[Callable[[], ModelProvider]], SharedConnection]
    server_info: Callable[[ServerSettings], ModelInfo]
    check: Callable[[str, str | None, WireFormat], Awaitable[ServerReport]]
    find: Callable[[Sequence[int] | None], Awaitable[Sequence[ServerOffer]]]
    """Looks on these ports of this machine; None means the usual ones."""
    try_tools: Callable[[ModelProvider], Awaitable[ToolMode]]
    """The self-test, over a bare connection."""
    context_of: Callable[[ServerSettings, str | None], Awaitable[int | None]]
    """The model's window in tokens as its server advertises it."""
    local: LocalModels


def info_of(factory: ModelFactory, server: ServerSettings | None) -> ModelInfo:
    """What a server, or without one the built-in assistant, is called on screen."""
    if server is None:
        return factory.built_in_info
    try:
        return factory.server_info(server)
    except AnkitaError:
        return ModelInfo(server.model, server.model, is_local=False)
