"""A model file run by the real llama.cpp in a child process, from the first word to its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from ankita.errors import (
    ModelInterruptedError,
    ModelLoadingError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from ankita.integrations.local_model import provider as provider_module
from ankita.integrations.local_model.provider import (
    LocalModelLimits,
    LocalModelProvider,
    is_available,
)
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Phase,
    Role,
    TextDelta,
    ToolCallReady,
    ToolSpec,
)
from tests.children import Children
from tests.servers.tiny_model import (
    CLOSING,
    CONTEXT_TOKENS,
    ENDLESS_WORD,
    GREETING,
    TICK,
    TOOL_ARGUMENT,
    TOOL_WORD,
)

pytest.importorskip("xllamacpp")

pytestmark = [pytest.mark.engine, pytest.mark.spec("PRV-9")]

INFO = ModelInfo("tiny · run by Ankita", "tiny", is_local=True)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a text file", SCHEMA, Effect.READS, "files", Phase.READING)
LONGEST_SECONDS = 30.0
SLOW_START = "import sys, time; sys.stdin.readline(); time.sleep(600)"


def ask(words: str, *more: Message, tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    return ModelRequest((Message(Role.USER, words), *more), tools)


async def collect(provider: LocalModelProvider, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in provider.stream(request)]


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that tells nobody when it comes."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def gone(pid: int) -> None:
    await until(lambda: is_gone(pid))


async def loaded_or_failed(provider: LocalModelProvider) -> None:
    """Ask until the answer is another one than that the model still loads."""
    while True:
        with contextlib.suppress(ModelLoadingError):
            await collect(provider, ask("Hello."))
            return


@pytest.fixture
async def provider(tiny_model_file: Path) -> AsyncIterator[LocalModelProvider]:
    made = LocalModelProvider(tiny_model_file, info=INFO)
    yield made
    await made.aclose()


def test_the_extra_is_found_without_loading_it() -> None:
    script = (
        "import sys; from ankita.integrations.local_model.provider import is_available;"
        "assert is_available(); assert 'xllamacpp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


async def test_the_child_comes_with_the_first_question_and_goes_at_the_end(
    provider: LocalModelProvider,
) -> None:
    assert provider.process_id is None
    assert provider.info() == INFO
    events = await collect(provider, ask("Hello."))
    assert said(events) == GREETING
    assert events[-1] == Finished(FinishReason.STOP)
    assert provider.info().context_tokens == CONTEXT_TOKENS

    pid = provider.process_id
    assert pid
    assert said(await collect(provider, ask("Hello."))) == GREETING
    assert provider.process_id == pid
    await provider.aclose()
    await gone(pid)
    await provider.aclose()
    with pytest.raises(ModelUnavailableError, match="closed"):
        await collect(provider, ask("Hello."))


async def test_a_tool_is_called_and_its_result_answered(provider: LocalModelProvider) -> None:
    question = f"Read it with a {TOOL_WORD}."
    events = await collect(provider, ask(question, tools=(READ,)))
    (call,) = (event.call for event in events if isinstance(event, ToolCallReady))
    assert (call.name, call.arguments) == ("read_file", {"path": TOOL_ARGUMENT})
    answered = ask(
        question,
        Message(Role.ASSISTANT, tool_calls=(call,)),
        Message(Role.TOOL, "milk", tool_call_id=call.id),
        tools=(READ,),
    )
    assert said(await collect(provider, answered)) == CLOSING


async def test_only_the_parent_can_ask_and_the_key_stands_in_no_process_list(
    provider: LocalModelProvider,
) -> None:
    import httpx2

    await collect(provider, ask("Hello."))
    assert provider.process_id
    child = psutil.Process(provider.process_id)
    (listening,) = (each.laddr for each in child.net_connections() if each.status == "LISTEN")
    assert listening.ip == "127.0.0.1"
    running = provider._running
    assert running is not None
    key = running.api_key
    assert key not in " ".join(child.cmdline())
    assert key not in " ".join(child.environ().values())
    url = f"http://127.0.0.1:{listening.port}/v1/chat/completions"
    body = {"messages": [{"role": "user", "content": "Hello."}]}
    async with httpx2.AsyncClient(trust_env=False) as client:
        assert (await client.post(url, json=body)).status_code == 401


async def test_a_child_killed_in_mid_reply_is_told_and_started_anew(
    provider: LocalModelProvider,
) -> None:
    pieces: list[str] = []
    killed = 0

    async def read_and_kill() -> None:
        nonlocal killed
        async with aclosing(provider.stream(ask(ENDLESS_WORD))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    pieces.append(event.text)
                if len(pieces) == 20 and not killed:
                    killed = provider.process_id or 0
                    psutil.Process(killed).kill()

    with pytest.raises(ModelInterruptedError, match="tiny ended in the middle"):
        await read_and_kill()
    assert "".join(pieces).startswith(TICK * 20)
    assert said(await collect(provider, ask("Hello."))) == GREETING
    assert provider.process_id != killed


async def test_a_child_that_died_between_two_questions_is_started_anew(
    provider: LocalModelProvider,
) -> None:
    await collect(provider, ask("Hello."))
    first = provider.process_id
    assert first
    psutil.Process(first).kill()
    await gone(first)
    await until(lambda: provider.process_id is None)
    assert said(await collect(provider, ask("Hello."))) == GREETING
    assert provider.process_id not in (None, first)


async def test_leaving_a_reply_frees_the_model(provider: LocalModelProvider) -> None:
    async with aclosing(provider.stream(ask(ENDLESS_WORD))) as events:
        await anext(events)
    assert said(await collect(provider, ask("Hello."))) == GREETING


async def test_an_idle_model_leaves_the_memory_and_comes_back(tiny_model_file: Path) -> None:
    provider = LocalModelProvider(tiny_model_file, info=INFO, limits=LocalModelLimits(idle=0.05))
    try:
        async with aclosing(provider.stream(ask(ENDLESS_WORD))) as events:
            await anext(events)
            first = provider.process_id
            assert first
            await asyncio.sleep(0.2)  # longer than the idle time: a reply is no idleness
            assert provider.process_id == first
        await gone(first)
        assert provider.process_id is None
        assert said(await collect(provider, ask("Hello."))) == GREETING
    finally:
        await provider.aclose()


async def test_two_questions_at_once_share_one_child(
    provider: LocalModelProvider,
    new_children: Children,
) -> None:
    answers = await asyncio.gather(*(collect(provider, ask("Hello.")) for _ in range(2)))
    assert [said(each) for each in answers] == [GREETING, GREETING]
    assert provider.process_id
    assert len(new_children()) == 1


async def test_while_it_loads_the_question_is_told_so_and_the_end_is_bounded(
    tiny_model_file: Path,
    new_children: Children,
) -> None:
    provider = LocalModelProvider(
        tiny_model_file,
        info=INFO,
        limits=LocalModelLimits(patience=0.1, start=2.0),
        command=(sys.executable, "-c", SLOW_START),
    )
    try:
        with pytest.raises(ModelLoadingError, match="still being loaded"):
            await collect(provider, ask("Hello."))
        assert len(new_children()) == 1
        with pytest.raises(ModelTimeoutError, match="within 2 seconds"):
            await asyncio.wait_for(loaded_or_failed(provider), LONGEST_SECONDS)
        assert not new_children()
    finally:
        await provider.aclose()


async def test_closing_while_it_loads_leaves_no_process(
    tiny_model_file: Path,
    new_children: Children,
) -> None:
    provider = LocalModelProvider(
        tiny_model_file, info=INFO, command=(sys.executable, "-c", SLOW_START)
    )
    waiting = asyncio.create_task(collect(provider, ask("Hello.")))
    await until(lambda: bool(new_children()))
    await provider.aclose()
    with pytest.raises(ModelUnavailableError, match="closed while"):
        await waiting
    assert not new_children()


async def test_closing_while_a_dead_child_is_cleared_away_starts_no_other(
    tiny_model_file: Path,
    new_children: Children,
) -> None:
    provider = LocalModelProvider(tiny_model_file, info=INFO)
    await collect(provider, ask("Hello."))
    pid = provider.process_id
    assert pid is not None
    os.kill(pid, 9)
    await until(lambda: provider.process_id is None)
    asking = asyncio.create_task(collect(provider, ask("Hello again.")))
    closing = asyncio.create_task(provider.aclose())
    with pytest.raises(ModelUnavailableError, match="was closed"):
        await asking
    await closing
    assert not new_children()


async def test_a_file_that_llama_cpp_refuses_is_told_plainly(
    tiny_model_file: Path,
    tmp_path: Path,
) -> None:
    strange = tmp_path / "strange.gguf"
    whole = await asyncio.to_thread(tiny_model_file.read_bytes)
    strange.write_bytes(whole.replace(b"llama", b"lemma"))
    provider = LocalModelProvider(strange, info=INFO)
    try:
        with pytest.raises(ModelUnavailableError, match="does not know models of its kind"):
            await collect(provider, ask("Hello."))
        strange.unlink()
        with pytest.raises(ModelUnavailableError, match="could not be opened"):
            await collect(provider, ask("Hello."))
    finally:
        await provider.aclose()


async def test_a_model_that_does_not_fit_is_refused_before_it_starts(tiny_model_file: Path) -> None:
    provider = LocalModelProvider(tiny_model_file, info=INFO, measure_memory=lambda: 100_000_000)
    with pytest.raises(ModelUnavailableError, match="does not fit"):
        await collect(provider, ask("Hello."))
    await provider.aclose()


async def test_without_the_extra_it_says_how_to_get_it(
    tiny_model_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert is_available()
    monkeypatch.setattr(provider_module, "is_available", lambda: False)
    provider = LocalModelProvider(tiny_model_file, info=INFO)
    with pytest.raises(ModelUnavailableError) as refusal:
        await collect(provider, ask("Hello."))
    assert "pip install 'ankita[local]'" in refusal.value.advice
    await provider.aclose()


PARENT = """
import asyncio, sys
from pathlib import Path
from ankita.integrations.local_model.provider import LocalModelProvider
from ankita.messages import Message, ModelInfo, ModelRequest, Role

async def main():
    provider = LocalModelProvider(Path(sys.argv[1]), info=ModelInfo("t", "t", is_local=True))
    async for event in provider.stream(ModelRequest((Message(Role.USER, sys.argv[2]),))):
        print(provider.process_id, flush=True)

asyncio.run(main())
"""


async def test_the_child_ends_with_a_parent_that_is_killed(tiny_model_file: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, str(tiny_model_file), ENDLESS_WORD),
        stdout=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    assert parent.stdout is not None
    async with asyncio.timeout(LONGEST_SECONDS):
        child = int(await parent.stdout.readline())
    assert psutil.pid_exists(child)
    parent.kill()
    await parent.communicate()
    await gone(child)
