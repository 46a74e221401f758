"""Downloads from a hub on loopback, with everything that goes wrong on the way."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import signal
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ankita.atomic_replace import DiskCalls
from ankita.errors import (
    AnkitaError,
    DiskFullError,
    ModelInterruptedError,
    ModelProtocolError,
    ModelRefusedError,
)
from ankita.integrations.local_model.download import Download, DownloadLimits
from ankita.integrations.local_model.hub import FoundModelFile, RecommendedModel, list_models
from tests.servers.model_hub import CHUNK_BYTES, ModelHub

pytestmark = pytest.mark.spec("PRV-9")

REPOSITORY = "Maker/Small-GGUF"
NAME = "Small-Q8_0.gguf"
CONTENT = random.Random(7).randbytes(700_001)
HALF = 20 * CHUNK_BYTES
QUICK = DownloadLimits(pause=0.0, tries=2)
LONGEST_SECONDS = 30.0
PLACE = (RecommendedModel(REPOSITORY, ("*.gguf",), "For tests."),)


@pytest.fixture
async def hub() -> AsyncIterator[ModelHub]:
    async with ModelHub() as running:
        running.add(REPOSITORY, NAME, CONTENT)
        yield running


class Fetch:
    """One offer of a hub and a folder for it; every `run` is a new Download."""

    def __init__(self, hub: ModelHub, offer: FoundModelFile, folder: Path) -> None:
        self.hub, self.offer, self.folder = hub, offer, folder
        self.progress: list[tuple[int, int, bool]] = []

    def download(self, limits: DownloadLimits = QUICK, **more: Any) -> Download:
        def note(done: int, total: int, is_checking: bool) -> None:
            self.progress.append((done, total, is_checking))

        return Download(self.offer, self.folder, note, base=self.hub.base, limits=limits, **more)

    async def run(self, limits: DownloadLimits = QUICK, **more: Any) -> Path:
        async with asyncio.timeout(LONGEST_SECONDS):
            return await self.download(limits, **more).run()

    def names(self) -> list[str]:
        return sorted(each.name for each in self.folder.iterdir())

    def part(self) -> Path:
        (part,) = self.folder.glob("*.part")
        return part

    async def has_half(self) -> None:
        """Wait until the hub holds and HALF of the file lies on the disk."""
        await self.hub.holding.wait()
        while [each.stat().st_size for each in self.folder.glob("*.part")] != [HALF]:  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.01)

    def ranges(self) -> list[str]:
        """What each request for the file asked for."""
        return [each.headers.get("range", "") for each in self.hub.file_requests()]


@pytest.fixture
async def fetch(hub: ModelHub, tmp_path: Path) -> Fetch:
    (offer,) = await list_models(hub.base, recommended=PLACE)
    return Fetch(hub, offer, tmp_path / "models")


async def interrupted(fetch: Fetch) -> None:
    """Bring HALF of the file, then break off."""
    fetch.hub.faults.cut_after = HALF
    with pytest.raises(ModelInterruptedError, match="broke off"):
        await fetch.run(DownloadLimits(pause=0.0, tries=0))
    fetch.hub.faults.cut_after = None
    assert fetch.part().stat().st_size == HALF
    fetch.hub.requests.clear()


async def test_the_file_arrives_whole_private_and_alone(fetch: Fetch) -> None:
    path = await fetch.run()
    assert path == fetch.folder / NAME
    assert path.read_bytes() == CONTENT
    assert fetch.names() == [NAME]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (request,) = fetch.hub.file_requests()
    assert not {"cookie", "authorization", "range"} & set(request.headers)


async def test_progress_ends_with_the_whole_and_is_no_flood(fetch: Fetch) -> None:
    await fetch.run(DownloadLimits(progress=3600.0))
    size = len(CONTENT)
    assert fetch.progress[-1] == (size, size, True)
    assert (size, size, False) in fetch.progress
    # The first one and the end of each phase; the clock lets nothing else through.
    assert len(fetch.progress) <= 4


async def test_a_file_that_is_there_is_not_fetched_again(fetch: Fetch) -> None:
    path = await fetch.run()
    fetch.hub.requests.clear()
    assert await fetch.run() == path
    assert not fetch.hub.requests


async def test_another_file_of_that_name_is_kept(fetch: Fetch) -> None:
    fetch.folder.mkdir()
    (fetch.folder / NAME).write_bytes(b"mine")
    path = await fetch.run()
    assert path.read_bytes() == CONTENT
    assert (fetch.folder / NAME).read_bytes() == b"mine"
    assert await fetch.run() == path


async def test_a_broken_connection_is_taken_up_by_itself(fetch: Fetch) -> None:
    fetch.hub.faults.cut_after = HALF
    path = await fetch.run()
    assert path.read_bytes() == CONTENT
    assert fetch.ranges() == ["", f"bytes={HALF}-", f"bytes={2 * HALF}-"]


async def test_a_later_run_goes_on_where_the_first_ended(fetch: Fetch) -> None:
    await interrupted(fetch)
    assert (await fetch.run()).read_bytes() == CONTENT
    (request,) = fetch.hub.file_requests()
    assert request.headers["range"] == f"bytes={HALF}-"
    assert request.headers["if-range"] == '"first"'
    assert fetch.names() == [NAME]


async def test_a_hub_without_ranges_begins_anew(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.hub.faults.ranges = False
    assert (await fetch.run()).read_bytes() == CONTENT
    assert fetch.ranges() == [f"bytes={HALF}-"]


async def test_a_new_beginning_drops_the_old_part(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.hub.faults.ranges = False
    fetch.hub.faults.cut_after = CHUNK_BYTES
    with pytest.raises(ModelInterruptedError):
        await fetch.run(DownloadLimits(pause=0.0, tries=0))
    assert fetch.part().read_bytes() == CONTENT[:CHUNK_BYTES]


async def test_a_hub_without_ranges_that_always_breaks_off_is_given_up(fetch: Fetch) -> None:
    fetch.hub.faults.ranges = False
    fetch.hub.faults.cut_after = HALF
    with pytest.raises(ModelInterruptedError):
        await fetch.run()
    assert len(fetch.hub.file_requests()) == 3


async def test_a_changed_mark_begins_anew(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.part().write_bytes(b"\0" * HALF)  # must not end up in the file
    fetch.hub.files[0].etag = '"second"'
    assert (await fetch.run()).read_bytes() == CONTENT


async def test_a_part_from_another_place_is_not_joined(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.hub.faults.shifted_range = True
    assert (await fetch.run()).read_bytes() == CONTENT
    assert fetch.ranges() == [f"bytes={HALF}-", ""]


async def test_a_part_longer_than_the_file_begins_anew(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.part().write_bytes(b"\0" * (len(CONTENT) + 1))
    assert (await fetch.run()).read_bytes() == CONTENT


async def test_a_whole_part_is_only_checked(fetch: Fetch) -> None:
    await interrupted(fetch)
    fetch.part().write_bytes(CONTENT)
    assert (await fetch.run()).read_bytes() == CONTENT
    assert not fetch.hub.requests


async def test_a_wrong_hash_is_deleted_and_told(fetch: Fetch) -> None:
    fetch.hub.files[0].content = CONTENT[:-1] + b"\0"
    with pytest.raises(ModelProtocolError, match="its hash differs") as refusal:
        await fetch.run()
    assert "deleted" in refusal.value.advice
    assert fetch.names() == []


@pytest.mark.parametrize("without_length", [False, True])
async def test_a_longer_file_than_agreed_is_refused(fetch: Fetch, without_length: bool) -> None:
    fetch.hub.files[0].content = CONTENT * 3
    fetch.hub.faults.without_length = without_length
    with pytest.raises(ModelProtocolError, match="does not send"):
        await fetch.run()
    assert fetch.names() == []


async def test_cancelling_keeps_the_part_and_discard_deletes_it(fetch: Fetch) -> None:
    fetch.hub.faults.hold_after = HALF
    download = fetch.download()
    running = asyncio.create_task(download.run())
    async with asyncio.timeout(LONGEST_SECONDS):
        await fetch.has_half()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert fetch.part().read_bytes() == CONTENT[:HALF]
    await fetch.download().discard()
    assert fetch.names() == []
    await download.discard()


async def test_a_silent_hub_is_not_waited_for_for_ever(fetch: Fetch) -> None:
    fetch.hub.faults.hold_after = HALF
    with pytest.raises(ModelInterruptedError):
        await fetch.run(DownloadLimits(silence=0.2, tries=0))
    assert fetch.part().stat().st_size == HALF


async def test_too_little_space_is_told_before_the_first_byte(fetch: Fetch) -> None:
    with pytest.raises(DiskFullError, match=r"needs 0\.5 GB of free space"):
        await fetch.run(DownloadLimits(), free_bytes=lambda: 1_000_000)
    assert not fetch.hub.file_requests()


async def test_what_is_there_already_needs_no_space(fetch: Fetch) -> None:
    await interrupted(fetch)
    left = len(CONTENT) - HALF
    await fetch.run(DownloadLimits(margin=0), free_bytes=lambda: left)


async def test_a_disk_that_fills_up_keeps_the_part(fetch: Fetch) -> None:
    written = 0

    def write(descriptor: int, data: bytes | memoryview) -> int:
        nonlocal written
        if written >= HALF:
            raise OSError(errno.ENOSPC, "No space left on device")
        written += len(data)
        return os.write(descriptor, data)

    with pytest.raises(DiskFullError, match="no space left") as refusal:
        await fetch.run(disk=DiskCalls(write=write))
    assert "kept" in refusal.value.advice
    assert fetch.part().stat().st_size >= HALF
    assert (await fetch.run()).read_bytes() == CONTENT
    assert "bytes=" in fetch.ranges()[-1]


@pytest.mark.parametrize(
    "place",
    ["http://192.0.2.1/x", "ftp://127.0.0.1/x", "http://user@127.0.0.1/x", "https://10.0.0.1/x"],
)
async def test_a_redirect_to_an_unsafe_place_is_not_followed(fetch: Fetch, place: str) -> None:
    fetch.hub.faults.redirect_to = place
    with pytest.raises(ModelProtocolError, match="led to a place"):
        await fetch.run()


async def test_redirects_in_circles_end(fetch: Fetch) -> None:
    fetch.hub.faults.redirect_to = f"/{REPOSITORY}/resolve/main/{NAME}"
    with pytest.raises(ModelProtocolError, match="in circles"):
        await fetch.run()


async def test_a_refusal_of_the_hub_is_told_at_once(fetch: Fetch) -> None:
    fetch.hub.faults.status = 403
    fetch.hub.requests.clear()
    with pytest.raises(ModelRefusedError, match="status 403"):
        await fetch.run()
    assert len(fetch.hub.requests) == 1


async def test_a_hub_that_fails_for_a_moment_is_asked_again(fetch: Fetch) -> None:
    fetch.hub.faults.status = 503
    fetch.hub.requests.clear()
    with pytest.raises(ModelInterruptedError):
        await fetch.run()
    assert len(fetch.hub.requests) == 2


@pytest.mark.parametrize("bad", ["../x.gguf", "a/b/../x.gguf", "a/b/c/x.gguf", "a/b/.gguf", ""])
def test_an_id_that_leads_elsewhere_is_refused(tmp_path: Path, bad: str) -> None:
    offer = FoundModelFile(bad, "x", "x", "x", 1, "0" * 64, "x")
    with pytest.raises(AnkitaError):
        Download(offer, tmp_path, lambda *_: None)


CHILD = """
import asyncio, sys
from pathlib import Path
from ankita.integrations.local_model.download import Download
from ankita.integrations.local_model.hub import FoundModelFile

offer = FoundModelFile(sys.argv[3], "Small", "Maker", "MIT", int(sys.argv[4]), sys.argv[5], "hub")
download = Download(offer, Path(sys.argv[2]), lambda *_: None, base=sys.argv[1])
asyncio.run(download.run())
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
async def test_a_killed_download_is_taken_up_by_the_next_process(fetch: Fetch) -> None:
    fetch.hub.faults.hold_after = HALF
    offer = fetch.offer
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, fetch.hub.base, str(fetch.folder)),
        *(offer.id, str(offer.size), offer.sha256),
    )
    async with asyncio.timeout(LONGEST_SECONDS):
        await fetch.has_half()
        child.send_signal(signal.SIGKILL)
        await child.wait()
    fetch.hub.faults.hold_after = None
    fetch.hub.requests.clear()
    assert (await fetch.run()).read_bytes() == CONTENT
    assert fetch.ranges() == [f"bytes={HALF}-"]
