"""Documents read by the real child process, the hostile ones included."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from ankita.errors import DocumentError, DocumentTooLargeError, UnreadableDocumentError
from ankita.integrations.documents.limits import DEFAULT_LIMITS, MEGABYTE
from ankita.integrations.documents.process_reader import WORKER_COMMAND, ProcessDocumentReader
from ankita.messages import DocumentText
from tests.samples import pdf, word

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def ignore(_done: int, _total: int) -> None:
    pass


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


async def read(path: Path, content: bytes) -> DocumentText:
    return await ProcessDocumentReader().read(put(path, content), ignore)


def scripted(code: str) -> list[str]:
    """A stand-in for the worker."""
    return [sys.executable, "-c", code]


async def until_there_is_a_child() -> None:
    async with asyncio.timeout(10):
        while not children():  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def _others() -> None:
    """Processes of other tests, such as a model server, are none of this file's business."""
    OTHERS.clear()
    OTHERS.update(process.pid for process in psutil.Process().children(recursive=True))


OTHERS: set[int] = set()


def children() -> list[psutil.Process]:
    """The processes that the running test has started."""
    found = psutil.Process().children(recursive=True)
    return [process for process in found if process.pid not in OTHERS]


@pytest.mark.spec("DOC-1")
async def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    path = tmp_path / "two.pdf"
    path.write_bytes(pdf.text_pdf("The first page", "The second page"))
    steps: list[tuple[int, int]] = []
    document = await ProcessDocumentReader().read(path, lambda *step: steps.append(step))
    assert document.text == "[page 1]\nThe first page\n\n[page 2]\nThe second page"
    assert (document.kind, document.pages, document.notes) == ("PDF", 2, ())
    assert steps == [(1, 2), (2, 2)]


@pytest.mark.spec("DOC-1")
async def test_a_word_file_is_read_as_markdown(tmp_path: Path) -> None:
    document = await read(tmp_path / "letter.docx", word.docx(word.paragraph("Dear you")))
    assert (document.kind, document.text, document.notes) == ("Word document", "Dear you", ())


@pytest.mark.spec("DOC-1")
@pytest.mark.parametrize(
    "name",
    [
        "line\nbreak.txt",
        "rtl\u202egpj.txt",
        "smile \U0001f469\u200d\U0001f680.txt",
        "ends in space .txt",
    ],
)
async def test_any_name_that_the_disk_takes_can_be_read(tmp_path: Path, name: str) -> None:
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("this file system refuses the name")
    document = await read(tmp_path / name, b"inside")
    assert document.text == "inside"
    assert "\n" not in document.name
    assert "\u202e" not in document.name


@needs_posix
async def test_a_name_that_is_not_unicode_can_be_read(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    document = await read(path, b"inside")
    assert (document.name, document.text) == ("caf\ufffd.txt", "inside")


@pytest.mark.spec("DOC-2")
async def test_a_small_file_that_unpacks_to_far_too_much_is_stopped_while_it_unpacks(
    tmp_path: Path,
) -> None:
    content = word.bomb_docx(200 * MEGABYTE)
    assert len(content) < MEGABYTE
    with pytest.raises(DocumentTooLargeError, match="unpacks to more than 64 MB"):
        await read(tmp_path / "bomb.docx", content)


@pytest.mark.spec("DOC-2")
@pytest.mark.parametrize("target", ["file:///etc/hostname", "http://127.0.0.1:9/x"])
async def test_a_word_file_with_an_external_entity_is_refused(tmp_path: Path, target: str) -> None:
    prologue = f'<!DOCTYPE w:document [<!ENTITY leak SYSTEM "{target}">]>'
    content = word.docx(word.paragraph("&leak;"), prologue=prologue)
    with pytest.raises(UnreadableDocumentError, match="document type declaration"):
        await read(tmp_path / "entity.docx", content)


@pytest.mark.spec("DOC-2")
async def test_a_pdf_that_never_ends_is_stopped_in_time(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(pdf.endless_pdf())
    reader = ProcessDocumentReader(replace(DEFAULT_LIMITS, seconds=1.5))
    started = time.monotonic()
    with pytest.raises(UnreadableDocumentError, match=r"more than 1\.5 seconds"):
        await reader.read(path, ignore)
    assert time.monotonic() - started < 5
    assert children() == []


@pytest.mark.spec("DOC-2")
async def test_a_pdf_cut_off_anywhere_ends_in_text_or_in_a_plain_reason(tmp_path: Path) -> None:
    whole = pdf.text_pdf("The first page", "The second page")
    reader = ProcessDocumentReader()
    for at in range(1, len(whole), len(whole) // 12):
        path = tmp_path / f"{at}.pdf"
        path.write_bytes(whole[:at])
        try:
            document = await reader.read(path, ignore)
            outcome = document.text or " ".join(document.notes)
        except DocumentError as error:
            outcome = str(error)
        assert outcome


@pytest.mark.spec("DOC-2")
async def test_a_file_over_the_size_limit_is_refused_with_both_sizes(tmp_path: Path) -> None:
    with pytest.raises(DocumentTooLargeError, match=r"has 30 MB; files up to 20 MB"):
        await read(tmp_path / "long.txt", b"a line of text\n" * (2 * MEGABYTE))


@pytest.mark.spec("DOC-1")
async def test_a_long_text_is_cut_and_the_note_says_where(tmp_path: Path) -> None:
    document = await read(tmp_path / "long.txt", ("ä" * 99 + "\n").encode() * 90_000)
    assert len(document.text) == 1_000_000
    assert document.notes == ("Only the first 1,000,000 of 9,000,000 characters were kept.",)


@pytest.mark.spec("DOC-1")
async def test_characters_outside_the_basic_plane_fit_into_the_reply(tmp_path: Path) -> None:
    document = await read(tmp_path / "emoji.txt", ("\U0001f600" * 1_000_001).encode())
    assert document.text == "\U0001f600" * 1_000_000


@pytest.mark.spec("DOC-2")
async def test_cancelling_leaves_no_process_behind(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(pdf.endless_pdf())
    task = asyncio.create_task(ProcessDocumentReader().read(path, ignore))
    await until_there_is_a_child()
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 10
    assert children() == []


@needs_posix
@pytest.mark.spec("DOC-2")
async def test_cancelling_ends_the_processes_that_the_child_started_too(tmp_path: Path) -> None:
    grandchild = "import time; time.sleep(600)"
    code = (
        "import subprocess, sys, json, time\n"
        f"subprocess.Popen([sys.executable, '-c', {grandchild!r}])\n"
        "print(json.dumps({'progress': [0, 1]}), flush=True)\n"
        "time.sleep(600)"
    )
    started = asyncio.Event()
    reader = ProcessDocumentReader(worker_command=scripted(code))
    task = asyncio.create_task(reader.read(tmp_path / "a.txt", lambda *_: started.set()))
    await started.wait()
    family = children()
    assert len(family) == 2
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    _gone, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []


@needs_posix
@pytest.mark.spec("DOC-2")
@pytest.mark.parametrize(
    ("name", "reason"),
    [("SIGSEGV", "crashed"), ("SIGABRT", "crashed"), ("SIGKILL", "memory"), ("SIGXCPU", "seconds")],
)
async def test_a_child_that_dies_is_a_plain_reason(tmp_path: Path, name: str, reason: str) -> None:
    code = f"import os; os.kill(os.getpid(), {int(getattr(signal, name))})"
    reader = ProcessDocumentReader(worker_command=scripted(code))
    with pytest.raises(UnreadableDocumentError, match=reason):
        await reader.read(tmp_path / "a.pdf", ignore)


@pytest.mark.spec("DOC-2")
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", "failed"),
        ("pass", "failed"),
        ("print('hello')", "failed"),
        ("print('{\"progress\": [-1, 2]}')", "failed"),
        ('print(\'{"result": {"name": 3}}\')', "failed"),
        ("print('[' * 100000)", "failed"),
        ("print('x' * 20_000_000)", "more text than can be taken"),
        ("import sys; sys.stderr.write('x' * 5_000_000)", "failed"),
    ],
)
async def test_a_child_that_talks_nonsense_is_a_plain_reason(
    tmp_path: Path, code: str, reason: str
) -> None:
    reader = ProcessDocumentReader(worker_command=scripted(code))
    with pytest.raises(UnreadableDocumentError, match=reason):
        await reader.read(tmp_path / "a.pdf", ignore)


async def test_a_reader_that_cannot_start_is_a_plain_reason(tmp_path: Path) -> None:
    reader = ProcessDocumentReader(worker_command=[str(tmp_path / "nothing")])
    with pytest.raises(UnreadableDocumentError, match="did not start"):
        await reader.read(tmp_path / "a.pdf", ignore)


@needs_posix
@pytest.mark.spec("DOC-2")
async def test_a_document_that_needs_more_memory_than_allowed_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "big.docx"
    path.write_bytes(word.docx(word.paragraph("words and words ") * 30_000))
    reader = ProcessDocumentReader(replace(DEFAULT_LIMITS, memory_bytes=80 * MEGABYTE))
    with pytest.raises(UnreadableDocumentError, match="of memory"):
        await reader.read(path, ignore)


@pytest.mark.spec("DOC-2")
async def test_the_parent_ends_a_child_that_outgrows_its_memory(tmp_path: Path) -> None:
    code = "import time; held = b'x' * 200_000_000; time.sleep(600)"
    reader = ProcessDocumentReader(
        replace(DEFAULT_LIMITS, memory_bytes=100 * MEGABYTE),
        worker_command=scripted(code),
        watch_memory=True,
    )
    with pytest.raises(UnreadableDocumentError, match="more than 100 MB of memory"):
        await reader.read(tmp_path / "a.pdf", ignore)
    assert children() == []


async def test_no_key_from_the_environment_reaches_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    seen = tmp_path / "seen"
    code = f"import os; open({str(seen)!r}, 'w').write(repr(dict(os.environ)))"
    with pytest.raises(UnreadableDocumentError):
        await ProcessDocumentReader(worker_command=scripted(code)).read(tmp_path / "a", ignore)
    assert "PATH" in seen.read_text()
    assert "sk-secret" not in seen.read_text()


async def test_a_module_in_the_current_folder_is_not_imported_by_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdfium2.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    document = await read(tmp_path / "a.pdf", pdf.text_pdf("safe"))
    assert document.text == "[page 1]\nsafe"


async def test_plain_text_does_not_load_the_libraries_of_other_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    loaded = tmp_path / "loaded"
    code = (
        "import atexit, sys, runpy\n"
        f"atexit.register(lambda: open({str(loaded)!r}, 'w').write(' '.join(sys.modules)))\n"
        f"runpy.run_module({WORKER_COMMAND[-1]!r}, run_name='__main__')"
    )
    unbounded = [sys.executable, "-c", code.replace("runpy\n", "runpy\nimport resource\n", 1)]
    if sys.platform != "win32":
        unbounded[-1] = unbounded[-1].replace(
            "runpy.run_module", "resource.setrlimit = lambda *_: None\nrunpy.run_module"
        )
    process = await asyncio.create_subprocess_exec(
        *unbounded, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    from ankita.integrations.documents.wire import encode_request

    await process.communicate(encode_request(tmp_path / "a.txt", DEFAULT_LIMITS))
    heavy = {"pypdfium2", "mammoth", "bs4", "charset_normalizer", "asyncio", "psutil"}
    assert heavy.isdisjoint(loaded.read_text().split())
