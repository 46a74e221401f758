"""A model is fetched after a yes, stopped, resumed, and answers: hub, engine and llama.cpp."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ankita.engine import (
    CancelDownload,
    DownloadModel,
    ListModels,
    ModelOffer,
    ReplyItem,
)
from ankita.engine.model_factory import DownloadProgress, LocalModels
from ankita.engine.providers import LOCAL_MODELS, REAL_MODELS
from ankita.integrations.local_model import hub as hub_module
from ankita.integrations.local_model.download import Download
from ankita.integrations.local_model.hub import RecommendedModel
from ankita.paths import ProfilePaths
from tests.engine_lab import engine_lab
from tests.servers.model_hub import ModelHub
from tests.servers.tiny_model import GREETING

pytestmark = [pytest.mark.engine, pytest.mark.spec("PRV-9", "ENG-3")]

REPOSITORY = "Maker/Tiny-GGUF"
HELD_BYTES = 400_000


def local_models_of(hub: ModelHub) -> LocalModels:
    """The real parts, asking this hub instead of the public one."""

    async def list_models() -> Sequence[ModelOffer]:
        wanted = (RecommendedModel(REPOSITORY, ("*.gguf",), "For tests."),)
        found = await hub_module.list_models(hub.base, recommended=wanted)
        return [
            ModelOffer(f.id, f.name, f.publisher, f.licence, f.size, f.sha256, f.host, f.note)
            for f in found
        ]

    async def download(offer: ModelOffer, folder: Path, progress: DownloadProgress) -> Path:
        return await Download(offer, folder, progress, base=hub.base).run()

    return replace(LOCAL_MODELS, list_models=list_models, download=download)


async def test_a_download_stops_at_once_goes_on_later_and_then_answers(
    tiny_model_file: Path,
    tmp_path: Path,
) -> None:
    pytest.importorskip("xllamacpp")
    paths = ProfilePaths(tmp_path)
    content = await asyncio.to_thread(tiny_model_file.read_bytes)
    async with ModelHub() as hub:
        file = hub.add(REPOSITORY, "tiny-Q8_0.gguf", content)
        factory = replace(REAL_MODELS, local=local_models_of(hub))
        async with engine_lab(tmp_path, models=factory) as lab:
            (offer,) = await lab.do(ListModels())
            assert (offer.sha256, offer.size) == (file.sha256, len(file.content))
            assert not any("resolve" in request.path for request in hub.requests)

            hub.faults.hold_after = HELD_BYTES
            await lab.do(DownloadModel(offer))
            await lab.until(lambda s: s.download is not None and s.download.done > 0)
            await lab.do(CancelDownload())
            assert lab.state.download is None
            assert lab.state.settings.server is None
            asked = len(hub.requests)
            parts = [part.stat().st_size for part in paths.models.iterdir()]
            assert sum(parts) > 0, "what was fetched stays for later"

            hub.faults.hold_after = None
            assert len(hub.requests) == asked, "nothing runs on"
            await lab.do(DownloadModel(offer))
            await lab.until(lambda s: s.settings.server is not None and s.download is None)
            ranges = [r.headers.get("range", "") for r in hub.requests[asked:]]
            assert any(value not in ("", "bytes=0-") for value in ranges), "it went on"

            items = await lab.talk("Hello.")
            assert isinstance(items[-1], ReplyItem)
            assert items[-1].text == GREETING
