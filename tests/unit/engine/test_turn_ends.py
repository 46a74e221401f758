"""However a turn ends, it ends: nothing stays open, stuck or lost (ENG-2, ENG-3, ENG-4)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ankita.engine import (
    Activity,
    Answer,
    AttachFile,
    CallStatus,
    DecideApproval,
    DeleteThread,
    Item,
    NoticeItem,
    OpenThread,
    ReplyItem,
    RetryTurn,
    SendMessage,
    StopTurn,
    ThreadStatus,
    limits,
)
from ankita.errors import CommandRefusedError, ToolError
from ankita.ids import CallId, TurnId
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Json,
    JsonObject,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolResult,
    ToolStatus,
)
from ankita.protocols import CallContext
from tests.engine_lab import BUSY, EngineLab, engine_lab, tool_items
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

TEXT: Json = {"type": "string"}
READ = make_spec("look_up", text=TEXT)
ONCE = make_spec("create_it", effect=Effect.CHANGES, text=TEXT)
ALWAYS = make_spec("delete_it", effect=Effect.CHANGES, text=TEXT)


def tools_of(handler: Callable[..., object] | None = None) -> FakeToolProvider:
    return FakeToolProvider([READ, ONCE, ALWAYS], handler)  # type: ignore[arg-type]


def check_ended(lab: EngineLab, thread: str) -> None:
    assert lab.state.threads[thread].status not in BUSY  # type: ignore[index]
    for item in tool_items(lab.state.items[thread]):  # type: ignore[index]
        assert item.status.is_settled


@pytest.mark.spec("ENG-3")
@pytest.mark.parametrize("turns_of_the_loop", range(12))
async def test_stop_at_any_moment_ends_the_turn(tmp_path: Path, turns_of_the_loop: int) -> None:
    model = ScriptedModelProvider([calls(("look_up", {}), ("look_up", {})), says("x")])
    async with engine_lab(tmp_path, model, tools=[tools_of()]) as lab:
        thread = await lab.thread()
        sending = asyncio.ensure_future(lab.do(SendMessage(thread, "go")))
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        await lab.do(StopTurn(thread))
        with contextlib.suppress(CommandRefusedError):
            await sending
        await lab.do(StopTurn(thread))
        check_ended(lab, thread)
        model.add(says("Here."), says("Here."), says("Here."))
        await lab.talk("again", thread)


@pytest.mark.spec("ENG-3")
async def test_stop_before_the_first_step_of_the_turn_ends_it(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("x"), says("y")])) as lab:
        thread = await lab.thread()
        await lab.do(SendMessage(thread, "go"))
        await lab.do(StopTurn(thread))
        check_ended(lab, thread)
        await lab.talk("again", thread)


class SlowToEnd(FakeToolProvider):
    """Takes its time to end what a turn left running."""

    def __init__(self) -> None:
        super().__init__([READ, ONCE, ALWAYS])
        self.may_end = asyncio.Event()
        self.is_ending = asyncio.Event()

    async def end_turn(self, turn_id: TurnId) -> None:
        self.is_ending.set()
        await self.may_end.wait()
        await super().end_turn(turn_id)


@pytest.mark.spec("ENG-3", "APR-11")
async def test_a_second_stop_waits_for_the_first_instead_of_breaking_it(tmp_path: Path) -> None:
    tools = SlowToEnd()
    model = ScriptedModelProvider([calls(("delete_it", {}))])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        stops = [asyncio.ensure_future(lab.do(StopTurn(thread))) for _ in range(2)]
        await tools.is_ending.wait()
        with pytest.raises(CommandRefusedError, match="stopped"):
            await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        tools.may_end.set()
        await asyncio.gather(*stops)
        check_ended(lab, thread)
        assert lab.state.approvals == ()
    assert tools.calls == []


@pytest.mark.spec("ENG-3")
async def test_deleting_a_thread_ends_its_turn_its_question_and_its_readings(
    tmp_path: Path,
) -> None:
    reader = FakeDocumentReader()
    model = ScriptedModelProvider([calls(("delete_it", {}))])
    tools = tools_of()
    note = tmp_path / "note.txt"
    note.write_text("x", encoding="utf-8")
    async with engine_lab(tmp_path / "p", model, tools=[tools], reader=reader) as lab:
        thread = await lab.send("go")
        await lab.asked()
        reader.hold()
        await lab.do(AttachFile(thread, str(note)))
        await lab.until(lambda _: reader.reading)
        await lab.do(DeleteThread(thread))
        assert thread not in lab.state.threads
        assert not lab.state.attachments.get(thread)
        assert lab.state.approvals == ()
        assert lab.state.teammates[0].activity is Activity.IDLE
    assert reader.cancelled == ["note.txt"]
    assert tools.calls == []


@pytest.mark.spec("ENG-2")
async def test_a_result_that_was_there_is_kept_when_stop_comes_late(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(("create_it", {}))])
    stop: list[asyncio.Future[object]] = []

    async def handler(*_: object) -> ToolResult:
        (thread,) = lab.state.threads
        stop.append(asyncio.ensure_future(lab.do(StopTurn(thread))))
        return ToolResult(ToolStatus.OK, "It was created.")

    async with engine_lab(tmp_path, model, tools=[tools_of(handler)]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_ONCE)
        await lab.finished(thread)
        await stop[0]
        (item,) = tool_items(lab.state.items[thread])
    assert (item.status, item.output) == (CallStatus.OK, "It was created.")


@pytest.mark.spec("ENG-3")
async def test_what_a_stopped_tool_had_said_is_kept_in_order(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def handler(_name: str, _args: JsonObject, context: CallContext) -> ToolResult:
        for number in range(5):
            context.report(f"line {number}\n")
        started.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    model = ScriptedModelProvider([calls(("look_up", {}))])
    async with engine_lab(tmp_path, model, tools=[tools_of(handler)]) as lab:
        thread = await lab.send("go")
        await started.wait()
        await lab.do(StopTurn(thread))
        (item,) = tool_items(lab.state.items[thread])
    assert item.output.splitlines() == [
        "Stopped while it ran.",
        *(f"line {number}" for number in range(5)),
    ]


async def test_a_tool_that_floods_is_bounded_by_the_engine(tmp_path: Path) -> None:
    async def handler(_name: str, _args: JsonObject, context: CallContext) -> ToolResult:
        for _ in range(200):
            context.report("x" * 10_000 + "\n")
        return ToolResult(ToolStatus.OK, "done")

    model = ScriptedModelProvider([calls(("look_up", {})), says("Ok.")])
    async with engine_lab(tmp_path, model, tools=[tools_of(handler)]) as lab:
        await lab.talk("go")
    assert (tmp_path / "ankita.db").stat().st_size < 1_000_000


@pytest.mark.spec("APR-10")
async def test_arguments_that_nobody_could_read_are_not_run(tmp_path: Path) -> None:
    deep: Json = "x"
    for _ in range(900):
        deep = {"a": deep}
    tools = tools_of()
    model = ScriptedModelProvider([calls(("create_it", {"text": deep})), says("I see.")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("go")
    (item,) = tool_items(items)
    assert item.status is CallStatus.FAILED
    assert "nested too deeply" in item.output
    assert tools.calls == []


@pytest.mark.spec("APR-21")
async def test_an_act_that_can_not_run_as_it_was_shown_is_not_run_and_recorded(
    tmp_path: Path,
) -> None:
    """A secret in the arguments is not kept, so after a restart the act is another one."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    tools = tools_of()
    model = ScriptedModelProvider([calls(("delete_it", {"text": secret}))])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.asked()
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Hm.")]), tools=[tools]) as lab:
        await lab.answer(Answer.YES_ONCE)
        items = await lab.finished(thread)
        record = lab.state.gate.record[-1]
    assert "exactly as it was shown" in tool_items(items)[0].output
    assert (record.outcome, record.reason) == (
        "refused",
        "it can't be run exactly as it was shown",
    )
    assert tools.calls == []


@pytest.mark.spec("APR-11")
async def test_a_turn_with_two_old_questions_goes_on_after_the_last(tmp_path: Path) -> None:
    (tmp_path / "mcp-tiers.json").write_text("{", encoding="utf-8")
    tools = tools_of()
    model = ScriptedModelProvider([calls(("look_up", {"text": "a"}), ("look_up", {"text": "b"}))])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.until(lambda s: len(s.approvals) == 2)
    model = ScriptedModelProvider([says("Both are known.")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        first, second = lab.state.approvals
        await lab.do(DecideApproval(first.id, Answer.YES_ONCE, "window"))
        await lab.finished(thread)
        assert model.requests == []
        assert lab.state.approvals == (second,)
        await lab.do(DecideApproval(second.id, Answer.NO, "window"))
        items = await lab.finished(thread)
    assert [i.status for i in tool_items(items)] == [CallStatus.OK, CallStatus.DENIED]
    assert [m.role for m in model.requests[0].messages[-3:]] == [
        Role.ASSISTANT,
        Role.TOOL,
        Role.TOOL,
    ]
    assert len(tools.calls) == 1


def numbered(*names: str) -> list[ToolCallReady | Finished]:
    """A reply whose calls are numbered from nought, as some servers do in every reply."""
    made = [
        ToolCallReady(ToolCall(CallId(f"call_{n}"), name, {"text": name}))
        for n, name in enumerate(names)
    ]
    return [*made, Finished(FinishReason.TOOL_CALLS)]


@pytest.mark.spec("ENG-4", "APR-11")
async def test_call_ids_that_a_server_uses_again_do_not_collide(tmp_path: Path) -> None:
    tools = tools_of()
    model = ScriptedModelProvider([numbered("look_up"), numbered("delete_it")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.asked()
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Gone.")]), tools=[tools]) as lab:
        await lab.answer(Answer.YES_ONCE)
        items = await lab.finished(thread)
    assert [c.name for c in tools.calls] == ["look_up", "delete_it"]
    ids = [item.call_id for item in tool_items(items)]
    assert len(set(ids)) == 2


async def test_stop_of_a_thread_that_is_not_open_withdraws_its_old_question(
    tmp_path: Path,
) -> None:
    model = ScriptedModelProvider([calls(("delete_it", {}))])
    async with engine_lab(tmp_path, model, tools=[tools_of()]) as lab:
        thread = await lab.send("go")
        await lab.asked()
    async with engine_lab(tmp_path, ScriptedModelProvider(), tools=[tools_of()]) as lab:
        await lab.do(StopTurn(thread))
        assert lab.state.approvals == ()
        check_ended(lab, thread)


@pytest.mark.spec("ENG-2")
async def test_two_threads_of_one_teammate_still_show_the_one_that_asks(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([calls(("delete_it", {})), [gate, *says("Done.")]])
    async with engine_lab(tmp_path, model, tools=[tools_of()]) as lab:
        asking = await lab.send("delete")
        await lab.asked()
        other = await lab.send("talk")
        gate.open()
        await lab.finished(other)
        assert lab.state.teammates[0].activity is Activity.ASKING
        assert lab.state.teammates[0].thread_id == asking
        await lab.do(StopTurn(asking))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ([TextDelta("Half"), Finished(FinishReason.LENGTH)], "limit of length"),
        ([Finished(FinishReason.FILTERED)], "withheld"),
        ([Finished(FinishReason.STOP)], "empty reply"),
        ([TextDelta("Half")], "broke off"),
    ],
)
async def test_a_reply_that_is_not_whole_is_said(
    tmp_path: Path, reply: list[object], said: str
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([reply])) as lab:  # type: ignore[list-item]
        items = await lab.talk("go")
    assert isinstance(items[-1], NoticeItem)
    assert said in items[-1].text


async def test_a_finished_reply_is_not_asked_for_again(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("Done.")])) as lab:
        thread = await lab.send("go")
        await lab.finished(thread)
        with pytest.raises(CommandRefusedError, match="nothing to try again"):
            await lab.do(RetryTurn(thread))


def roles(items: ScriptedModelProvider) -> list[str]:
    return [f"{m.role}:{m.text}" for m in items.requests[-1].messages[1:]]


async def test_the_model_always_sees_one_role_after_another(tmp_path: Path) -> None:
    from ankita.errors import ModelInterruptedError

    broken = ModelInterruptedError("It broke off.")
    model = ScriptedModelProvider(
        [[TextDelta("half"), broken], says("whole"), [broken], says("ok")]
    )
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("one")
        await lab.finished(thread)
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
        await lab.talk("two", thread)
        await lab.talk("three", thread)
    assert roles(model) == ["user:one", "assistant:whole", "user:two\n\nthree"]


async def test_half_a_surrogate_pair_is_stored_and_sent_as_a_mark(tmp_path: Path) -> None:
    model = ScriptedModelProvider([says("Ok.")])
    async with engine_lab(tmp_path, model) as lab:
        await lab.talk("a\ud800b")
    assert model.requests[0].messages[-1].text == "a?b"


async def test_a_broken_window_breaks_no_turn_and_no_other_window(tmp_path: Path) -> None:
    model = ScriptedModelProvider([says("Hi.")])
    async with engine_lab(tmp_path, model) as lab:
        heard: list[object] = []

        def broken(_event: object) -> None:
            raise RuntimeError("a bug in a window")

        lab.bus.subscribe(broken)
        lab.bus.subscribe(heard.append)
        items = await lab.talk("hello")
    assert isinstance(items[-1], ReplyItem)
    assert len(heard) > 3


async def test_every_part_is_closed_also_when_one_does_not_close(tmp_path: Path) -> None:
    class Stubborn(FakeToolProvider):
        async def aclose(self) -> None:
            raise ToolError("It does not end.")

    for _ in range(2):
        async with engine_lab(tmp_path, ScriptedModelProvider(), tools=[Stubborn()]) as lab:
            await lab.thread()


async def test_an_open_call_of_a_turn_that_had_ended_is_made_true_at_start(
    tmp_path: Path,
) -> None:
    import sqlite3

    model = ScriptedModelProvider([calls(("look_up", {})), says("Ok.")])
    async with engine_lab(tmp_path, model, tools=[tools_of()]) as lab:
        thread = await lab.send("go")
        await lab.finished(thread)
    with sqlite3.connect(tmp_path / "ankita.db") as outside:
        outside.execute(
            """UPDATE items SET is_open = 1, body = replace(body, '"status": "ok"',"""
            """ '"status": "waiting"') WHERE kind = 'tool'"""
        )
    async with engine_lab(tmp_path, ScriptedModelProvider(), tools=[tools_of()]) as lab:
        await lab.do(OpenThread(thread))
        check_ended(lab, thread)


def last_texts(items: tuple[Item, ...]) -> list[str]:
    return [item.text for item in items if isinstance(item, ReplyItem)]


@pytest.mark.spec("APR-9", "APR-10")
async def test_the_record_says_which_earlier_yes_let_an_act_run(tmp_path: Path) -> None:
    model = ScriptedModelProvider(
        [calls(("create_it", {})), says("1"), calls(("create_it", {})), says("2")]
    )
    async with engine_lab(tmp_path, model, tools=[tools_of()]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_THIS_RUN)
        assert last_texts(await lab.finished(thread)) == ["1"]
        await lab.talk("again")
        first, second = lab.state.gate.record
    assert (first.outcome, first.answered_by) == ("asked", "island")
    assert (second.outcome, second.rule) == ("allowed", "grant")
    assert second.reason == "you allowed it until Ankita closes"


async def test_threads_that_stand_still_stay_idle(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        thread = await lab.thread()
        await lab.do(StopTurn(thread))
        assert lab.state.threads[thread].status is ThreadStatus.IDLE


@pytest.mark.spec("APR-11")
async def test_a_thread_shows_as_asking_while_one_of_its_calls_still_waits(
    tmp_path: Path,
) -> None:
    (tmp_path / "mcp-tiers.json").write_text("{", encoding="utf-8")
    running = asyncio.Event()

    async def handler(*_: object) -> ToolResult:
        running.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    model = ScriptedModelProvider([calls(("look_up", {"text": "a"}), ("look_up", {"text": "b"}))])
    async with engine_lab(tmp_path, model, tools=[tools_of(handler)]) as lab:
        thread = await lab.send("go")
        first = (await lab.until(lambda s: len(s.approvals) == 2)).approvals[0]
        await lab.do(DecideApproval(first.id, Answer.YES_ONCE, "window"))
        await running.wait()
        assert lab.state.threads[thread].status is ThreadStatus.ASKING
        await lab.do(StopTurn(thread))


@pytest.mark.spec("ENG-3")
async def test_a_tool_that_does_not_end_holds_no_stop_and_its_late_result_is_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STOP_SECONDS", 0.05)
    begun, may_end, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn(*_: object) -> ToolResult:
        begun.set()
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return ToolResult(ToolStatus.OK, "done after all")

    change = make_spec("create_it", effect=Effect.CHANGES)
    tools = FakeToolProvider([change], stubborn)
    model = ScriptedModelProvider([calls(("create_it", {}))])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_ONCE)
        await begun.wait()
        await lab.do(StopTurn(thread))
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.UNCERTAIN
        may_end.set()
        await ended.wait()
        # The late result goes its way: whatever is waiting on the loop has its turns.
        others = [task for task in asyncio.all_tasks() if "guarded" in repr(task)]
        await asyncio.gather(*others, return_exceptions=True)
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.UNCERTAIN
