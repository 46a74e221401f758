"""A crash after every single commit: the next start tells the truth and runs nothing (ENG-4)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ankita.engine import (
    Answer,
    CallStatus,
    NoticeItem,
    OpenThread,
    ReplyItem,
    ReplyStatus,
    SendMessage,
    StopTurn,
    ThreadStatus,
    ToolItem,
    UserItem,
)
from ankita.engine.event_bus import EventBus
from ankita.messages import Effect, Json
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

TEXT: Json = {"type": "string"}
READ = make_spec("look_up", text=TEXT)
CHANGE = make_spec("delete_it", effect=Effect.CHANGES, text=TEXT)


def snapshots_of(source: Path, target: Path, bus: EventBus) -> list[Path]:
    """Copies of the profile after each event, as a crash there would leave it."""
    taken: list[Path] = []

    def copy(_event: object) -> None:
        folder = target / f"{len(taken):03}"
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.lock"))
        taken.append(folder)

    bus.subscribe(copy)
    return taken


async def play(lab: EngineLab, answer: Answer | None) -> None:
    thread = await lab.send("go")
    await lab.asked()
    if answer is None:
        await lab.do(StopTurn(thread))
    else:
        await lab.answer(answer)
        await lab.finished(thread)


def check_settled(items: tuple[object, ...], waiting: set[str]) -> None:
    for item in items:
        if isinstance(item, ToolItem):
            assert (item.status is CallStatus.ASKING) == (item.call_id in waiting)
            assert item.status.is_settled or item.call_id in waiting
        if isinstance(item, ReplyItem):
            assert item.status is not ReplyStatus.STREAMING


@pytest.mark.spec("ENG-4", "APR-11")
@pytest.mark.parametrize("answer", [Answer.YES_ONCE, Answer.NO, None])
async def test_after_a_crash_at_any_commit_nothing_is_open_and_nothing_runs(
    tmp_path: Path, answer: Answer | None
) -> None:
    tools = FakeToolProvider([READ, CHANGE])
    model = ScriptedModelProvider(
        [
            calls(("look_up", {"text": "a"}), ("delete_it", {"text": "b"}), text="Let me see. "),
            says("Done."),
        ]
    )
    async with engine_lab(tmp_path / "profile", model, tools=[tools]) as lab:
        taken = snapshots_of(tmp_path / "profile", tmp_path / "crashed", lab.bus)
        await play(lab, answer)
    assert len(taken) > 15
    for folder in taken:
        await check_after_crash(folder)


async def check_after_crash(folder: Path) -> None:
    tools = FakeToolProvider([READ, CHANGE])
    async with engine_lab(folder, ScriptedModelProvider(), tools=[tools]) as lab:
        waiting = {approval.call_id for approval in lab.state.approvals}
        for thread_id, thread in lab.state.threads.items():
            assert thread.status not in (ThreadStatus.WORKING, ThreadStatus.ASKING)
            await lab.handlers._transcripts.open(thread_id)
            items = lab.state.items[thread_id]
            check_settled(items, waiting)
            if thread.status is ThreadStatus.INTERRUPTED:
                assert any(isinstance(i, NoticeItem) and "Interrupted" in i.text for i in items)
        assert tools.calls == []


@pytest.mark.spec("ENG-4")
async def test_a_change_that_had_begun_is_uncertain_and_never_run_again(tmp_path: Path) -> None:
    begun: list[Path] = []

    def crash_now(_name: str, *_: object) -> object:
        shutil.copytree(
            tmp_path / "profile", tmp_path / "crashed", ignore=shutil.ignore_patterns("*.lock")
        )
        begun.append(tmp_path / "crashed")
        raise AssertionError("the copy is what counts")

    tools = FakeToolProvider([CHANGE], crash_now)  # type: ignore[arg-type]
    model = ScriptedModelProvider([calls(("delete_it", {"text": "b"})), says("Hm.")])
    async with engine_lab(tmp_path / "profile", model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
    again = FakeToolProvider([CHANGE])
    model = ScriptedModelProvider([says("I can't say whether it happened.")])
    async with engine_lab(begun[0], model, tools=[again]) as lab:
        items = await lab.talk("and?", thread)
    item = tool_items(items)[0]
    assert item.status is CallStatus.UNCERTAIN
    assert again.calls == []
    told = [m.text for m in model.requests[0].messages if m.tool_call_id == item.call_id]
    assert told == ["Error: tool outcome is uncertain after restart; do not retry the side effect."]


@pytest.mark.spec("ENG-4")
async def test_a_yes_that_a_crash_cut_off_is_not_given_again_by_itself(tmp_path: Path) -> None:
    """The answer was committed, the act was not admitted: it stays undone and says so."""
    taken = await _snapshot_when(
        tmp_path, lambda lab: not lab.state.approvals and _status(lab) is CallStatus.ASKING
    )
    tools = FakeToolProvider([CHANGE])
    async with engine_lab(taken, ScriptedModelProvider(), tools=[tools]) as lab:
        (thread,) = lab.state.threads
        await lab.handlers._transcripts.open(thread)
        assert lab.state.approvals == ()
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.NOT_RUN
    assert tools.calls == []


def _status(lab: EngineLab) -> CallStatus | None:
    for items in lab.state.items.values():
        for item in tool_items(items):
            return item.status
    return None


async def _snapshot_when(tmp_path: Path, is_so: Callable[[EngineLab], bool]) -> Path:
    model = ScriptedModelProvider([calls(("delete_it", {"text": "b"})), says("Done.")])
    tools = [FakeToolProvider([CHANGE])]
    found: list[Path] = []
    async with engine_lab(tmp_path / "profile", model, tools=tools) as lab:

        def look(_event: object) -> None:
            if not found and is_so(lab):
                found.append(tmp_path / "crashed")
                shutil.copytree(
                    tmp_path / "profile", found[0], ignore=shutil.ignore_patterns("*.lock")
                )

        thread = await lab.send("go")
        await lab.asked()
        lab.bus.subscribe(look)
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
    return found[0]


@pytest.mark.spec("ENG-4", "ENG-12")
async def test_a_message_that_waited_is_there_once_after_a_crash_at_any_commit(
    tmp_path: Path,
) -> None:
    more = "and be quick about it"
    tools = FakeToolProvider([CHANGE])
    model = ScriptedModelProvider([calls(("delete_it", {"text": "b"})), says("Done.")])
    async with engine_lab(tmp_path / "profile", model, tools=[tools]) as lab:
        taken = snapshots_of(tmp_path / "profile", tmp_path / "crashed", lab.bus)
        thread = await lab.send("go")
        await lab.asked()
        before = len(taken)
        await lab.do(SendMessage(thread, more))
        kept = len(taken)
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
    assert kept > before
    for folder in taken[kept - 1 :]:
        async with engine_lab(folder, ScriptedModelProvider(), tools=[tools]) as lab:
            await lab.do(OpenThread(thread))
            said = [i.text for i in lab.state.items[thread] if isinstance(i, UserItem)]
            places = [*said, lab.state.threads[thread].draft]
            assert [place for place in places if more in place] == [more], folder.name


@pytest.mark.spec("APR-18", "ENG-4")
async def test_what_was_put_off_runs_at_most_once_after_a_crash_at_any_commit(
    tmp_path: Path,
) -> None:
    act = ("delete_it", {"text": "b"})
    tools = FakeToolProvider([CHANGE])
    model = ScriptedModelProvider([calls(act), says("Later."), says("Done.")])
    async with engine_lab(tmp_path / "profile", model, tools=[tools]) as lab:
        taken = snapshots_of(tmp_path / "profile", tmp_path / "crashed", lab.bus)
        thread = await lab.send("go")
        await lab.answer(Answer.NOT_NOW)
        await lab.finished(thread)
        first = len(taken)
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
    assert len(tools.calls) == 1
    for folder in taken[first:]:
        fresh = FakeToolProvider([CHANGE])
        async with engine_lab(folder, ScriptedModelProvider(), tools=[fresh]) as lab:
            await lab.do(OpenThread(thread))
            calls_made = [i for i in tool_items(lab.state.items[thread]) if i.seconds is not None]
            begun = [
                i
                for i in tool_items(lab.state.items[thread])
                if i.status in (CallStatus.OK, CallStatus.UNCERTAIN)
            ]
            open_questions = [a for a in lab.state.approvals if a.parked_at]
            # It is still to be answered, or it was answered: never both, and nothing ran again.
            assert len(begun) + len(open_questions) <= 1, folder.name
            assert len(calls_made) <= 1
            check_settled(lab.state.items[thread], set())
        assert fresh.calls == []
