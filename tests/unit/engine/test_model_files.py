"""A model file that is picked, or fetched on consent (PRV-9)."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ankita.engine.commands import CancelDownload, DownloadModel, ListModels, UseModelFile
from ankita.engine.events import DownloadChanged
from ankita.errors import CommandRefusedError, DiskFullError, ModelUnreachableError
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.model_servers import OFFER, FakeLocalModels, FakeModels
from tests.fakes.models import Gate, ScriptedModelProvider, says

pytestmark = pytest.mark.spec("PRV-9")


def fetched(lab: EngineLab) -> list[int]:
    told = [event.download for event in lab.events if isinstance(event, DownloadChanged)]
    return [download.done for download in told if download is not None]


async def test_a_picked_file_answers_from_then_on(tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF")
    models = FakeModels(
        {str(file): ScriptedModelProvider([says("Hello.")])}, local=FakeLocalModels().local()
    )
    async with engine_lab(tmp_path / "p", models=models.factory()) as lab:
        await lab.do(UseModelFile(str(file)))
        assert lab.state.answering is not None
        assert lab.state.answering.label == "mine · run by Ankita"
        assert lab.state.answering.is_local
        await lab.talk("hello")
        with pytest.raises(CommandRefusedError, match="not a model file"):
            await lab.do(UseModelFile(str(tmp_path / "none.txt")))
        assert lab.state.settings.server is not None
        assert lab.state.settings.server.file == str(file)


async def test_without_the_extra_nothing_is_fetched(tmp_path: Path) -> None:
    local = FakeLocalModels(is_available=False)
    models = FakeModels(local=local.local())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        for command in (DownloadModel(OFFER), UseModelFile("x.gguf")):
            with pytest.raises(CommandRefusedError, match="not installed"):
                await lab.do(command)
        assert await lab.do(ListModels()) == (OFFER,)
        assert lab.state.download is None
    assert local.started_at == []


async def test_a_download_shows_how_far_it_is_and_is_used_at_its_end(tmp_path: Path) -> None:
    models = FakeModels(local=FakeLocalModels().local())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(DownloadModel(OFFER))
        await lab.until(lambda s: s.settings.server and s.download is None)
        assert fetched(lab) == [0, 500, 1000]
        assert lab.state.settings.server is not None
        assert lab.state.settings.server.file == str(tmp_path / "models" / "tiny.gguf")
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "models").stat().st_mode) == 0o700


async def test_one_download_at_a_time_and_the_rest_later(tmp_path: Path) -> None:
    local = FakeLocalModels(gate=Gate())
    models = FakeModels(local=local.local())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(DownloadModel(OFFER))
        assert local.gate is not None
        await local.gate.reached.wait()
        await lab.do(DownloadModel(OFFER))
        with pytest.raises(CommandRefusedError, match="Another model"):
            await lab.do(DownloadModel(replace(OFFER, id="a/b/other.gguf")))
        await lab.do(CancelDownload())
        assert lab.state.download is None
        local.gate.open()
        await lab.do(DownloadModel(OFFER))
        await lab.until(lambda s: s.settings.server)
    assert local.started_at == [0, 500]
    assert local.discarded == []


@pytest.mark.parametrize(
    "error", [ModelUnreachableError("The hub is gone."), DiskFullError("The disk is full.")]
)
async def test_a_download_that_stopped_says_why_and_can_go_on_or_be_discarded(
    tmp_path: Path, error: ModelUnreachableError | DiskFullError
) -> None:
    local = FakeLocalModels(fail=error)
    models = FakeModels(local=local.local())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(DownloadModel(OFFER))
        await lab.until(lambda s: s.download and s.download.problem)
        assert lab.state.download is not None
        assert lab.state.download.problem == error.message
        assert lab.state.settings.server is None
        await lab.do(CancelDownload(discard=True))
        assert lab.state.download is None
        assert local.discarded == [OFFER.id]
        await lab.do(DownloadModel(OFFER))
        await lab.until(lambda s: s.settings.server)
    assert local.started_at == [0, 0]


async def test_closing_ends_a_download_and_keeps_its_part(tmp_path: Path) -> None:
    local = FakeLocalModels(gate=Gate())
    models = FakeModels(local=local.local())
    async with engine_lab(tmp_path, models=models.factory()) as lab:
        await lab.do(DownloadModel(OFFER))
        assert local.gate is not None
        await local.gate.reached.wait()
    assert (tmp_path / "models" / "tiny.part").stat().st_size == 500
