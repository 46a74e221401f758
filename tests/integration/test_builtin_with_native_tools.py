"""The built-in assistant's calls run on the real file and command tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ankita.ids import CallId, ThreadId, TurnId
from ankita.integrations.models.builtin_words import EXAMPLES
from ankita.integrations.native.provider import NativeTools
from ankita.protocols import CallContext
from ankita.security.scope import FolderScope, Grant
from tests.fakes.builtin_threads import FakeThread

CONTEXT = CallContext(ThreadId("t"), TurnId("1"), CallId("c"), lambda _line: None)


@pytest.fixture
async def tools(tmp_path: Path) -> AsyncIterator[NativeTools]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "notes.txt").write_text("milk\nold bread\n", encoding="utf-8")
    (tmp_path / "docs" / "lease.txt").write_text("The Rent is 900.\n", encoding="utf-8")
    scope = FolderScope(lambda: [Grant(tmp_path, may_write=True)])
    native = NativeTools(scope, is_secret=lambda _name, _value: False)
    yield native
    await native.aclose()


async def ask(tools: NativeTools, text: str) -> str:
    """Says `text`, runs the one call it gives, and gives the text of the second reply."""
    thread = FakeThread(tools.tools())
    await thread.say(text)
    [call] = thread.calls
    result = await tools.call(call.name, call.arguments, CONTEXT)
    return await thread.give_result(result.text)


@pytest.mark.spec("PRV-7")
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("read notes.txt", "old bread"),
        ("/tool read_file path=notes.txt offset=2 limit=1", "old bread"),
        ("list the files in docs", "lease.txt"),
        ("list", "notes.txt"),
        ("find files named lease", "docs/lease.txt"),
        ("find all txt files", "docs/lease.txt"),
        ('search for "rent" in docs', "The Rent is 900."),
        ("what does docs/lease.txt say about rent?", "The Rent is 900."),
        ("run `echo hello`", "hello"),
        ('write "new" to fresh.txt', "fresh.txt"),
        ('replace "old" with "new" in notes.txt', "notes.txt"),
        ("/jobs", "job_list"),
    ],
)
async def test_a_sentence_is_done_and_its_result_quoted(
    tools: NativeTools, text: str, part: str
) -> None:
    assert part in await ask(tools, text)


async def test_every_example_it_offers_fits_the_real_tools(tools: NativeTools) -> None:
    offered = {tool.name for tool in tools.tools()}
    for name, sentence in EXAMPLES:
        if name in offered:
            thread = FakeThread(tools.tools())
            await thread.say(sentence)
            assert [call.name for call in thread.calls] == [name], sentence


async def test_a_question_for_a_missing_value_says_what_it_means(tools: NativeTools) -> None:
    assert "workspace" in await FakeThread(tools.tools()).say("/read")
