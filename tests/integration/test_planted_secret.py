"""A secret put into every way out of memory stands nowhere in the profile (SEC-6, PRV-8)."""

from __future__ import annotations

import asyncio
import base64
import logging
from pathlib import Path

import pytest

from ankita.engine import Answer, AttachFile, AttachmentStatus, SaveDraft, StopTurn
from ankita.messages import (
    DocumentText,
    Effect,
    Finished,
    FinishReason,
    Json,
    JsonObject,
    TextDelta,
    ToolResult,
    ToolStatus,
)
from ankita.protocols import CallContext
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

SECRET = "ghp_" + "Q7w2E9r4T1y6U3i8O5p0" * 2
TEXT: Json = {"type": "string"}
DELETE = make_spec("delete_it", effect=Effect.CHANGES, text=TEXT)
READ = make_spec("look_up", text=TEXT)


def traces(profile: Path) -> list[str]:
    """Where the secret, or a long part of it, is found."""
    parts = [SECRET.encode(), SECRET[:20].encode(), SECRET[-20:].encode()]
    parts.append(base64.b64encode(SECRET.encode()))
    return [
        f"{path.name}: {part!r}"
        for path in sorted(profile.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
        for part in parts
        if part in path.read_bytes()
    ]


def streamed(text: str) -> list[TextDelta | Finished]:
    """A reply in pieces of five characters, as a model sends it."""
    pieces = [TextDelta(text[at : at + 5]) for at in range(0, len(text), 5)]
    return [*pieces, Finished(FinishReason.STOP)]


async def handler(_name: str, _args: JsonObject, context: CallContext) -> ToolResult:
    for at in range(0, len(SECRET), 7):
        context.report(SECRET[at : at + 7])
        await asyncio.sleep(0)
    return ToolResult(ToolStatus.OK, f"the token is {SECRET}")


async def live_through_everything(lab: EngineLab, folder: Path) -> None:
    note = folder / f"{SECRET}.txt"
    note.write_text("x", encoding="utf-8")
    thread = await lab.send(f"{SECRET} is my token, what now? {'word ' * 40}")
    await lab.answer(Answer.YES_ONCE)
    await lab.finished(thread)
    await lab.do(AttachFile(thread, str(note)))
    await lab.until(
        lambda s: all(a.status is not AttachmentStatus.READING for a in s.attachments[thread])
    )
    await lab.talk("and this file?", thread)
    await lab.do(SaveDraft(thread, f"my next token {SECRET}"))
    logging.getLogger("ankita.test").warning("failed with %s", SECRET)
    logging.getLogger("ankita.test").error("and", exc_info=ValueError(SECRET))


@pytest.mark.spec("SEC-6", "PRV-8")
async def test_no_writer_puts_a_secret_into_the_profile(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    model = ScriptedModelProvider(
        [
            calls(("delete_it", {"text": f"token {SECRET}"}), text=f"I use {SECRET}. "),
            calls(("look_up", {"text": SECRET})),
            streamed(f"You said {SECRET} and it is {SECRET} indeed."),
            says("A file."),
        ]
    )
    documents = {f"{SECRET}.txt": DocumentText(f"{SECRET}.txt", "text", f"token: {SECRET}\n")}
    tools = FakeToolProvider([DELETE, READ], handler)
    async with engine_lab(
        profile, model, tools=[tools], reader=FakeDocumentReader(documents)
    ) as lab:
        await live_through_everything(lab, tmp_path)
    assert any(SECRET in message.text for message in model.requests[1].messages)
    assert traces(profile) == []


@pytest.mark.spec("SEC-6")
async def test_a_question_that_waits_holds_no_secret_on_the_disk(tmp_path: Path) -> None:
    model = ScriptedModelProvider([calls(("delete_it", {"text": SECRET}))])
    async with engine_lab(tmp_path, model, tools=[FakeToolProvider([DELETE])]) as lab:
        await lab.send("go")
        await lab.asked()
        assert traces(tmp_path) == []


@pytest.mark.spec("SEC-6")
async def test_a_key_that_arrives_in_pieces_is_never_stored_in_pieces(tmp_path: Path) -> None:
    begun, gate = Gate(), Gate()
    text = f"Your key {SECRET} works. And then "
    pieces = [TextDelta(text[at : at + 3]) for at in range(0, len(text), 3)]
    model = ScriptedModelProvider([[TextDelta("Well. "), begun, *pieces, gate]])
    async with engine_lab(tmp_path, model) as lab:
        thread = await lab.send("go")
        await lab.until(lambda s: "Well" in repr(s.items[thread]))
        begun.open()
        await lab.until(lambda s: "And" in repr(s.items[thread]))
        assert traces(tmp_path) == []
        await lab.do(StopTurn(thread))
    assert traces(tmp_path) == []
