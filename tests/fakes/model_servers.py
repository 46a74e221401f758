"""Models as the engine sees them, without any network: a factory of scripted providers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ankita.config import ServerSettings, ToolMode
from ankita.engine.commands import ModelOffer
from ankita.engine.model_factory import DownloadProgress, LocalModels, ModelFactory
from ankita.engine.providers import REAL_MODELS
from ankita.engine.state import ServerOffer
from ankita.errors import AnkitaError, CommandRefusedError
from ankita.protocols import ModelProvider
from tests.fakes.models import Gate, ScriptedModelProvider

SCRIPTED = ScriptedModelProvider().info().model
"""The model's name where a test did not give one."""


@dataclass
class FakeModels:
    """`providers[address]` answers there; `modes` and `contexts` are what a model is found to be.

    A mode may be an error, and `gate` holds every self-test until it is opened.
    """

    providers: dict[str, ScriptedModelProvider] = field(default_factory=dict)
    modes: dict[str, ToolMode | AnkitaError] = field(default_factory=dict)
    contexts: dict[str, int] = field(default_factory=dict)
    found: Sequence[ServerOffer] = ()
    gate: Gate | None = None
    tried: list[str] = field(default_factory=list)
    made: list[tuple[ServerSettings, str | None]] = field(default_factory=list)
    looks: int = 0
    local: LocalModels = REAL_MODELS.local

    def factory(self) -> ModelFactory:
        return replace(
            REAL_MODELS,
            server=self._server,
            acting=REAL_MODELS.acting,
            find=self._find,
            try_tools=self._try,
            context_of=self._context,
            local=self.local,
        )

    def _server(self, server: ServerSettings, key: str | None) -> ModelProvider:
        self.made.append((server, key))
        place = server.base_url or server.file
        known = self.providers.get(place)
        if known is None or known.info().model not in (server.model, SCRIPTED):
            known = ScriptedModelProvider(info=REAL_MODELS.server_info(server))
            self.providers[place] = known
        return known

    async def _find(self, _ports: Sequence[int] | None) -> Sequence[ServerOffer]:
        self.looks += 1
        return self.found

    async def _try(self, provider: ModelProvider) -> ToolMode:
        model = provider.info().model
        self.tried.append(model)
        if self.gate is not None:
            self.gate.reached.set()
            await self.gate.opened.wait()
        mode = self.modes.get(model, ToolMode.NATIVE)
        if isinstance(mode, AnkitaError):
            raise mode
        return mode

    async def _context(self, server: ServerSettings, _key: str | None) -> int | None:
        return self.contexts.get(server.model)


@dataclass
class FakeLocalModels:
    """Files that are never run. `fail` makes the next download end with it, half done."""

    is_available: bool = True
    gate: Gate | None = None
    fail: AnkitaError | None = None
    started_at: list[int] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)

    def local(self) -> LocalModels:
        return LocalModels(
            check_available=self._check_available,
            check_file=_check_file,
            list_models=self._list,
            download=self._download,
            discard=self._discard,
        )

    def _check_available(self) -> None:
        if not self.is_available:
            raise CommandRefusedError("The part that runs model files is not installed.")

    async def _list(self) -> Sequence[ModelOffer]:
        return [OFFER]

    async def _download(self, offer: ModelOffer, folder: Path, progress: DownloadProgress) -> Path:
        part = folder / f"{offer.name}.part"
        done = part.stat().st_size if part.exists() else 0
        self.started_at.append(done)
        progress(done, offer.size, False)
        part.write_bytes(b"x" * (offer.size // 2))
        progress(offer.size // 2, offer.size, False)
        if self.gate is not None:
            self.gate.reached.set()
            await self.gate.opened.wait()
        await asyncio.sleep(0)
        if self.fail is not None:
            error, self.fail = self.fail, None
            raise error
        progress(offer.size, offer.size, True)
        return part.rename(folder / f"{offer.name}.gguf")

    async def _discard(self, offer: ModelOffer, folder: Path) -> None:
        self.discarded.append(offer.id)
        (folder / f"{offer.name}.part").unlink(missing_ok=True)


OFFER = ModelOffer("a/b/tiny.gguf", "tiny", "Someone", "apache-2.0", 1000, "0" * 64, "hub.example")


def _check_file(path: Path) -> str:
    if path.suffix != ".gguf" or not path.is_file():
        raise CommandRefusedError(f"{path.name} is not a model file.")
    return path.stem
