"""An outside judge breaks the wire in every way it knows and finds nothing to object to.

llmock is a server that injects faults and judges from its journal how a client took
them. The client is the whole engine, with a user who presses "Try again" where the
thread offers it.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ankita.config import ServerSettings, ToolMode
from ankita.engine import CallStatus, NoticeItem, RetryTurn, ThreadStatus, UseServer
from ankita.engine.providers import REAL_MODELS, server_info
from ankita.integrations.models.openai_chat import OpenAIChatProvider
from ankita.integrations.models.retrying import Retrying
from ankita.integrations.models.stream_limits import StreamLimits
from ankita.protocols import ModelProvider
from tests.engine_lab import EngineLab, engine_lab, tool_items

pytestmark = pytest.mark.spec("PRV-4", "PRV-5", "PRV-6")

START_SECONDS = 30.0
MOST_PRESSES = 2

LIMITS = StreamLimits(first_payload_seconds=4.0, between_payloads_seconds=1.5)
"""The product's own limits are minutes; here they are short, so that a stall is seen."""

Behaviour = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """Faults in a row, and whether the answer must come (else a plain error must)."""

    behaviours: Sequence[Behaviour]
    is_answered: bool = True


def fail(status: int, **more: Any) -> Behaviour:
    return {"type": "fail", "status": status, **more}


def broken(kind: str, after: int = 2, **more: Any) -> Behaviour:
    return {"type": "stream_fault", "kind": kind, "after_chunks": after, **more}


CASES = {
    "429": Case([fail(429)]),
    "429 with a wait": Case([fail(429, retry_after=1.0)]),
    "429 twice": Case([fail(429, times=2)]),
    "500": Case([fail(500)]),
    "502": Case([fail(502)]),
    "503 with a wait": Case([fail(503, retry_after=0.5)]),
    "529": Case([fail(529)]),
    "400": Case([fail(400)], is_answered=False),
    "401": Case([fail(401)], is_answered=False),
    "403": Case([fail(403)], is_answered=False),
    "404": Case([fail(404)], is_answered=False),
    "422": Case([fail(422)], is_answered=False),
    "503 for ever": Case([fail(503, times=9)], is_answered=False),
    "disconnect": Case([broken("disconnect")]),
    "disconnect at once": Case([broken("disconnect", 0)]),
    "truncate": Case([broken("truncate")]),
    "truncate at once": Case([broken("truncate", 0)]),
    "malformed": Case([broken("malformed")]),
    "stall": Case([broken("stall", stall_seconds=6.0)]),
    "slow first token": Case([{"type": "slow_first_token", "seconds": 1.5}]),
    "delay": Case([{"type": "delay", "seconds": 1.0}]),
    "malformed arguments": Case([{"type": "tool_fault", "kind": "malformed_arguments"}]),
    "unknown tool": Case([{"type": "tool_fault", "kind": "unknown_tool"}]),
}


class Judge:
    """The llmock process and its control pages."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._client = httpx2.AsyncClient(base_url=base, trust_env=False, timeout=30.0)

    async def play(self, behaviours: Sequence[Behaviour]) -> None:
        answer = await self._client.post(
            "/_llmock/scenario", content=json.dumps({"behaviors": list(behaviours)})
        )
        assert answer.status_code == 201, answer.text

    async def reset(self) -> None:
        await self._client.post("/_llmock/reset")

    async def verdict(self) -> dict[str, Any]:
        return dict((await self._client.get("/_llmock/verdict")).json())

    async def aclose(self) -> None:
        await self._client.aclose()


@pytest.fixture(scope="module")
def judge_address() -> Iterator[str]:
    pytest.importorskip("llmock")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("llmock")
    process = subprocess.Popen(
        [program, "serve", "--host", "127.0.0.1", "--port", str(port)],
        # A short reply that is sent at once is over before anyone could stop reading it, and
        # the judge then takes every client for one that read on.
        env={**os.environ, "LLMOCK_STREAM_CHUNK_DELAY_MS": "40"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def wait_for(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the judge did not start")


@pytest.fixture
async def judge(judge_address: str) -> AsyncIterator[Judge]:
    found = Judge(judge_address)
    await found.reset()
    yield found
    await found.aclose()


def impatient(server: ServerSettings, key: str | None) -> ModelProvider:
    provider = OpenAIChatProvider(
        server.base_url, server.model, api_key=key, limits=LIMITS, info=server_info(server)
    )
    return Retrying(provider)


async def natively(_provider: ModelProvider) -> ToolMode:
    """In place of the self-test, whose requests the judge would count."""
    return ToolMode.NATIVE


async def unknown(_server: ServerSettings, _key: str | None) -> int | None:
    return None


async def talk(lab: EngineLab, judge: Judge, presses: int) -> ThreadStatus:
    """Ask, and press Try again where the thread offers it, at most so often."""
    thread = await lab.send("How are you?")
    items = await lab.finished(thread)
    for _ in range(presses):
        offers_retry = isinstance(items[-1], NoticeItem) and items[-1].can_retry
        if not offers_retry or lab.state.threads[thread].status is not ThreadStatus.FAILED:
            break
        # A person takes longer than the server needs to notice that its reader has left.
        await judge.verdict()
        await lab.do(RetryTurn(thread))
        items = await lab.finished(thread)
    return lab.state.threads[thread].status


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_the_judge_finds_no_failure_and_no_warning(
    judge: Judge, case: Case, tmp_path: Path
) -> None:
    factory = replace(REAL_MODELS, server=impatient, try_tools=natively, context_of=unknown)
    async with engine_lab(tmp_path, models=factory) as lab:
        await lab.do(UseServer(f"{judge.base}/v1", "gpt-4o-mini"))
        await judge.reset()
        await judge.play(case.behaviours)
        status = await talk(lab, judge, MOST_PRESSES if case.is_answered else 0)
        thread = next(iter(lab.state.threads))
        calls = tool_items(lab.state.items[thread])
    verdict = await judge.verdict()
    assert verdict["findings"] == [], verdict
    assert verdict["attempts"] >= 1
    assert (status is ThreadStatus.IDLE) == case.is_answered
    if case.behaviours[0]["type"] == "tool_fault":
        assert calls[0].status is CallStatus.FAILED, "a broken call never runs"
