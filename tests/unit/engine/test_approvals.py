"""Questions and answers through the whole engine (APR-2, APR-8 to APR-13)."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ankita.durable import DurableFiles
from ankita.engine import (
    Answer,
    CallStatus,
    DecideApproval,
    Item,
    RemoveRule,
    RepairRules,
    StopTurn,
    ThreadStatus,
)
from ankita.engine.gate_results import PARKED_TEXT
from ankita.errors import CommandRefusedError
from ankita.messages import Effect, Json, Role, ToolSpec
from ankita.security.tier_store import TierStore
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.fakes.models import ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

TEXT: Json = {"type": "string"}
ONCE = make_spec("create_it", effect=Effect.CHANGES, key_arguments=("text",), text=TEXT)
ALWAYS = make_spec("delete_it", effect=Effect.CHANGES, key_arguments=("text",), text=TEXT)
READ = make_spec("look_up", text=TEXT)


def tools_of(*specs: ToolSpec) -> FakeToolProvider:
    return FakeToolProvider(specs or (ONCE, ALWAYS, READ))


def model_calling(*names: str) -> ScriptedModelProvider:
    """One turn for each name: a call, then a word."""
    model = ScriptedModelProvider()
    for name in names:
        model.add(calls((name, {"text": "x"})), says("Done."))
    return model


class MovedClock:
    """A clock that a test moves, as a machine that sleeps does."""

    def __init__(self) -> None:
        self.wall = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self.ticks = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.ticks

    def sleep_for(self, hours: float) -> None:
        self.wall += timedelta(hours=hours)


async def one_turn(lab: EngineLab, answer: Answer) -> tuple[Item, ...]:
    thread = await lab.send("go")
    await lab.answer(answer)
    return await lab.finished(thread)


@pytest.mark.spec("APR-1", "APR-6", "APR-11")
async def test_a_question_shows_the_act_and_is_stored_before_anyone_sees_it(
    tmp_path: Path,
) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        with sqlite3.connect(f"file:{tmp_path / 'ankita.db'}?mode=ro", uri=True) as outside:
            stored = outside.execute("SELECT id, state FROM approvals").fetchall()
        assert stored == [(approval.id, "pending")]
        assert approval.act.title() == "test: delete it"
        assert approval.act.fields == (("text", "x"),)
        assert lab.state.threads[thread].status is ThreadStatus.ASKING
        assert tools.calls == []


@pytest.mark.spec("APR-11")
async def test_one_answer_settles_it_and_the_second_hears_who_was_first(tmp_path: Path) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        first, second = await asyncio.gather(
            lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "island")),
            lab.do(DecideApproval(approval.id, Answer.NO, "window")),
            return_exceptions=True,
        )
        assert first is None
        assert isinstance(second, CommandRefusedError)
        assert "island" in second.message
        await lab.finished(thread)
    assert len(tools.calls) == 1


@pytest.mark.spec("APR-10", "APR-12")
async def test_a_no_runs_nothing_and_is_told_to_the_model(tmp_path: Path) -> None:
    tools = tools_of()
    model = model_calling("delete_it")
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await one_turn(lab, Answer.NO)
        record = lab.state.gate.record[-1]
    assert tools.calls == []
    assert tool_items(items)[0].status is CallStatus.DENIED
    assert model.requests[-1].messages[-1].text.startswith("Denied:")
    assert (record.outcome, record.answered_by) == ("refused", "island")


@pytest.mark.spec("APR-9")
async def test_ask_once_is_remembered_until_the_app_ends_and_no_longer(tmp_path: Path) -> None:
    async with engine_lab(
        tmp_path, model_calling("create_it", "create_it"), tools=[tools_of()]
    ) as lab:
        await one_turn(lab, Answer.YES_THIS_RUN)
        items = await lab.talk("again")
        assert tool_items(items)[0].why == "you allowed it until Ankita closes"
        assert [rule.kind for rule in lab.state.gate.rules] == ["run"]
    async with engine_lab(tmp_path, model_calling("create_it"), tools=[tools_of()]) as lab:
        thread = await lab.send("go")
        await lab.asked()
        await lab.do(StopTurn(thread))


@pytest.mark.spec("APR-9")
async def test_yes_once_covers_only_that_one_act(tmp_path: Path) -> None:
    async with engine_lab(
        tmp_path, model_calling("create_it", "create_it"), tools=[tools_of()]
    ) as lab:
        await one_turn(lab, Answer.YES_ONCE)
        await one_turn(lab, Answer.NO)


@pytest.mark.spec("APR-9")
async def test_hours_of_sleep_end_what_was_allowed_for_this_run(tmp_path: Path) -> None:
    clock = MovedClock()
    async with engine_lab(
        tmp_path, model_calling("create_it", "create_it"), tools=[tools_of()], clock=clock
    ) as lab:
        await one_turn(lab, Answer.YES_THIS_RUN)
        clock.sleep_for(4)
        await one_turn(lab, Answer.NO)


@pytest.mark.spec("APR-9", "APR-13")
async def test_always_is_a_rule_that_lasts_is_listed_and_can_be_removed(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, model_calling("create_it"), tools=[tools_of()]) as lab:
        await one_turn(lab, Answer.YES_ALWAYS)
    async with engine_lab(
        tmp_path, model_calling("create_it", "create_it"), tools=[tools_of()]
    ) as lab:
        await lab.talk("again")
        (rule,) = lab.state.gate.rules
        assert (rule.kind, rule.server, rule.tool) == ("tool", "fake", "create_it")
        assert "until you remove it" in rule.scope
        await lab.do(RemoveRule(rule.kind, rule.server, rule.tool))
        assert lab.state.gate.rules == ()
        await one_turn(lab, Answer.NO)


@pytest.mark.spec("APR-9")
@pytest.mark.parametrize("answer", [Answer.YES_THIS_RUN, Answer.YES_ALWAYS])
async def test_what_always_asks_offers_no_lasting_yes(tmp_path: Path, answer: Answer) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        assert (approval.scope_once, approval.scope_always) == ("", "")
        with pytest.raises(CommandRefusedError):
            await lab.do(DecideApproval(approval.id, answer, "window"))
        assert lab.state.approvals == (approval,)
        await lab.do(StopTurn(thread))
    assert tools.calls == []


def write_rules(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "mcp-tiers.json").write_text(text, encoding="utf-8")


@pytest.mark.spec("APR-1", "APR-2")
async def test_the_blocklist_denies_without_a_question(tmp_path: Path) -> None:
    rules = {"version": 1, "servers": {"fake": {"blocklist": ["look_up"]}}, "apps": {}}
    write_rules(tmp_path, json.dumps(rules))
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("look_up"), tools=[tools]) as lab:
        items = await lab.talk("go")
        assert lab.state.gate.record[-1].outcome == "denied"
    assert tool_items(items)[0].status is CallStatus.DENIED
    assert tools.calls == []


@pytest.mark.spec("APR-2")
async def test_a_rule_that_turned_to_deny_while_the_question_waited_wins(tmp_path: Path) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        rules = {"version": 1, "servers": {"fake": {"blocklist": ["delete_it"]}}, "apps": {}}
        write_rules(tmp_path, json.dumps(rules))
        lab.handlers._permissions._rules.load()
        await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        items = await lab.finished(thread)
    assert tool_items(items)[0].status is CallStatus.DENIED
    assert tools.calls == []


@pytest.mark.spec("APR-13")
async def test_a_damaged_rules_file_closes_the_gate_until_it_is_repaired(tmp_path: Path) -> None:
    damaged = '{"version": 1, "servers": {'
    write_rules(tmp_path, damaged)
    async with engine_lab(tmp_path, model_calling("look_up", "look_up"), tools=[tools_of()]) as lab:
        assert lab.state.gate.closed_reason
        words = "Your rules file is damaged, so everything asks. See Approvals."
        assert [notice.text for notice in lab.state.notices] == [words]
        await one_turn(lab, Answer.YES_ONCE)
        assert (tmp_path / "mcp-tiers.json").read_text(encoding="utf-8") == damaged
        await lab.do(RepairRules())
        assert lab.state.gate.closed_reason == ""
        await lab.talk("again")
    kept = list(tmp_path.glob("mcp-tiers.json.damaged-*"))  # noqa: ASYNC240
    assert [path.read_text(encoding="utf-8") for path in kept] == [damaged]


@pytest.mark.spec("APR-10")
async def test_every_decision_is_recorded_and_counted_for_its_server(tmp_path: Path) -> None:
    async with engine_lab(
        tmp_path, model_calling("look_up", "delete_it", "delete_it"), tools=[tools_of()]
    ) as lab:
        await lab.talk("read")
        await one_turn(lab, Answer.YES_ONCE)
        await one_turn(lab, Answer.NO)
        record = lab.state.gate.record
        assert [(d.title, d.outcome, d.rule) for d in record] == [
            ("test: look up", "allowed", "heuristic"),
            ("test: delete it", "asked", "heuristic"),
            ("test: delete it", "refused", "heuristic"),
        ]
        counters = lab.state.gate.counters["fake"]
    assert (counters.allowed, counters.asked, counters.denied) == (1, 2, 1)
    async with engine_lab(tmp_path, model_calling(), tools=[tools_of()]) as lab:
        assert lab.state.gate.record == record
        assert lab.state.gate.counters["fake"] == counters
        assert lab.state.gate.chain_broken_at is None


@pytest.mark.spec("APR-10")
@pytest.mark.parametrize(
    "tamper",
    [
        """UPDATE decisions SET body = replace(body, '"asked"', '"refused"') WHERE sequence = 2""",
        "DELETE FROM decisions WHERE sequence = 2",
        "UPDATE decisions SET outcome = 'denied' WHERE sequence = 2",
        "UPDATE decisions SET outcome = 'zzz' WHERE sequence = 2",
        "UPDATE decisions SET body = '{}' WHERE sequence = 2",
        "UPDATE decisions SET body = 'no json' WHERE sequence = 2",
    ],
)
async def test_an_edit_of_the_record_shows(tmp_path: Path, tamper: str) -> None:
    async with engine_lab(
        tmp_path, model_calling("look_up", "delete_it", "look_up"), tools=[tools_of()]
    ) as lab:
        await lab.talk("read")
        await one_turn(lab, Answer.YES_ONCE)
        await lab.talk("read")
    with sqlite3.connect(tmp_path / "ankita.db") as outside:
        outside.execute(tamper)
    async with engine_lab(tmp_path, model_calling(), tools=[tools_of()]) as lab:
        state = await lab.until(lambda s: s.gate.chain_broken_at)
        assert state.gate.chain_broken_at == 2


@pytest.mark.spec("APR-12")
async def test_a_request_waits_for_a_person_however_long_it_takes(tmp_path: Path) -> None:
    clock = MovedClock()
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools], clock=clock) as lab:
        thread = await lab.send("go")
        approval = await lab.asked()
        clock.sleep_for(1000)
        assert lab.state.approvals == (approval,)
        assert tools.calls == []
        await lab.answer(Answer.YES_ONCE)
        items = await lab.finished(thread)
    assert tool_items(items)[0].status is CallStatus.OK


@pytest.mark.spec("APR-11")
async def test_a_question_outlives_an_orderly_quit_and_its_yes_runs_the_act_once(
    tmp_path: Path,
) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        asked = await lab.asked()
    assert tools.calls == []
    model = ScriptedModelProvider([says("It is gone.")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        (approval,) = lab.state.approvals
        assert (approval.id, approval.from_before, approval.act) == (asked.id, True, asked.act)
        assert lab.state.threads[thread].status is ThreadStatus.INTERRUPTED
        await lab.answer(Answer.YES_ONCE)
        items = await lab.finished(thread)
    assert len(tools.calls) == 1
    assert tool_items(items)[0].status is CallStatus.OK
    assert [m.role for m in model.requests[0].messages[-2:]] == [Role.ASSISTANT, Role.TOOL]


@pytest.mark.spec("APR-11")
async def test_going_on_without_an_answer_withdraws_the_old_question(tmp_path: Path) -> None:
    tools = tools_of()
    async with engine_lab(tmp_path, model_calling("delete_it"), tools=[tools]) as lab:
        thread = await lab.send("go")
        await lab.asked()
    model = ScriptedModelProvider([says("Fine.")])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        items = await lab.talk("never mind", thread)
        assert lab.state.approvals == ()
    assert tool_items(items)[0].status is CallStatus.NOT_RUN
    assert tools.calls == []


@pytest.mark.spec("APR-9")
async def test_a_rule_for_a_whole_app_can_be_removed_too(tmp_path: Path) -> None:
    rules = {"version": 1, "servers": {}, "apps": {"test": {"tier": 0}}}
    write_rules(tmp_path, json.dumps(rules))
    async with engine_lab(
        tmp_path, model_calling("create_it", "create_it"), tools=[tools_of()]
    ) as lab:
        await lab.talk("go")
        (rule,) = lab.state.gate.rules
        await lab.do(RemoveRule(rule.kind, rule.server, rule.tool))
        assert lab.state.gate.rules == ()
        await one_turn(lab, Answer.NO)


async def test_rules_that_change_at_once_are_all_kept(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path)
    store = TierStore(files, tmp_path / "mcp-tiers.json")
    store.load()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    names = [f"tool_{n}" for n in range(20)]
    await asyncio.gather(*(asyncio.to_thread(store.block, "fake", name, now) for name in names))
    assert {rule.target for rule in store.listing()} == set(names)


@pytest.mark.spec("APR-19")
async def test_a_command_allowed_for_this_run_runs_again_and_a_chain_with_it_asks(
    tmp_path: Path,
) -> None:
    model = ScriptedModelProvider()
    for command in ("hostname", "hostname", "hostname && hostname"):
        model.add(calls(("run_command", {"command": command})), says("Done."))
    async with engine_lab(tmp_path, model) as lab:
        await one_turn(lab, Answer.YES_THIS_RUN)
        items = await lab.talk("again")
        assert tool_items(items)[-1].status is CallStatus.OK
        thread = await lab.send("more")
        approval = await lab.asked()
        assert approval.scope_once == approval.scope_always == ""
        assert ("one after the other", "1. hostname\n2. hostname") in approval.act.fields
        await lab.answer(Answer.NO)
        await lab.finished(thread)


@pytest.mark.spec("APR-18")
async def test_not_now_lets_the_turn_go_on_and_outlives_messages_and_a_restart(
    tmp_path: Path,
) -> None:
    tools = tools_of()
    model = model_calling("delete_it")
    model.add(says("Yes?"))
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("go")
        asked = await lab.answer(Answer.NOT_NOW)
        items = await lab.finished(thread)
        assert tool_items(items)[0].status is CallStatus.PARKED
        assert model.requests[-1].messages[-1].text == PARKED_TEXT
        assert lab.state.threads[thread].status is ThreadStatus.IDLE
        await lab.talk("something else", thread)
        assert [a.id for a in lab.state.approvals] == [asked.id]
        await lab.do(StopTurn(thread))
        assert [a.id for a in lab.state.approvals] == [asked.id]
    assert tools.calls == []
    async with engine_lab(
        tmp_path, ScriptedModelProvider([says("It is gone.")]), tools=[tools]
    ) as lab:
        (approval,) = lab.state.approvals
        assert approval.parked_at
        assert not approval.from_before
        await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        await lab.finished(thread)
        assert lab.state.approvals == ()
        with pytest.raises(CommandRefusedError, match="answered already"):
            await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "island"))
    assert len(tools.calls) == 1
