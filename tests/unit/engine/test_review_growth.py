"""What is kept beside the threads is let go, and what is begun can be ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ankita.config import ServerSettings
from ankita.engine import CancelDownload, DownloadModel, KeepKeysForThisRun, RemoveKey, UseServer
from ankita.engine.commands import ModelOffer
from ankita.engine.offered_tools import ToolOffers
from ankita.engine.token_meter import TokenMeter
from ankita.integrations.models.shared_model import SharedModel
from ankita.messages import Finished, FinishReason, ModelEvent, ModelInfo, ModelRequest
from tests.engine_lab import UNTRIED_MODELS, engine_lab
from tests.fakes.tools import make_spec


def offer(name: str) -> ModelOffer:
    return ModelOffer(name, name, "someone", "MIT", 10, "0" * 64, "example.invalid", "")


@pytest.mark.spec("ENG-6")
def test_declarations_that_are_gone_are_not_kept() -> None:
    offers = ToolOffers()
    for _ in range(300):
        offers.fit([make_spec(f"tool_{n}") for n in range(5)], (), TokenMeter(context_tokens=512))
    assert len(offers._sizes) + len(offers._brief) < 200


@pytest.mark.spec("PRV-9")
async def test_a_download_begun_right_after_a_cancel_goes_on_and_can_be_cancelled(
    tmp_path: Path,
) -> None:
    running: list[str] = []

    async def download(wanted: ModelOffer, *_: object) -> Path:
        running.append(wanted.id)
        try:
            await asyncio.Event().wait()
        finally:
            running.remove(wanted.id)
        raise AssertionError

    async def discard(*_: object) -> None:
        return None

    local = replace(
        UNTRIED_MODELS.local, check_available=lambda: None, download=download, discard=discard
    )
    for turns in range(8):
        async with engine_lab(tmp_path, models=replace(UNTRIED_MODELS, local=local)) as lab:
            await lab.do(DownloadModel(offer("one")))
            await lab.until(lambda _: running)
            cancelling = asyncio.ensure_future(lab.do(CancelDownload(discard=False)))
            for _ in range(turns):
                await asyncio.sleep(0)
            again = asyncio.ensure_future(lab.do(DownloadModel(offer("two"))))
            await asyncio.wait([again, cancelling])
            if again.exception() is None:
                await asyncio.sleep(0)
                assert lab.state.download is not None
                assert lab.state.download.id == "two"
            await lab.do(CancelDownload(discard=False))
            assert running == []


class Breaking:
    """Streams one reply whose end fails."""

    def __init__(self) -> None:
        self.is_closed = False

    def info(self) -> ModelInfo:
        return ModelInfo("m", "m", is_local=True)

    async def stream(self, _request: ModelRequest) -> AsyncIterator[ModelEvent]:
        try:
            yield Finished(FinishReason.STOP)
            yield Finished(FinishReason.STOP)
        finally:
            raise OSError("the connection was gone")

    async def aclose(self) -> None:
        self.is_closed = True


async def test_a_connection_whose_reply_ended_badly_is_closed_all_the_same() -> None:
    inner = Breaking()
    shared = SharedModel(lambda: inner)
    reply: Any = shared.stream(ModelRequest(()))
    await anext(reply)
    await shared.retire()
    with pytest.raises(OSError, match="gone"):
        await reply.aclose()
    assert inner.is_closed


@pytest.mark.spec("PRV-2")
async def test_removing_a_key_touches_no_server_that_was_chosen_in_the_same_moment(
    tmp_path: Path,
) -> None:
    async with engine_lab(tmp_path) as lab:
        await lab.do(KeepKeysForThisRun())
        await lab.do(UseServer("http://127.0.0.1:1/v1", "one", "first-secret-key"))
        keys = lab.handlers._answering._servers._keys
        real = keys.remove

        async def removing(name: str) -> None:
            await lab.do(UseServer("http://127.0.0.1:2/v1", "two", "second-secret-key"))
            await real(name)

        keys.remove = removing  # type: ignore[method-assign]
        await lab.do(RemoveKey())
        server = lab.state.settings.server
        assert isinstance(server, ServerSettings)
        assert (server.model, bool(server.key_name)) == ("two", True)
