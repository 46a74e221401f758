"""The turn loop: text, calls, results, stop (ENG-1, ENG-2, ENG-3)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ankita.engine import (
    Answer,
    CallStatus,
    NoticeItem,
    OpenThread,
    ReplyItem,
    ReplyStatus,
    RetryTurn,
    SendMessage,
    StopTurn,
    TextAdded,
    ThreadStatus,
    UserItem,
    turn_work,
)
from ankita.engine.limits import MAX_TOOL_STEPS
from ankita.errors import (
    ModelInterruptedError,
    ModelUnreachableError,
    ToolError,
)
from ankita.messages import Effect, JsonObject, Role, TextDelta, ToolResult, ToolStatus
from ankita.protocols import CallContext
from tests.engine_lab import engine_lab, tool_items
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

READ = make_spec("look_up", text={"type": "string"})
CHANGE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})


@pytest.mark.spec("ENG-1")
async def test_text_is_shown_as_it_arrives_and_kept_whole(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[TextDelta("One, "), gate, *says("two.")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("count")
        await lab.until(
            lambda s: any(isinstance(i, ReplyItem) and i.text == "One, " for i in s.items[thread])
        )
        gate.open()
        items = await lab.finished(thread)
    assert [type(i) for i in items] == [UserItem, ReplyItem]
    reply = items[1]
    assert isinstance(reply, ReplyItem)
    assert (reply.text, reply.status) == ("One, two.", ReplyStatus.DONE)
    assert any(isinstance(event, TextAdded) and event.text == "two." for event in lab.events)


@pytest.mark.spec("ENG-1")
async def test_results_are_fed_back_until_the_model_stops(tmp_path: Path) -> None:
    model = ScriptedModelProvider(
        [calls(("look_up", {"text": "a"})), calls(("look_up", {"text": "b"})), says("Done.")]
    )
    tools = FakeToolProvider(
        [READ], lambda _name, args, _context: ToolResult(ToolStatus.OK, f"<{args['text']}>")
    )
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("look twice")
    assert [item.output for item in tool_items(items)] == ["<a>", "<b>"]
    last = model.requests[-1].messages
    assert [m.role for m in last[-4:]] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.TOOL]
    assert last[-1].text == "<b>"


@pytest.mark.spec("ENG-1")
async def test_the_step_limit_ends_the_turn_and_is_said(tmp_path: Path) -> None:
    wanted = [calls(("look_up", {"text": str(step)})) for step in range(MAX_TOOL_STEPS)]
    async with engine_lab(
        tmp_path, ScriptedModelProvider(wanted), tools=[FakeToolProvider([READ])]
    ) as lab:
        items = await lab.talk("for ever")
    assert len(tool_items(items)) == MAX_TOOL_STEPS
    notice = items[-1]
    assert isinstance(notice, NoticeItem)
    assert str(MAX_TOOL_STEPS) in notice.text


@pytest.mark.spec("ENG-2")
async def test_reads_run_together_and_changes_wait_their_turn(tmp_path: Path) -> None:
    running: set[str] = set()
    seen: list[frozenset[str]] = []
    both = asyncio.Event()

    async def handler(name: str, args: JsonObject, _context: CallContext) -> ToolResult:
        running.add(args["text"])
        seen.append(frozenset(running))
        if name == "look_up":
            if {"r1", "r2"} <= running:
                both.set()
            await both.wait()
        running.remove(args["text"])
        return ToolResult(ToolStatus.OK, args["text"])

    model = ScriptedModelProvider(
        [
            calls(
                ("look_up", {"text": "r1"}),
                ("look_up", {"text": "r2"}),
                ("create_it", {"text": "c1"}),
                ("create_it", {"text": "c2"}),
            ),
            says("Done."),
        ]
    )
    async with engine_lab(
        tmp_path, model, tools=[FakeToolProvider([READ, CHANGE], handler)]
    ) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_THIS_RUN)
        items = await lab.finished(thread)
    assert frozenset({"r1", "r2"}) in seen
    assert seen[-2:] == [frozenset({"c1"}), frozenset({"c2"})]
    assert [item.output for item in tool_items(items)] == ["r1", "r2", "c1", "c2"]


@pytest.mark.spec("ENG-2")
async def test_every_call_gets_exactly_one_result_also_when_it_fails(tmp_path: Path) -> None:
    def handler(_name: str, args: JsonObject, _context: CallContext) -> ToolResult:
        if args.get("text") == "tool error":
            raise ToolError("It is not there.", advice="Look elsewhere.")
        if args.get("text") == "bug":
            raise KeyError("x")
        return ToolResult(ToolStatus.OK, "fine")

    model = ScriptedModelProvider(
        [
            calls(
                ("look_up", {"text": "ok"}),
                ("look_up", {"text": "tool error"}),
                ("look_up", {"text": "bug"}),
                ("no_such_tool", {}),
            ),
            says("I see."),
        ]
    )
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ], handler)]) as lab:
        items = await lab.talk("try")
    assert [(i.status, i.output[:6]) for i in tool_items(items)] == [
        (CallStatus.OK, "fine"),
        (CallStatus.FAILED, "Error:"),
        (CallStatus.FAILED, "Error:"),
        (CallStatus.FAILED, "Error:"),
    ]
    answers = [m for m in model.requests[-1].messages if m.role is Role.TOOL]
    wanted = [call.id for call in model.requests[-1].messages[-5].tool_calls]
    assert [m.tool_call_id for m in answers] == wanted


@pytest.mark.spec("ENG-3")
async def test_stop_keeps_the_partial_text_and_marks_it(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[TextDelta("Half a "), gate, *says("sentence")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("talk")
        await gate.reached.wait()
        await lab.do(StopTurn(thread))
        items = lab.state.items[thread]
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
    reply = next(i for i in items if isinstance(i, ReplyItem))
    assert (reply.text, reply.status) == ("Half a ", ReplyStatus.STOPPED)


@pytest.mark.spec("ENG-3")
async def test_after_stop_nothing_more_of_the_turn_is_admitted(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def handler(_name: str, _args: JsonObject, _context: CallContext) -> ToolResult:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    tools = FakeToolProvider([READ], handler)
    model = ScriptedModelProvider(
        [calls(("look_up", {"text": "1"}), ("look_up", {"text": "2"})), says("never")]
    )
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await started.wait()
        await lab.do(StopTurn(thread))
        items = tool_items(lab.state.items[thread])
        assert [i.status for i in items] == [CallStatus.STOPPED, CallStatus.STOPPED]
        assert len(model.requests) == 1
        assert len(tools.ended_turns) == 1


@pytest.mark.spec("ENG-3", "APR-11")
async def test_stop_withdraws_the_question_and_runs_nothing(tmp_path: Path) -> None:
    tools = FakeToolProvider([CHANGE])
    model = ScriptedModelProvider([calls(("create_it", {"text": "x"}))])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.asked()
        await lab.do(StopTurn(thread))
        assert lab.state.approvals == ()
        assert tool_items(lab.state.items[thread])[0].status is CallStatus.STOPPED
        assert lab.state.gate.record[-1].outcome == "refused"
    assert tools.calls == []


async def test_two_sends_at_once_start_one_turn(tmp_path: Path) -> None:
    model = ScriptedModelProvider([says("ok"), says("ok")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.thread()
        started = await asyncio.gather(
            lab.do(SendMessage(thread, "a")), lab.do(SendMessage(thread, "b"))
        )
        items = await lab.finished(thread)
    assert [turn is None for turn in started] == [False, True], "the second waits for its step"
    assert {item.turn_id for item in items} == {started[0]}


async def test_a_gone_server_is_said_and_can_be_tried_again(tmp_path: Path) -> None:
    gone = ModelUnreachableError("Nothing answers.", advice="Start it.")
    model = ScriptedModelProvider([[gone], says("Here I am.")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("hello")
        items = await lab.finished(thread)
        notice = items[-1]
        assert isinstance(notice, NoticeItem)
        assert (notice.text, notice.can_retry) == ("Nothing answers. Start it.", True)
        assert lab.state.threads[thread].status is ThreadStatus.FAILED
        await lab.do(RetryTurn(thread))
        items = await lab.finished(thread)
    assert isinstance(items[-1], ReplyItem)
    assert items[-1].text == "Here I am."


async def test_a_broken_stream_keeps_its_text_and_runs_no_call_on_retry(tmp_path: Path) -> None:
    broken = ModelInterruptedError("The reply broke off.")
    model = ScriptedModelProvider(
        [calls(("look_up", {})), [TextDelta("It is"), broken], says("It is 4.")]
    )
    tools = FakeToolProvider([READ])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        items = await lab.finished(thread)
        kept = next(i for i in items if isinstance(i, ReplyItem))
        assert (kept.text, kept.status) == ("It is", ReplyStatus.INTERRUPTED)
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
    assert len(tools.calls) == 1
    assert model.requests[-1].messages[-1].role is Role.TOOL


async def test_a_bug_in_the_loop_ends_the_turn_with_a_plain_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([])) as lab:
        # A request beyond the script fails inside the provider, as a bug of ours would.
        thread = await lab.send("hello")
        items = await lab.finished(thread)
    assert isinstance(items[-1], NoticeItem)
    assert "log has the details" in items[-1].text
    assert any(record.name == turn_work.__name__ for record in caplog.records)


@pytest.mark.spec("ENG-3")
async def test_a_tool_that_ignores_stop_cannot_keep_the_turn_going(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def stubborn(_name: str, _args: JsonObject, _context: CallContext) -> ToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolResult(ToolStatus.OK, "done all the same")
        raise AssertionError("unreachable")

    tools = FakeToolProvider([CHANGE], stubborn)
    model = ScriptedModelProvider(
        [calls(("create_it", {"text": "1"}), ("create_it", {"text": "2"})), says("never")]
    )
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.answer(Answer.YES_THIS_RUN)
        await started.wait()
        await lab.do(StopTurn(thread))
        assert lab.state.threads[thread].status is ThreadStatus.STOPPED
    assert len(tools.calls) == 1
    assert len(model.requests) == 1


@pytest.mark.spec("ENG-4")
async def test_a_thread_reads_the_same_after_a_restart(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider(
        [[TextDelta("One, "), gate, *says("two.")], calls(("look_up", {})), says("Done.")]
    )
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ])]) as lab:
        thread = await lab.send("count")
        await lab.until(lambda s: any(isinstance(i, ReplyItem) for i in s.items[thread]))
        gate.open()
        await lab.finished(thread)
        before = await lab.talk("and look", thread)
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        await lab.do(OpenThread(thread))
        assert lab.state.items[thread] == before
