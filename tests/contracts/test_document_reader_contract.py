"""What every DocumentReader promises."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ankita.errors import DocumentError
from ankita.integrations.documents.process_reader import ProcessDocumentReader
from ankita.protocols import DocumentReader
from tests.fakes.documents import FakeDocumentReader

pytestmark = pytest.mark.spec("DOC-2")


@pytest.fixture(params=["process", "fake"])
def reader(request: pytest.FixtureRequest) -> DocumentReader:
    return ProcessDocumentReader() if request.param == "process" else FakeDocumentReader()


def ignore(_done: int, _total: int) -> None:
    pass


async def test_the_text_comes_back_under_the_name_of_the_file(
    reader: DocumentReader, tmp_path: Path
) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("Grüße\nzweite Zeile\n", encoding="utf-8")
    document = await reader.read(path, ignore)
    assert (document.name, document.text) == ("plan.txt", "Grüße\nzweite Zeile\n")
    assert document.kind
    assert document.encoding == "utf-8"


async def test_progress_goes_forward_and_ends_at_its_total(
    reader: DocumentReader, tmp_path: Path
) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("text", encoding="utf-8")
    steps: list[tuple[int, int]] = []
    await reader.read(path, lambda done, total: steps.append((done, total)))
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize("content", [None, b"", b"\x00\xff\x00\xfe\x01"])
async def test_what_cannot_be_read_is_a_document_error_in_a_sentence(
    reader: DocumentReader, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "thing.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DocumentError) as caught:
        await reader.read(path, ignore)
    assert "thing.bin" in str(caught.value)
    assert str(caught.value).endswith(".")


async def test_a_cancelled_reading_ends_and_the_reader_stays_usable(
    reader: DocumentReader, tmp_path: Path
) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("text", encoding="utf-8")
    if isinstance(reader, FakeDocumentReader):
        reader.hold()
    task = asyncio.create_task(reader.read(path, ignore))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if isinstance(reader, FakeDocumentReader):
        reader.release()
    assert (await reader.read(path, ignore)).text == "text"


async def test_two_readings_at_once_do_not_mix(reader: DocumentReader, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(2)]
    for path in paths:
        path.write_text(path.stem, encoding="utf-8")
    documents = await asyncio.gather(*(reader.read(path, ignore) for path in paths))
    assert [document.text for document in documents] == ["0", "1"]
