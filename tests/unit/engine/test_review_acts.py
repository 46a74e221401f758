"""No act twice, no question orphaned, no window overrun (ENG-6, ENG-9, APR-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ankita.config import ServerSettings
from ankita.engine import (
    Answer,
    AttachFile,
    CallStatus,
    Command,
    CreateTeammate,
    CreateThread,
    DeleteThread,
    GrantFolder,
    PinItem,
    RemoveTeammate,
    RetryTurn,
    SendMessage,
    ThreadStatus,
    UseModelFile,
)
from ankita.engine.context_window import fit
from ankita.engine.history import size_of, text_bytes, units_of
from ankita.engine.open_models import OpenModels
from ankita.engine.plan import MAX_STEP_CHARACTERS
from ankita.engine.token_meter import TokenMeter, TokenMeters
from ankita.errors import AnkitaError, ModelInterruptedError, WriteError
from ankita.ids import CallId, ItemId, TurnId
from ankita.memory.transcript import Item, ReplyItem, ReplyStatus, ToolItem, UserItem
from ankita.messages import Effect, ModelInfo, Phase, TextDelta
from tests.engine_lab import UNTRIED_MODELS, engine_lab, tool_items
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

TEXT: Mapping[str, str] = {"type": "string"}
READ = make_spec("look_up", text=TEXT)
ONCE = make_spec("create_it", effect=Effect.CHANGES, text=TEXT)
ASKING_READ = make_spec("fetch_and_send", text=TEXT)
LOST = ModelInterruptedError("The connection broke.", advice="Try again.")


def failing_save(lab: Any, *, of: CallStatus, times: int = 1) -> None:
    """The disk is full for the next stores of an item in this state."""
    store = lab.handlers._transcripts.store
    real, left = store.save_item, [times]

    async def save(item: Item, **more: Any) -> None:
        if isinstance(item, ToolItem) and item.status is of and left[0]:
            left[0] -= 1
            raise WriteError("The disk is full.")
        await real(item, **more)

    store.save_item = save


@pytest.mark.spec("ENG-9")
async def test_an_act_whose_result_could_not_be_stored_is_not_run_again(tmp_path: Path) -> None:
    act = ("create_it", {"text": "payment"})
    model = ScriptedModelProvider([calls(act), calls(act), says("I can't tell.")])
    tools = FakeToolProvider([ONCE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        failing_save(lab, of=CallStatus.OK, times=2)
        thread = await lab.send("pay")
        await lab.answer(Answer.YES_THIS_RUN)
        items = await lab.finished(thread)
        assert lab.state.threads[thread].status is ThreadStatus.FAILED
        assert tool_items(items)[0].status is CallStatus.UNCERTAIN
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
    assert len(tools.calls) == 1, "the act happened once"


@pytest.mark.spec("APR-11")
async def test_a_question_dies_with_a_turn_that_failed(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(("look_up", {}), ("fetch_and_send", {}))])
    gate = asyncio.Event()

    async def slowly(*_: object) -> Any:
        await gate.wait()
        raise AssertionError

    tools = FakeToolProvider([READ, ASKING_READ], slowly)
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        failing_save(lab, of=CallStatus.FAILED, times=5)
        thread = await lab.send("go")
        await lab.asked()
        gate.set()
        await lab.until(lambda s: s.threads[thread].status is ThreadStatus.FAILED)
        assert lab.state.approvals == ()


@pytest.mark.spec("ENG-9", "ENG-12")
async def test_a_message_during_a_retry_hides_no_receipt(tmp_path: Path) -> None:
    gate = Gate()
    act = ("create_it", {"text": "invoice"})
    model = ScriptedModelProvider(
        [calls(act), [LOST], [gate, *calls(("look_up", {}))], calls(act), says("It is made.")]
    )
    tools = FakeToolProvider([READ, ONCE])
    async with engine_lab(tmp_path, model, tools=[tools]) as lab:
        thread = await lab.send("make an invoice")
        await lab.answer(Answer.YES_THIS_RUN)
        await lab.finished(thread)
        await lab.do(RetryTurn(thread))
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "and hurry"))
        gate.open()
        await lab.finished(thread)
    assert [call.name for call in tools.calls] == ["create_it", "look_up"]


def test_a_window_that_is_learned_later_counts() -> None:
    """The first request goes out while the self-test still looks for the model's window."""
    meters, info = TokenMeters(), ModelInfo("m · local", "m", is_local=True)
    meters.counted(info, 10_000, 5_000)
    later = replace(info, context_tokens=4_096)
    assert meters.of(later).context_tokens == 4_096
    assert meters.of(later).tokens_a_byte == 0.5


def user(number: int, turn: str, text: str, *, is_pinned: bool = False) -> UserItem:
    return UserItem(ItemId(f"u{number}"), TurnId(turn), text, "", is_pinned=is_pinned)


def call(turn: str, step: int, output: str, **changes: Any) -> ToolItem:
    item = ToolItem(
        id=ItemId(f"c{turn}.{step}"),
        turn_id=TurnId(turn),
        step=step,
        call_id=CallId(f"call{turn}.{step}"),
        name="write_file",
        arguments={"path": "a.txt"},
        effect=Effect.CHANGES,
        phase=Phase.ACTING,
        title="files: write file",
        target="a.txt",
        status=CallStatus.OK,
        created_at="",
        output=output,
    )
    return replace(item, **changes)


@pytest.mark.spec("ENG-6", "ENG-12")
def test_a_message_that_steers_does_not_push_out_the_request() -> None:
    wish = "Compare the two contracts clause by clause. " * 6 + "Stop before clause nine!"
    items: list[Item] = [user(1, "t", wish)]
    items += [call("t", step, "line " * 400) for step in range(1, 9)]
    items += [user(2, "t", "and be quick"), call("t", 9, "line")]
    sent = fit(units_of(items, {}), 1_200, TokenMeter(context_tokens=4_096))
    assert sent.left_out
    said = sent.digest + "".join(message.text for message in sent.messages)
    assert "Stop before clause nine!" in said
    assert "and be quick" in said


@pytest.mark.spec("ENG-6")
@pytest.mark.parametrize("letter", ["x", "字"])
@pytest.mark.parametrize("context", [8_192, 16_384])
def test_pins_leave_less_room_and_overflow_nothing(letter: str, context: int) -> None:
    meter = TokenMeter(context_tokens=context)
    items: list[Item] = [user(n, f"t{n}", letter * 660, is_pinned=True) for n in range(6)]
    for number in range(20, 320):
        items.append(user(number, f"t{number}", "question " * 20))
        where = (ItemId(f"r{number}"), TurnId(f"t{number}"), 1)
        items.append(ReplyItem(*where, "answer " * 40, ReplyStatus.DONE, ""))
    fixed = meter.size(round(context * 0.2))
    sent = fit(units_of(items, {}), fixed, meter)
    assert all(letter * 660 in sent.digest for _ in range(6))
    whole = fixed + text_bytes(sent.digest) + size_of(sent.messages)
    reply = min(4_096, context * 0.25)
    assert meter.tokens(whole) <= context - reply


class Connection:
    def __init__(self, held: asyncio.Event) -> None:
        self.held = held

    async def retire(self) -> None:
        await self.held.wait()


async def test_two_that_retire_the_same_connections_at_once_do_not_break() -> None:
    held = asyncio.Event()
    shared: Any = lambda _: Connection(held)  # noqa: E731
    factory = replace(UNTRIED_MODELS, shared=shared)
    models = OpenModels(factory)
    for name in ("a", "b"):
        models.connection(ServerSettings("http://127.0.0.1:1/v1", name), None)
    both = [asyncio.ensure_future(models.keep_only(set())) for _ in range(2)]
    first = asyncio.ensure_future(models.keep_only(set()))
    await asyncio.sleep(0)
    held.set()
    await asyncio.gather(*both, first)


@pytest.mark.spec("ENG-8")
async def test_no_thread_is_made_for_a_teammate_that_goes_in_the_same_moment(
    tmp_path: Path,
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        bo = await lab.do(CreateTeammate("Bo", "blue", "", None))
        await asyncio.gather(
            lab.do(CreateThread(bo)), lab.do(RemoveTeammate(bo)), return_exceptions=True
        )
        known = {teammate.id for teammate in lab.state.teammates}
        assert {t.teammate_id for t in lab.state.threads.values()} <= known


@pytest.mark.parametrize("path", ["~nobody_of_this_name/x.gguf", "a\0b.gguf"])
async def test_an_impossible_path_is_refused_in_a_sentence(tmp_path: Path, path: str) -> None:
    local = replace(UNTRIED_MODELS.local, check_available=lambda: None)
    models = replace(UNTRIED_MODELS, local=local)
    async with engine_lab(tmp_path, models=models) as lab:
        with pytest.raises(AnkitaError):
            await lab.do(UseModelFile(path))


@pytest.mark.spec("ENG-6")
async def test_what_was_remembered_of_a_thread_goes_with_it(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("x")])) as lab:
        thread = await lab.send("go")
        await lab.finished(thread)
        requests = lab.handlers._turns._loop._requests
        assert thread in requests._remembered
        await lab.do(DeleteThread(thread))
        assert thread not in requests._remembered


@pytest.mark.parametrize("path", ["~nobody_of_this_name/x", "a\0b"])
async def test_an_impossible_folder_or_file_is_refused_in_a_sentence(
    tmp_path: Path, path: str
) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider()) as lab:
        thread = await lab.thread()
        for command in (GrantFolder(path, may_write=False), AttachFile(thread, path)):
            with pytest.raises(AnkitaError):
                await lab.do(command)


@pytest.mark.spec("TOL-4")
async def test_a_plan_from_which_a_secret_was_taken_is_there_after_a_restart(
    tmp_path: Path,
) -> None:
    text = "password=hunter22abc "
    step = {"text": text + "x" * (MAX_STEP_CHARACTERS - len(text)), "status": "doing"}
    model = ScriptedModelProvider([calls(("plan", {"steps": [step]})), says("ok")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("go")
        await lab.finished(thread)
    async with engine_lab(tmp_path, model) as lab:
        (shown,) = lab.state.plans[thread]
        assert "hunter22" not in shown.text


async def test_nothing_of_a_deleted_thread_comes_back_with_a_file(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("x", encoding="utf-8")
    reader = FakeDocumentReader()
    async with engine_lab(tmp_path / "p", ScriptedModelProvider(), reader=reader) as lab:
        for _ in range(5):
            thread = await lab.thread()
            both: list[Command] = [AttachFile(thread, str(note)), DeleteThread(thread)]
            await asyncio.gather(*(lab.do(each) for each in both), return_exceptions=True)
            await lab.until(lambda _: not reader.reading)
            assert not {thread} & {*lab.state.attachments, *lab.state.items}


@pytest.mark.spec("ENG-6")
@pytest.mark.parametrize("context", [2_048, 4_096])
def test_a_pin_that_is_too_long_for_its_place_is_said_as_a_whole(context: int) -> None:
    pinned = "".join(f"rule {number}; " for number in range(200))
    items: list[Item] = [user(1, "t", pinned, is_pinned=True), user(2, "u", "go on")]
    sent = fit(units_of(items, {}), 1_200, TokenMeter(context_tokens=context))
    assert any(pinned in text for text in [sent.digest, *(m.text for m in sent.messages)])


@pytest.mark.spec("ENG-6", "ENG-9")
async def test_a_pinned_part_of_a_reply_is_in_the_request_that_tries_again(tmp_path: Path) -> None:
    model = ScriptedModelProvider([[TextDelta("The code is 4711 and "), LOST], [LOST], says("x")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("go")
        items = await lab.finished(thread)
        part = next(item for item in items if isinstance(item, ReplyItem))
        await lab.do(PinItem(thread, part.id, is_pinned=True))
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
    assert "The code is 4711" in "".join(m.text for m in model.requests[-1].messages)


@pytest.mark.spec("ENG-5")
async def test_a_pin_brings_no_deleted_thread_back(tmp_path: Path) -> None:
    async with engine_lab(tmp_path, ScriptedModelProvider([says("x")])) as lab:
        thread = await lab.send("go")
        item = (await lab.finished(thread))[0]
        both: list[Command] = [DeleteThread(thread), PinItem(thread, item.id, is_pinned=True)]
        await asyncio.gather(*(lab.do(each) for each in both), return_exceptions=True)
        assert thread not in lab.state.items
