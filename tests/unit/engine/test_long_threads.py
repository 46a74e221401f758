"""A long thread goes on within a small window; nothing that matters is lost (ENG-6, ENG-7)."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ankita.engine import OpenThread, PinItem, ReplyItem, ReplyStatus, ThreadStatus
from ankita.engine.history import size_of, text_bytes
from ankita.errors import CommandRefusedError, ModelContextError
from ankita.memory.work import WorkStore
from ankita.messages import (
    Finished,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    TextDelta,
    Usage,
)
from ankita.paths import ProfilePaths
from ankita.storage import Database
from tests.engine_lab import engine_lab
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.long_thread import (
    PARKED_TARGET,
    PIN,
    THREAD,
    UNCERTAIN_TARGET,
    write_long_thread,
)

pytestmark = pytest.mark.spec("ENG-6")


class SmallWindow:
    """A model with a real limit: it counts every token of a request and refuses more."""

    def __init__(
        self, context: int, *, bytes_a_token: float, tells_window: bool, tells_figures: bool = True
    ) -> None:
        self._context = context
        self._bytes_a_token = bytes_a_token
        self._tells_figures = tells_figures
        self._info = ModelInfo(
            "small · local", "small", True, context_tokens=context if tells_window else None
        )
        self.accepted: list[ModelRequest] = []
        self.refused = 0

    def info(self) -> ModelInfo:
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        tokens = round(request_bytes(request) / self._bytes_a_token)
        if tokens > self._context:
            self.refused += 1
            raise ModelContextError(
                "Too long.",
                prompt_tokens=tokens if self._tells_figures else None,
                context_tokens=self._context if self._tells_figures else None,
            )
        self.accepted.append(request)
        yield TextDelta("Going on.")
        yield Usage(tokens, 4)
        yield Finished(FinishReason.STOP)

    async def aclose(self) -> None:
        """Nothing to release."""


def request_bytes(request: ModelRequest) -> int:
    schemas = sum(
        text_bytes(t.name + t.description + json.dumps(t.parameters)) for t in request.tools
    )
    return size_of(request.messages) + schemas


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with a thread of 10,000 messages; tests work on copies."""
    folder = tmp_path_factory.mktemp("long")
    asyncio.run(write_long_thread(ProfilePaths(folder), 10_000))
    return folder


@pytest.mark.parametrize("bytes_a_token", [4.0, 2.5, 1.0])
@pytest.mark.parametrize("tells", ["window", "figures", "nothing"])
async def test_ten_thousand_messages_go_on_in_a_window_of_4096_tokens(
    written: Path, tmp_path: Path, bytes_a_token: float, tells: str
) -> None:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    model = SmallWindow(
        4_096,
        bytes_a_token=bytes_a_token,
        tells_window=tells == "window",
        tells_figures=tells != "nothing",
    )
    async with engine_lab(tmp_path, model) as lab:
        before = await lab.do(OpenThread(THREAD)), lab.state.items[THREAD]
        for number in range(6):
            items = await lab.talk(f"And question {number}?", THREAD)
            assert lab.state.threads[THREAD].status is ThreadStatus.IDLE
            last = items[-1]
            assert isinstance(last, ReplyItem)
            assert last.status is ReplyStatus.DONE
        assert lab.state.items[THREAD][: len(before[1])] == before[1], "what is stored stays"
    assert len(model.accepted) == 6
    for number, request in enumerate(model.accepted):
        said = request.messages[0].text
        assert PIN in said
        assert f"{UNCERTAIN_TARGET}: its outcome is UNCERTAIN" in said
        assert f"{PARKED_TARGET}: the user said “not now”" in said
        assert f"And question {number}?" in request.messages[-1].text
    assert model.refused <= 6, "it learns the size once"


async def test_the_beginning_of_the_request_holds_from_turn_to_turn(tmp_path: Path) -> None:
    await write_long_thread(ProfilePaths(tmp_path), 2_000)
    model = SmallWindow(8_192, bytes_a_token=3.4, tells_window=True)
    async with engine_lab(tmp_path, model) as lab:
        for number in range(8):
            await lab.talk(f"And question {number}?", THREAD)
    starts = {(r.messages[0].text, r.messages[1].text) for r in model.accepted}
    assert len(starts) <= 2
    assert len({json.dumps([t.name for t in r.tools]) for r in model.accepted}) == 1


async def test_a_plan_whose_call_was_cut_away_is_still_told(tmp_path: Path) -> None:
    steps = [{"text": "Compare offer ☂", "status": "doing"}, {"text": "Mail", "status": "todo"}]
    planner = ScriptedModelProvider([calls(("plan", {"steps": steps})), says("Begun.")])
    async with engine_lab(tmp_path, planner) as lab:
        thread = await lab.send("compare them all")
        await lab.finished(thread)
    assert "to-do list" not in planner.requests[-1].messages[0].text, "its call is there"
    model = SmallWindow(4_096, bytes_a_token=3.4, tells_window=True)
    async with engine_lab(tmp_path, model) as lab:
        await lab.talk("and this " * 2_000, thread)
        await lab.talk("and that " * 2_000, thread)
    said = model.accepted[-1].messages[0].text
    assert "- [doing] Compare offer ☂" in said


async def test_a_small_window_gets_fewer_tools_and_is_told(tmp_path: Path) -> None:
    model = SmallWindow(2_048, bytes_a_token=3.4, tells_window=True)
    async with engine_lab(tmp_path, model) as lab:
        await lab.talk("hello")
    request = model.accepted[0]
    assert 0 < len(request.tools) < 18
    assert "Not offered, because your window is too small" in request.messages[0].text


async def test_what_each_request_weighed_is_kept(tmp_path: Path) -> None:
    model = SmallWindow(32_768, bytes_a_token=3.0, tells_window=True)
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("hello")
        await lab.finished(thread)
    database = Database(ProfilePaths(tmp_path).database)
    rows = await WorkStore(database, lambda value: value).requests(thread)
    await database.aclose()
    assert len(rows) == 1
    row = rows[0]
    assert row.request_bytes > row.schema_bytes > 0
    assert row.history_bytes == size_of(model.accepted[0].messages[1:])
    assert row.prompt_tokens == round(request_bytes(model.accepted[0]) / 3.0)
    assert (row.completion_tokens, row.left_out) == (4, 0)


async def test_pins_can_be_set_and_taken_away_and_outlive_the_app(tmp_path: Path) -> None:
    model = ScriptedModelProvider([says("Noted.")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("My boat is called Ilse.")
        items = await lab.finished(thread)
        await lab.do(PinItem(thread, items[0].id))
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        await lab.do(OpenThread(thread))
        pinned = [getattr(i, "is_pinned", False) for i in lab.state.items[thread]]
        assert pinned == [True, False]
        await lab.do(PinItem(thread, items[0].id, is_pinned=False))
        assert not any(getattr(i, "is_pinned", False) for i in lab.state.items[thread])


async def test_too_many_pins_are_refused(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Hm.")])) as lab:
        thread = await lab.send("x" * 4_001)
        items = await lab.finished(thread)
        with pytest.raises(CommandRefusedError, match="4,000 characters"):
            await lab.do(PinItem(thread, items[0].id))
