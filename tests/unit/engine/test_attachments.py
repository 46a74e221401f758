"""Files on their way into a message (DOC-1, UI-5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine import (
    Activity,
    AttachFile,
    AttachmentStatus,
    RemoveAttachment,
    SendMessage,
    TeammateChanged,
    UserItem,
)
from ankita.errors import CommandRefusedError, UnreadableDocumentError
from ankita.messages import DocumentText
from tests.engine_lab import EngineLab, engine_lab
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import ScriptedModelProvider, says


def note(folder: Path, name: str = "note.txt", text: str = "Rent is due on Friday.") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


async def ready(lab: EngineLab, thread: str) -> None:
    await lab.until(
        lambda s: all(a.status is not AttachmentStatus.READING for a in s.attachments[thread])
    )


@pytest.mark.spec("DOC-1")
async def test_a_file_is_read_in_the_background_and_goes_with_the_message(tmp_path: Path) -> None:
    model = ScriptedModelProvider([says("On Friday.")])
    async with engine_lab(tmp_path / "profile", model) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, note(tmp_path)))
        await ready(lab, thread)
        items = await lab.talk("When?", thread)
        assert lab.state.attachments[thread] == ()
    (sent,) = [item for item in items if isinstance(item, UserItem)]
    assert [ref.name for ref in sent.attachments] == ["note.txt"]
    assert "Rent is due on Friday." in model.requests[0].messages[-1].text


async def test_the_text_of_a_file_is_still_known_after_a_restart(tmp_path: Path) -> None:
    async with engine_lab(tmp_path / "profile", ScriptedModelProvider([says("Ok.")])) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, note(tmp_path)))
        await ready(lab, thread)
        await lab.talk("Keep this.", thread)
    model = ScriptedModelProvider([says("On Friday.")])
    async with engine_lab(tmp_path / "profile", model) as lab:
        await lab.talk("When?", thread)
    texts = [message.text for message in model.requests[0].messages]
    assert sum("Rent is due on Friday." in text for text in texts) == 1


@pytest.mark.spec("UI-5")
async def test_a_file_that_was_not_sent_yet_is_there_after_a_restart(tmp_path: Path) -> None:
    async with engine_lab(tmp_path / "profile", ScriptedModelProvider()) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, note(tmp_path)))
        await ready(lab, thread)
    model = ScriptedModelProvider([says("On Friday.")])
    async with engine_lab(tmp_path / "profile", model) as lab:
        await lab.talk("When?", thread)
    assert "Rent is due on Friday." in model.requests[0].messages[-1].text


async def test_reading_shows_progress_and_then_success(tmp_path: Path) -> None:
    reader = FakeDocumentReader()
    reader.hold()
    async with engine_lab(tmp_path / "profile", ScriptedModelProvider(), reader=reader) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, note(tmp_path)))
        await lab.until(lambda s: s.teammates[0].progress == (0, 1))
        assert lab.state.teammates[0].activity is Activity.READING
        with pytest.raises(CommandRefusedError, match="still being read"):
            await lab.do(SendMessage(thread, "When?"))
        reader.release()
        await ready(lab, thread)
        last = [e.teammate for e in lab.events if isinstance(e, TeammateChanged)][-1]
    assert (last.activity, last.detail) == (Activity.DONE, "read note.txt")


async def test_a_file_that_breaks_while_it_is_read_says_why_and_blocks_nothing(
    tmp_path: Path,
) -> None:
    reason = UnreadableDocumentError("This PDF is broken.", advice="Ask for it again.")
    reader = FakeDocumentReader({"bad.pdf": reason})
    model = ScriptedModelProvider([says("Hello.")])
    async with engine_lab(tmp_path / "profile", model, reader=reader) as lab:
        thread = await lab.thread()
        await lab.do(AttachFile(thread, note(tmp_path, "bad.pdf", "%PDF-1.4")))
        await ready(lab, thread)
        (failed,) = lab.state.attachments[thread]
        assert failed.status is AttachmentStatus.FAILED
        assert failed.reason == "This PDF is broken. Ask for it again."
        assert lab.state.teammates[0].activity is Activity.FAILED
        await lab.talk("hello", thread)


async def test_what_cannot_be_read_at_all_is_refused_at_once(tmp_path: Path) -> None:
    async with engine_lab(tmp_path / "profile", ScriptedModelProvider()) as lab:
        thread = await lab.thread()
        with pytest.raises(CommandRefusedError, match=r"gone\.txt"):
            await lab.do(AttachFile(thread, str(tmp_path / "gone.txt")))
        assert not lab.state.attachments.get(thread)


async def test_taking_a_file_out_cancels_its_reading(tmp_path: Path) -> None:
    reader = FakeDocumentReader()
    reader.hold()
    async with engine_lab(tmp_path / "profile", ScriptedModelProvider(), reader=reader) as lab:
        thread = await lab.thread()
        attachment = await lab.do(AttachFile(thread, note(tmp_path)))
        await lab.until(lambda s: s.teammates[0].progress == (0, 1))
        await lab.do(RemoveAttachment(thread, attachment))
        assert lab.state.attachments[thread] == ()
        assert lab.state.teammates[0].activity is Activity.IDLE
    assert reader.cancelled == ["note.txt"]


async def test_a_file_of_one_thread_stays_with_it(tmp_path: Path) -> None:
    answers = {"a.txt": DocumentText("a.txt", "text", "secret of A")}
    reader = FakeDocumentReader(answers)
    model = ScriptedModelProvider([says("Hm.")])
    async with engine_lab(tmp_path / "profile", model, reader=reader) as lab:
        one, other = await lab.thread(), await lab.thread()
        await lab.do(AttachFile(one, note(tmp_path, "a.txt")))
        await ready(lab, one)
        await lab.talk("What do you know?", other)
        assert len(lab.state.attachments[one]) == 1
    assert not any("secret of A" in message.text for message in model.requests[0].messages)
