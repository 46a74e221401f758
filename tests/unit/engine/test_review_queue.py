"""Nothing the user wrote is lost, doubled or left lying, whatever comes in between (ENG-12)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ankita.engine import (
    Answer,
    AttachFile,
    Command,
    DecideApproval,
    Event,
    ItemChanged,
    NumberedEvent,
    RemoveAttachment,
    ReplyItem,
    RetryTurn,
    SaveDraft,
    SendMessage,
    StopTurn,
    UnqueueMessage,
    UserItem,
)
from ankita.engine.events import QueueChanged
from ankita.engine.state import AttachmentStatus
from ankita.errors import CommandRefusedError, ModelUnreachableError
from ankita.ids import ThreadId
from ankita.memory.transcript import ReplyStatus
from ankita.messages import Effect
from ankita.storage import Connection
from tests.engine_lab import BUSY, EngineLab, engine_lab
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

pytestmark = pytest.mark.spec("ENG-12")

READ = make_spec("look_up", text={"type": "string"})
ALWAYS = make_spec("delete_it", effect=Effect.CHANGES, text={"type": "string"})


def said(lab: EngineLab, thread: ThreadId) -> list[str]:
    return [i.text for i in lab.state.items[thread] if isinstance(i, UserItem | ReplyItem)]


def draft(lab: EngineLab, thread: ThreadId) -> str:
    return lab.state.threads[thread].draft


@asynccontextmanager
async def slow_database(lab: EngineLab) -> AsyncIterator[None]:
    """Nothing is stored before the body has ended."""
    may_go_on = threading.Event()

    def wait(_connection: Connection) -> None:
        may_go_on.wait(10)

    lab.handlers._transcripts.store._database.write_soon(wait)
    try:
        yield
    finally:
        may_go_on.set()


async def turns_of_the_loop(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def once(lab: EngineLab, is_it: Callable[[Event], bool], do: Callable[[], None]) -> None:
    """Do something in the very moment of an event."""
    was: list[object] = []

    def hear(numbered: NumberedEvent) -> None:
        if not was and is_it(numbered.event):
            was.append(numbered)
            do()

    lab.bus.subscribe(hear)


def reply_is_done(event: Event) -> bool:
    if not isinstance(event, ItemChanged):
        return False
    return isinstance(event.item, ReplyItem) and event.item.status is ReplyStatus.DONE


async def test_a_message_in_the_last_moment_of_a_turn_is_answered(tmp_path: Path) -> None:
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("One.")], says("Two.")])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SaveDraft(thread, "second"))
        sending: list[asyncio.Task[object]] = []

        def send() -> None:
            sending.append(asyncio.ensure_future(lab.do(SendMessage(thread, "second"))))

        once(lab, reply_is_done, send)
        gate.open()
        await lab.until(lambda _: sending)
        await sending[0]
        await turns_of_the_loop()
        await lab.until(lambda _: "Two." in said(lab, thread))
        assert said(lab, thread) == ["first", "One.", "second", "Two."]


async def test_a_draft_that_was_begun_meanwhile_outlives_the_sending_of_a_queued_message(
    tmp_path: Path,
) -> None:
    gate = Gate()
    async with engine_lab(tmp_path, ScriptedModelProvider([[gate], says("x")])) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SaveDraft(thread, "second"))
        async with slow_database(lab):
            sending = asyncio.ensure_future(lab.do(SendMessage(thread, "second")))
            await turns_of_the_loop()
            typing = asyncio.ensure_future(lab.do(SaveDraft(thread, "third, half wri")))
            await turns_of_the_loop()
        await asyncio.gather(sending, typing)
        assert draft(lab, thread) == "third, half wri"
        rows = await lab.handlers._transcripts.store.threads()
        assert rows[0].draft == "third, half wri"


async def test_a_draft_that_was_begun_meanwhile_outlives_the_start_of_a_turn(
    tmp_path: Path,
) -> None:
    gate = Gate()
    async with engine_lab(tmp_path, ScriptedModelProvider([[gate]])) as lab:
        thread = await lab.thread()
        await lab.do(SaveDraft(thread, "first"))
        async with slow_database(lab):
            sending = asyncio.ensure_future(lab.do(SendMessage(thread, "first")))
            await turns_of_the_loop()
            typing = asyncio.ensure_future(lab.do(SaveDraft(thread, "second, half wri")))
            await turns_of_the_loop()
        await asyncio.gather(sending, typing)
        assert draft(lab, thread) == "second, half wri"
        rows = await lab.handlers._transcripts.store.threads()
        assert rows[0].draft == "second, half wri"


async def test_a_kill_right_after_a_message_was_queued_does_not_double_it(tmp_path: Path) -> None:
    """The draft leaves the composer in the same commit as the message enters the queue."""
    gate = Gate()
    async with engine_lab(tmp_path, ScriptedModelProvider([[gate]])) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SaveDraft(thread, "second"))
        database = lab.handlers._transcripts.store._database
        seen: list[tuple[int, str]] = []

        def look(connection: Connection) -> None:
            queued = connection.execute("SELECT count(*) FROM queued").fetchone()[0]
            text = connection.execute("SELECT draft FROM threads").fetchone()[0]
            seen.append((queued, text))

        async with slow_database(lab):
            sending = asyncio.ensure_future(lab.do(SendMessage(thread, "second")))
            await turns_of_the_loop()
            database.write_soon(look)
        await sending
        await database.read(lambda _: None)
        assert seen == [(1, "")]


@pytest.mark.spec("ENG-9")
async def test_a_retry_leaves_the_stored_draft_alone(tmp_path: Path) -> None:
    broken = [ModelUnreachableError("gone")]
    async with engine_lab(tmp_path, ScriptedModelProvider([broken, says("Here.")])) as lab:
        thread = await lab.send("first")
        await lab.finished(thread)
        await lab.do(SaveDraft(thread, "next thing"))
        await lab.do(RetryTurn(thread))
        await lab.finished(thread)
        rows = await lab.handlers._transcripts.store.threads()
        assert (draft(lab, thread), rows[0].draft) == ("next thing", "next thing")


@pytest.mark.spec("APR-18")
async def test_a_yes_to_what_was_put_off_leaves_draft_and_files_in_the_composer(
    tmp_path: Path,
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("x", encoding="utf-8")
    model = ScriptedModelProvider([calls(("delete_it", {})), says("Later."), says("Done.")])
    tools = FakeToolProvider([ALWAYS])
    async with engine_lab(tmp_path / "p", model, tools=[tools], reader=FakeDocumentReader()) as lab:
        thread = await lab.send("go")
        approval = await lab.answer(Answer.NOT_NOW)
        await lab.finished(thread)
        await lab.do(AttachFile(thread, str(note)))
        await lab.until(
            lambda s: [a.status for a in s.attachments[thread]] == [AttachmentStatus.READY]
        )
        await lab.do(SaveDraft(thread, "about this file"))
        await lab.do(DecideApproval(approval.id, Answer.YES_ONCE, "window"))
        await lab.finished(thread)
        assert draft(lab, thread) == "about this file"
        assert [a.name for a in lab.state.attachments[thread]] == ["note.txt"]
        rows = await lab.handlers._transcripts.store.threads()
        assert rows[0].draft == "about this file"


async def test_a_file_that_came_while_a_message_was_sent_stays_in_the_composer(
    tmp_path: Path,
) -> None:
    reader = FakeDocumentReader()
    note = tmp_path / "note.txt"
    note.write_text("x", encoding="utf-8")
    gate = Gate()
    async with engine_lab(tmp_path / "p", ScriptedModelProvider([[gate]]), reader=reader) as lab:
        thread = await lab.thread()
        reader.hold()
        async with slow_database(lab):
            sending = asyncio.ensure_future(lab.do(SendMessage(thread, "first")))
            await turns_of_the_loop()
            await lab.do(AttachFile(thread, str(note)))
        await sending
        assert [a.name for a in lab.state.attachments[thread]] == ["note.txt"]
        reader.release()


async def test_of_two_messages_of_files_alone_the_second_is_not_sent_empty(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("x", encoding="utf-8")
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("One.")], says("Two.")])
    async with engine_lab(tmp_path / "p", model, reader=FakeDocumentReader()) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(AttachFile(thread, str(note)))
        await lab.until(
            lambda s: [a.status for a in s.attachments[thread]] == [AttachmentStatus.READY]
        )
        both = [asyncio.ensure_future(lab.do(SendMessage(thread, ""))) for _ in range(2)]
        ended = await asyncio.gather(*both, return_exceptions=True)
        assert [type(each) for each in ended].count(CommandRefusedError) == 1
        assert len(lab.state.queued[thread]) == 1


async def test_a_message_taken_back_in_the_last_moment_makes_no_second_reply(
    tmp_path: Path,
) -> None:
    """It waits when its turn ends; the turn for it has begun when the user takes it back."""
    gate = Gate()
    model = ScriptedModelProvider([[gate, *says("One.")]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        tasks: list[asyncio.Task[object]] = []

        def send() -> None:
            tasks.append(asyncio.ensure_future(lab.do(SendMessage(thread, "second"))))

        def take_back() -> None:
            queued = lab.state.queued[thread][0].id
            tasks.append(asyncio.ensure_future(lab.do(UnqueueMessage(thread, queued))))

        once(lab, reply_is_done, send)
        once(lab, lambda e: isinstance(e, QueueChanged) and bool(e.messages), take_back)
        gate.open()
        await lab.until(lambda _: draft(lab, thread) == "second")
        slot = lab.handlers._turns._slots.of(thread)
        if slot is not None:
            await slot.gone.wait()
        assert said(lab, thread) == ["first", "One."]
        assert lab.state.threads[thread].status not in BUSY
    assert len(model.requests) == 1


async def test_what_came_back_after_stop_outlives_a_message_sent_at_once(tmp_path: Path) -> None:
    gate, second = Gate(), Gate()
    model = ScriptedModelProvider([[gate], [second]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "precious words"))
        await lab.do(StopTurn(thread))
        await lab.do(SendMessage(thread, "new"))
        await second.reached.wait()
        await turns_of_the_loop()
        await lab.until(lambda s: not s.queued.get(thread))
        kept = draft(lab, thread)
        rows = await lab.handlers._transcripts.store.threads()
        assert "precious words" in kept or "precious words" in said(lab, thread)
        assert rows[0].draft == kept


async def test_stop_in_the_last_moment_starts_no_turn_with_what_waits(tmp_path: Path) -> None:
    gate, second = Gate(), Gate()
    model = ScriptedModelProvider([[gate, *says("One.")], [second]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SaveDraft(thread, "second"))
        tasks: list[asyncio.Task[object]] = []

        def send_and_stop() -> None:
            tasks.append(asyncio.ensure_future(lab.do(SendMessage(thread, "second"))))

        once(lab, reply_is_done, send_and_stop)
        once(
            lab,
            lambda e: isinstance(e, QueueChanged) and bool(e.messages),
            lambda: tasks.append(asyncio.ensure_future(lab.do(StopTurn(thread)))),
        )
        gate.open()
        await lab.until(lambda _: len(tasks) == 2)
        await asyncio.gather(*tasks)
        await turns_of_the_loop()
        assert lab.handlers._turns._slots.of(thread) is None, "nothing runs after Stop"
        assert not lab.state.queued.get(thread)
        assert (draft(lab, thread) == "second") != ("second" in said(lab, thread))


async def test_stop_while_a_message_goes_in_does_not_double_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, going_in = Gate(), asyncio.Event()
    model = ScriptedModelProvider([[gate, *calls(("look_up", {}))], says("never")])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([READ])]) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "second"))
        store = lab.handlers._transcripts.store
        real: Any = store.add_queued

        async def adding(*args: object) -> None:
            going_in.set()
            await real(*args)

        monkeypatch.setattr(store, "add_queued", adding)
        gate.open()
        await going_in.wait()
        await lab.do(StopTurn(thread))
        await turns_of_the_loop()
        stored = [i.text for i in await store.items(thread) if isinstance(i, UserItem)]
        assert stored == [i.text for i in lab.state.items[thread] if isinstance(i, UserItem)]
        assert (draft(lab, thread) == "second") != ("second" in stored)


async def test_taking_back_while_a_draft_is_stored_keeps_both(tmp_path: Path) -> None:
    gate = Gate()
    async with engine_lab(tmp_path, ScriptedModelProvider([[gate]])) as lab:
        thread = await lab.send("first")
        await gate.reached.wait()
        await lab.do(SendMessage(thread, "second"))
        await lab.do(SaveDraft(thread, "th"))
        queued = lab.state.queued[thread][0].id
        both: list[Command] = [SaveDraft(thread, "third"), UnqueueMessage(thread, queued)]
        await asyncio.gather(*(lab.do(command) for command in both))
        assert draft(lab, thread) == "third\n\nsecond"


async def test_removing_a_file_that_was_sent_in_the_same_moment_keeps_its_text(
    tmp_path: Path,
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("the text of the file", encoding="utf-8")
    gate = Gate()
    model = ScriptedModelProvider([[gate]])
    async with engine_lab(tmp_path / "p", model, reader=FakeDocumentReader()) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, str(note)))
        await lab.until(
            lambda s: [a.status for a in s.attachments[thread]] == [AttachmentStatus.READY]
        )
        file = lab.state.attachments[thread][0].id
        await lab.do(SendMessage(thread, "read it"))
        await lab.do(RemoveAttachment(thread, file))
        await gate.reached.wait()
    assert "the text of the file" in model.requests[0].messages[-1].text
