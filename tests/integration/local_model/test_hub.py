"""The list of models comes from the hub at the time it is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from ankita.errors import (
    ModelRateLimitError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from ankita.integrations.local_model.hub import RECOMMENDED, RecommendedModel, list_models
from tests.servers.model_hub import ModelHub

pytestmark = pytest.mark.spec("PRV-9")


@pytest.fixture
async def hub() -> AsyncIterator[ModelHub]:
    async with ModelHub() as running:
        yield running


def publish_all(hub: ModelHub) -> None:
    for number, model in enumerate(RECOMMENDED):
        hub.add(model.repository, f"Model{number}-Q8_0.gguf", bytes([number]) * 50)


async def test_all_three_are_listed_with_what_the_hub_tells(hub: ModelHub) -> None:
    publish_all(hub)
    found = await list_models(hub.base)
    assert [each.name for each in found] == ["Model0-Q8_0", "Model1-Q8_0", "Model2-Q8_0"]
    assert [each.sha256 for each in found] == [file.sha256 for file in hub.files]
    assert {each.licence for each in found} == {"Apache-2.0"}
    assert {f"http://{each.host}" for each in found} == {hub.base}
    assert all(each.size == 50 and each.publisher == "Qwen" and each.note for each in found)
    assert all("blobs=true" in each.path for each in hub.requests)


async def test_one_without_a_licence_or_a_hash_is_left_out(hub: ModelHub) -> None:
    publish_all(hub)
    hub.cards[RECOMMENDED[0].repository] = {"cardData": {}}
    del hub.files[1].told["lfs"]["sha256"]
    (found,) = await list_models(hub.base)
    assert found.name == "Model2-Q8_0"


async def test_one_that_is_gone_hides_no_other(hub: ModelHub) -> None:
    publish_all(hub)
    del hub.cards[RECOMMENDED[1].repository]
    assert len(await list_models(hub.base)) == 2


async def test_a_repository_that_moved_is_followed(hub: ModelHub) -> None:
    publish_all(hub)
    other = RecommendedModel("Old/Name", ("*.gguf",), "Moved.")
    hub.moved["Old/Name"] = RECOMMENDED[0].repository
    (found,) = await list_models(hub.base, recommended=(other,))
    assert found.sha256 == hub.files[0].sha256


@pytest.mark.parametrize(("status", "kind"), [(429, ModelRateLimitError), (404, ModelRefusedError)])
async def test_a_hub_that_refuses_is_told(
    hub: ModelHub, status: int, kind: type[Exception]
) -> None:
    hub.faults.status = status
    with pytest.raises(kind):
        await list_models(hub.base)


async def test_a_hub_that_is_not_there_is_told(hub: ModelHub) -> None:
    await hub.__aexit__()
    with pytest.raises(ModelUnreachableError, match="failed"):
        await list_models(hub.base)


async def test_a_silent_hub_is_not_waited_for(hub: ModelHub) -> None:
    hub.faults.is_silent = True
    with pytest.raises(ModelTimeoutError):
        await list_models(hub.base, seconds=0.3)
